import { beyondPeriodCodes } from "../core/waiting-codes.ts";
import { instant, sql, type Queryable, type SqlFragment } from "../postgres/sql.ts";
import type { Day } from "../core/day.ts";
import type { SliceDraft } from "../core/slice.ts";
import { chargedCredits } from "../credits/charges.ts";
import type { Window } from "../core/window.ts";
import type { Database } from "../postgres/database.ts";
import { isOpen, likelyCredits } from "./open-slices.ts";
import { insertSlices } from "./slices.ts";

/** How a run ended. */
export type RunOutcome = "loaded" | "failed" | "deferred" | "aborted" | "interrupted";

/** The error that aborted a run: its stable code, and its text with what to do next. */
export type RunError = { readonly code: string; readonly message: string };

/** A run as it starts. `workerId` null: any worker may run its slices. */
export type RunStart = {
  readonly kind: "sync" | "schedule" | "retry" | "backfill" | "import" | "gateway";
  readonly workerId: string | null;
  /** The account of the run; empty for that of API_TOKEN. */
  readonly account: string;
  readonly asOf: Day;
  readonly datasets: readonly string[];
  /** What workers plan once lists are loaded that it has taken over; if left out or empty, its own datasets, and nothing after a sync. */
  readonly plansAfter?: readonly string[];
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
    insert into ops.run (kind, worker_id, as_of, datasets, plans_after, days, max_credits, plan_id, started_at, account, shared_queue_id)
    values (${start.kind}, ${start.workerId}, ${start.asOf}, ${[...start.datasets]}::text[], ${[...(start.plansAfter ?? [])]}::text[],
            case when ${from}::date is not null or ${end}::date is not null then daterange(${from}::date, ${end}::date) end, ${start.maxCredits}, ${start.planId ?? null}, ${instant(now)},
            ${start.account}, coalesce((select queue_id from ops.account where account = ${start.account}), 0))
    returning run_id`.execute(db);
  return rows[0]?.run_id ?? "";
}

/**
 * The datasets of those runs of a day whose lists are among slices `s`, which another run takes over: workers plan from the lists what the
 * earlier runs would have planned. Of an earlier day, that is planned by the next scheduled run, at its time.
 */
export async function readPlansAfter(db: Queryable, isMeant: SqlFragment, today: Day): Promise<readonly string[]> {
  const { rows } = await sql<{ dataset: string }>`
    -- a retry that took lists over counts for these alone: one without names has all datasets, also those that no schedule plans
    select distinct unnest(case when r.kind = 'retry' and r.plans_after <> '{}' then r.plans_after else r.datasets || r.plans_after end) as dataset
    from   ops.run as r
    where  r.as_of = ${today}::date
    and    r.run_id in (select s.run_id from ops.slice as s join ops.dataset as d using (dataset)
                        where ${isMeant} and d.stage <> 'market' and s.class <> 'history')
    order  by 1`.execute(db);
  return rows.map(({ dataset }) => dataset);
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
  await closeRun(db, runId, "loaded", { now });
  return runId;
}

/** Adds the naive price of planned cells to a run (see `naivePrice`). */
export async function recordNaivePrice(db: Database, runId: string, credits: number): Promise<void> {
  await sql`update ops.run set naive_credits = naive_credits + ${Math.round(credits)} where run_id = ${runId}`.execute(
    db,
  );
}

/** Closes a run; a scheduled run is over when it has `planned`. `error`: what aborted it, without secrets. */
export async function closeRun(
  db: Database,
  runId: string,
  outcome: RunOutcome | "planned",
  { now, error = null }: { readonly now: number; readonly error?: RunError | null },
): Promise<void> {
  await sql`
    update ops.run set ended_at = ${instant(now)}, outcome = ${outcome}, error_code = ${error?.code ?? null}, error_message = ${error?.message ?? null}
    where  run_id = ${runId}`.execute(db);
}

/** True if a run of an account that started after an instant (epoch-ms) has planned slices, other than older ones that a retry runs again. */
export async function wasPlannedSince(db: Database, account: string, since: number): Promise<boolean> {
  const { rows } = await sql<{ planned: boolean }>`
    select exists (select from ops.run where account = ${account} and started_at > ${instant(since)} and planned_slices > 0 and kind <> 'retry') as planned`.execute(
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
            from   ops.slice as s left join ops.credit_price as c on c.operation = s.operation
            where  s.slice_id = any (${[...ids]}::bigint[])) as planned
    where  r.run_id = ${runId}`.execute(transaction);
}

/** SQL: the queue of a run's slices. */
export function queueOf(runId: string): ReturnType<typeof sql> {
  return sql`(select coalesce(worker_id, shared_queue_id) from ops.run where run_id = ${runId})`;
}

type ProgressRow = Omit<RunProgress, "nextDueAt" | "credits" | "alongside"> & {
  next_due_at: Date | null;
  planned: number;
};

/** SQL: true for a slice that waits although no reset lets it run. */
const isBeyondPeriod = sql<boolean>`coalesce(error_code = any (${[...beyondPeriodCodes]}::text[]), false)`;

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
    from   (select state, count(*) as slices, count(*) filter (where due_at <= ${instant(now)}) as due,
                   case when bool_and(${isBeyondPeriod}) then min(due_at) else min(due_at) filter (where not ${isBeyondPeriod}) end as next_due_at,
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
