import { instant, sql, type SqlFragment } from "../postgres/sql.ts";
import type { Day } from "../core/day.ts";
import type { SliceDraft } from "../core/slice.ts";
import { chargedCredits } from "../credits/charges.ts";
import type { Window } from "../core/window.ts";
import type { Database } from "../postgres/database.ts";
import { isOpen, creditsLeft, likelyCredits } from "./open-slices.ts";
import { turnAfterRefusals } from "./queue-turn.ts";
import { insertSlices } from "./slices.ts";
import { isAlive } from "./workers.ts";

/** How a run ended. */
export type RunOutcome = "loaded" | "failed" | "deferred" | "aborted" | "interrupted";

/** A run as it starts. `workerId` null: any worker may run its slices. */
export type RunStart = {
  readonly kind: "sync" | "schedule" | "retry" | "backfill" | "import" | "gateway";
  readonly workerId: string | null;
  /** The account of the run; empty for that of API_TOKEN. */
  readonly account: string;
  readonly asOf: Day;
  readonly datasets: readonly string[];
  /** Days that a person named; if left out, each dataset has its own. */
  readonly within?: Partial<Window>;
  readonly maxCredits: number | null;
  /** The plan that it runs, if it does not make one. */
  readonly planId?: string;
};

/**
 * The progress of a run: slices by state, when the next deferred one is due (epoch-ms), and credits spent. `alongside`: slices of the total
 * that nobody planned, since answers to other slices contain their rows. `requestsLeft`: what pending and running slices are expected to
 * take, including pages that have landed already.
 */
export type RunProgress = {
  readonly total: number;
  readonly alongside: number;
  readonly open: number;
  readonly due: number;
  readonly deferred: number;
  readonly failed: number;
  readonly skipped: number;
  readonly requestsLeft: number;
  readonly nextDueAt: number | null;
  readonly credits: number;
};

/** Opens a run and returns its number. */
export async function openRun(db: Database, start: RunStart, now: number): Promise<string> {
  const { start: from = null, end = null } = start.within ?? {};
  const { rows } = await sql<{ run_id: string }>`
    insert into ops.run (kind, worker_id, as_of, datasets, days, max_credits, plan_id, started_at, account, shared_queue_id)
    values (${start.kind}, ${start.workerId}, ${start.asOf}, ${[...start.datasets]}::text[],
            case when ${from}::date is not null or ${end}::date is not null then daterange(${from}::date, ${end}::date) end, ${start.maxCredits}, ${start.planId ?? null}, ${instant(now)},
            ${start.account}, coalesce((select queue_id from ops.account where account = ${start.account}), 0))
    returning run_id`.execute(db);
  return rows[0]?.run_id ?? "";
}

/** Returns the one run of a kind and day, which has already ended: for answers that no plan requested. To be called under a lock. */
export async function dailyRun(
  db: Database,
  { kind, account, asOf, now }: Pick<RunStart, "kind" | "account" | "asOf"> & { readonly now: number },
): Promise<string> {
  const { rows } = await sql<{ run_id: string }>`
    update ops.run set ended_at = ${instant(now)}
    where  run_id = (select min(run_id) from ops.run where kind = ${kind} and account = ${account} and as_of = ${asOf})
    returning run_id`.execute(db);
  const [known] = rows;
  if (known !== undefined) return known.run_id;
  const runId = await openRun(db, { kind, workerId: null, account, asOf, datasets: [], maxCredits: null }, now);
  await closeRun(db, runId, "loaded", now);
  return runId;
}

/** Adds the naive price of planned cells to a run (see `naivePrice`). */
export async function recordNaivePrice(db: Database, runId: string, credits: number): Promise<void> {
  await sql`update ops.run set naive_credits = naive_credits + ${Math.round(credits)} where run_id = ${runId}`.execute(
    db,
  );
}

/** Closes a run; a scheduled run is over when it has `planned`. */
export async function closeRun(
  db: Database,
  runId: string,
  outcome: RunOutcome | "planned",
  now: number,
): Promise<void> {
  await sql`update ops.run set ended_at = ${instant(now)}, outcome = ${outcome} where run_id = ${runId}`.execute(db);
}

/** True if a run that started after an instant (epoch-ms) has planned slices, other than older ones that a retry runs again. */
export async function wasPlannedSince(db: Database, since: number): Promise<boolean> {
  const { rows } = await sql<{ planned: boolean }>`
    select exists (select from ops.run where started_at > ${instant(since)} and planned_slices > 0 and kind <> 'retry') as planned`.execute(
    db,
  );
  return rows[0]?.planned === true;
}

/** Writes planned slices into the queue of their run, in a transaction of the caller; returns how many are new. */
export async function enqueueWithin(
  transaction: Database,
  runId: string,
  drafts: readonly SliceDraft[],
  now: number,
): Promise<number> {
  const ids = await insertSlices(transaction, runId, drafts, now);
  await addPlanned(transaction, runId, ids);
  return ids.length;
}

/**
 * Adds slices to the counts of a run, with what they are still expected to cost: pages of an earlier attempt are paid for. It locks the run
 * until the transaction ends: concurrent planners of the run wait.
 */
export async function addPlanned(transaction: Database, runId: string, ids: readonly string[]): Promise<void> {
  await sql`
    update ops.run as r set planned_slices = r.planned_slices + planned.slices, planned_credits = r.planned_credits + planned.credits
    from   (select count(*) as slices, coalesce(sum(${likelyCredits}), 0) as credits
            from   ops.slice as s left join ops.credit_cost as c on c.operation = s.operation
            where  s.slice_id = any (${[...ids]}::bigint[])) as planned
    where  r.run_id = ${runId}`.execute(transaction);
}

/** True if a dead foreground process of an account left unfinished slices. */
export async function hasOrphans(db: Database, account: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from ops.run as r
                   where  r.worker_id is not null and r.account = ${account} and exists (select from ops.slice as s where s.run_id = r.run_id and ${isOpen()})
                   -- declared dead: then slices over its limit or price are cancelled already
                   and    exists (select from ops.worker as w where w.worker_id = r.worker_id and w.stopped_at is not null)) as found`.execute(
    db,
  );
  return rows[0]?.found === true;
}

/**
 * Which orphaned slices a run adopts: of these datasets, or of one plan, for at most `mostCredits` (pages that have landed cost nothing).
 */
export type Adoption = {
  readonly runId: string;
  readonly datasets: readonly string[];
  readonly planId?: string;
  readonly mostCredits: number;
  readonly onlySnapshots?: boolean;
};

/** Slices per fetch of the cursor. */
const adoptedAtOnce = 5_000;

/**
 * Moves orphaned slices of the run's account into the run and its queue: open ones of dead processes, and those of the shared queue that no
 * worker runs now. In the order of the queue, for at most `mostCredits`. If two processes adopt the same slice, the first one keeps it.
 */
export async function adoptOrphanedSlices(db: Database, run: Adoption): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    // the lock makes Postgres check the conditions again: a slice that another process has just taken is left to it
    await sql`
      declare adopted no scroll cursor for
      with free as materialized (
        select run_id from ops.run as r where ${isLeft(run.runId)}
      ), open as (
        select s.slice_id, s.turn, ${creditsLeft} as credits
        from   ops.slice as s
        join   free using (run_id)
        where  s.dataset = any (${[...run.datasets]}::text[]) and ${isOpen()}
        and    (${run.planId ?? null}::bigint is null or s.plan_id = ${run.planId ?? null}::bigint)
        and    (s.class = 'snapshot' or not ${run.onlySnapshots ?? false}::boolean)
        and    (s.state <> 'running' or s.worker_id is null or not ${isAlive(sql`s.worker_id`)})
        for    update of s
      )
      select slice_id, sum(credits) over (order by turn, slice_id) as running
      from   open
      order  by turn, slice_id`.execute(transaction);
    let taken = 0;
    const account = sql`(select account from ops.run where run_id = ${run.runId})`;
    for (;;) {
      const { rows } = await sql<{ slice_id: string; running: string }>`
        fetch ${sql.raw(String(adoptedAtOnce))} from adopted`.execute(transaction);
      const ids = rows.filter((row) => Number(row.running) <= run.mostCredits).map((row) => row.slice_id);
      if (ids.length > 0) {
        await sql`
          update ops.slice as s set run_id = ${run.runId}, queue_id = ${queueOf(run.runId)}, state = 'pending', due_at = null,
                 turn = ${turnAfterRefusals(account)}
          where  slice_id = any (${ids}::bigint[])`.execute(transaction);
        await addPlanned(transaction, run.runId, ids);
      }
      taken += ids.length;
      if (ids.length < adoptedAtOnce) break;
    }
    await sql`close adopted`.execute(transaction);
    return taken;
  });
}

/** SQL: true for a run `r` whose slices another run of its account may adopt: no process runs it, or it is of the shared queue. */
export function isLeft(by: string): SqlFragment {
  return sql`(r.run_id <> ${by} and (r.worker_id is null or not ${isAlive(sql`r.worker_id`)})
              and coalesce(r.worker_id, r.shared_queue_id) <> ${queueOf(by)} and r.account = (select account from ops.run where run_id = ${by}))`;
}

/** SQL: the queue of a run's slices. */
export function queueOf(runId: string): ReturnType<typeof sql> {
  return sql`(select coalesce(worker_id, shared_queue_id) from ops.run where run_id = ${runId})`;
}

type ProgressRow = Omit<RunProgress, "nextDueAt" | "credits" | "alongside"> & {
  next_due_at: Date | null;
  planned: number;
};

/** Counts the slices of a run, without lost days that it noted. `credits`: what it has spent, if the caller knows that. */
export async function runProgress(db: Database, runId: string, now: number, credits?: number): Promise<RunProgress> {
  const { rows } = await sql<ProgressRow>`
    select coalesce(sum(slices), 0)::int
             + coalesce((select past_loaded_count + past_empty_count from ops.run where run_id = ${runId}), 0) as total,
           coalesce((select planned_slices from ops.run where run_id = ${runId}), 0) as planned,
           coalesce(sum(slices) filter (where ${isOpen()}), 0)::int as open,
           coalesce(sum(case when state in ('pending', 'running') then slices when state = 'deferred' then due end), 0)::int as due,
           coalesce(sum(slices) filter (where state = 'deferred'), 0)::int as deferred,
           coalesce(sum(slices) filter (where state = 'failed'), 0)::int   as failed,
           coalesce(sum(slices) filter (where state = 'skipped'), 0)::int  as skipped,
           coalesce(sum(requests) filter (where state in ('pending', 'running')), 0)::int as "requestsLeft",
           min(next_due_at) filter (where state = 'deferred')              as next_due_at
    from   (select state, count(*) as slices, count(*) filter (where due_at <= ${instant(now)}) as due, min(due_at) as next_due_at,
                   sum(planned_requests) as requests
            from   ops.slice where run_id = ${runId} and state <> 'lost' group by state) as s`.execute(db);
  const { next_due_at: nextDueAt, planned, ...counts } = rows[0] as ProgressRow;
  const alongside = Math.max(0, counts.total - planned);
  return {
    ...counts,
    alongside,
    nextDueAt: nextDueAt?.getTime() ?? null,
    credits: credits ?? (await creditsOf(db, runId)),
  };
}

/** The charges of the requests that this run sent. If a slice joined later, charges that another run paid for it count there. */
async function creditsOf(db: Database, runId: string): Promise<number> {
  const { rows } = await sql<{ credits: number }>`
    select ${chargedCredits} + (select past_credits from ops.run where run_id = ${runId}) as credits
    from   ops.request as q where q.run_id = ${runId}`.execute(db);
  return rows[0]?.credits ?? 0;
}
