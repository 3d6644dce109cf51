import { sql } from "kysely";
import type { Day } from "../core/day.ts";
import { creditClasses, type SliceDraft } from "../core/slice.ts";
import type { Database } from "../warehouse/database.ts";
import { addJobs, dayTurn } from "./jobs.ts";
import { insertSlices } from "./slices.ts";
import { isAlive } from "./workers.ts";

/** How a run ended. */
export type RunOutcome = "loaded" | "failed" | "deferred" | "aborted" | "interrupted";

/** A run as it starts. `workerId` null: any worker may run its slices. */
export type RunStart = {
  readonly kind: "sync" | "schedule" | "retry" | "backfill" | "import";
  readonly workerId: string | null;
  readonly asOf: Day;
  readonly datasets: readonly string[];
  readonly maxCredits: number | null;
  /** The plan that it runs, if it does not plan by itself. */
  readonly planId?: string;
};

/** Where a run stands: slices by state, the nearest time at which a waiting one is due, and what was spent. */
export type RunProgress = {
  readonly total: number;
  readonly open: number;
  readonly due: number;
  readonly deferred: number;
  readonly failed: number;
  readonly skipped: number;
  readonly nextDueAt: number | null;
  readonly credits: number;
};

/** Opens a run and returns its number. */
export async function openRun(db: Database, start: RunStart, now: number): Promise<string> {
  const { rows } = await sql<{ run_id: string }>`
    insert into ops.run (kind, worker_id, as_of, datasets, max_credits, plan_id, started_at)
    values (${start.kind}, ${start.workerId}, ${start.asOf}, ${[...start.datasets]}::text[], ${start.maxCredits}, ${start.planId ?? null}, ${at(now)})
    returning run_id`.execute(db);
  return rows[0]?.run_id ?? "";
}

/** Adds to a run what a program would pay for the planned cells that asks for one thing at a time. */
export async function noteNaivePrice(db: Database, runId: string, credits: number): Promise<void> {
  await sql`update ops.run set naive_credits = naive_credits + ${Math.round(credits)} where run_id = ${runId}`.execute(
    db,
  );
}

/** Closes a run. */
export async function closeRun(db: Database, runId: string, outcome: RunOutcome, now: number): Promise<void> {
  await sql`update ops.run set ended_at = ${at(now)}, outcome = ${outcome} where run_id = ${runId}`.execute(db);
}

/** Writes planned slices and their jobs in one transaction; returns how many are new. */
export async function enqueue(
  db: Database,
  runId: string,
  task: string,
  drafts: readonly SliceDraft[],
  now: number,
): Promise<number> {
  return db.transaction().execute((transaction) => enqueueWithin(transaction, { runId, task, drafts, now }));
}

/** `enqueue` inside a transaction of the caller's. They run by class and day, in whatever order and parts they are queued. */
export async function enqueueWithin(
  transaction: Database,
  { runId, task, drafts, now }: { runId: string; task: string; drafts: readonly SliceDraft[]; now: number },
): Promise<number> {
  const ids = await insertSlices(transaction, runId, drafts, now);
  await addJobs(transaction, task, ids, "by day");
  await sql`
    update ops.run as r set planned_slices = r.planned_slices + planned.slices, planned_credits = r.planned_credits + planned.credits
    from   (select count(*) as slices, coalesce(sum(planned_credits), 0) as credits
            from   ops.slice where slice_id = any (${[...ids]}::bigint[])) as planned
    where  r.run_id = ${runId}`.execute(transaction);
  return ids.length;
}

/** Whose open slices a run takes over: of these datasets, or of one plan. At most `mostCredits` by their planned price. */
export type Adoption = {
  readonly runId: string;
  readonly task: string;
  readonly datasets: readonly string[];
  readonly planId?: string;
  readonly mostCredits: number;
};

/** Slices that are taken over at a time, so that memory stays flat however many there are. */
const adoptedAtOnce = 5_000;

/**
 * Takes over what was left open: slices of dead processes and of the shared queue that nobody runs now. They join the run, at once.
 * Slices of a living foreground process stay where they are. At most `mostCredits`, in order of class, then newest first or as their
 * plan says. Of two processes that want the same slice at the same moment the first one keeps it.
 */
export async function adoptOpen(db: Database, run: Adoption): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    // locked first and looked at again then, so that a slice that somebody else has just taken is left to them
    await sql`
      declare adopted no scroll cursor for
      with free as materialized (
        select run_id from ops.run as r where run_id <> ${run.runId} and (r.worker_id is null or not ${isAlive(sql`r.worker_id`)})
      ), open as (
        select s.slice_id, s.class, s.window_start, s.window_end, s.plan_id, s.planned_credits
        from   ops.slice as s
        join   free using (run_id)
        where  s.dataset = any (${[...run.datasets]}::text[]) and s.state in ('pending', 'running', 'deferred')
        and    (${run.planId ?? null}::bigint is null or s.plan_id = ${run.planId ?? null}::bigint)
        and    (s.state <> 'running' or s.worker_id is null or not ${isAlive(sql`s.worker_id`)})
        for    update of s
      )
      select s.slice_id, sum(s.planned_credits) over turn as running
      from   open as s
      left   join ops.plan as p using (plan_id)
      window turn as (order by array_position(${[...creditClasses]}::text[], s.class), ${dayTurn}, s.slice_id)
      order  by array_position(${[...creditClasses]}::text[], s.class), ${dayTurn}, s.slice_id`.execute(transaction);
    let taken = 0;
    for (;;) {
      const { rows } = await sql<{ slice_id: string; running: string }>`
        fetch ${sql.raw(String(adoptedAtOnce))} from adopted`.execute(transaction);
      const ids = rows.filter((row) => Number(row.running) <= run.mostCredits).map((row) => row.slice_id);
      await sql`
        update ops.slice set run_id = ${run.runId}, state = 'pending', due_at = null
        where  slice_id = any (${ids}::bigint[])`.execute(transaction);
      await addJobs(transaction, run.task, ids, "by day");
      taken += ids.length;
      if (ids.length < adoptedAtOnce) break;
    }
    await sql`close adopted`.execute(transaction);
    return taken;
  });
}

/** Makes failed slices (or those of other final states) pending again in a run, save those that were asked for anew since, and queues them newest first. Returns how many. */
export async function reopen(
  db: Database,
  run: { runId: string; task: string; datasets: readonly string[]; states?: readonly ("failed" | "skipped")[] },
): Promise<number> {
  const states = [...(run.states ?? ["failed"])];
  return db.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ slice_id: string }>`
      with slices as (
        select slice_id, state, window_end, max(slice_id) over cell as newest,
               bool_or(state in ('pending', 'running', 'deferred')) over cell as is_open
        from   ops.slice
        where  dataset = any (${[...run.datasets]}::text[])
        window cell as (partition by dataset, scope, batch_id, window_start, window_end)
      )
      select slice_id from slices where state = any (${states}::text[]) and slice_id = newest and not is_open
      order  by window_end desc, slice_id`.execute(transaction);
    const reopened = await sql<{ slice_id: string }>`
      update ops.slice set state = 'pending', failures = 0, run_id = ${run.runId}, due_at = null
      where  slice_id = any (${rows.map((row) => row.slice_id)}::bigint[]) and state = any (${states}::text[])
      returning slice_id`.execute(transaction);
    const mine = new Set(reopened.rows.map((row) => row.slice_id));
    await addJobs(
      transaction,
      run.task,
      rows.map((row) => row.slice_id).filter((id) => mine.has(id)),
    );
    return mine.size;
  });
}

type ProgressRow = {
  total: number;
  open: number;
  due: number;
  deferred: number;
  failed: number;
  skipped: number;
  next_due_at: Date | null;
  credits: number;
};

/** Counts where the slices of a run stand. */
export async function runProgress(db: Database, runId: string, now: number): Promise<RunProgress> {
  const { rows } = await sql<ProgressRow>`
    select count(*)::int as total,
           count(*) filter (where state in ('pending', 'running', 'deferred'))::int as open,
           count(*) filter (where state in ('pending', 'running') or state = 'deferred' and due_at <= ${at(now)})::int as due,
           count(*) filter (where state = 'deferred')::int as deferred,
           count(*) filter (where state = 'failed')::int   as failed,
           count(*) filter (where state = 'skipped')::int  as skipped,
           min(due_at) filter (where state = 'deferred')   as next_due_at,
           coalesce((select sum(cost) from ops.request as q where q.slice_id in (select slice_id from ops.slice where run_id = ${runId})
                     and q.received_at >= (select started_at from ops.run where run_id = ${runId})), 0)::int as credits
    from   ops.slice
    where  run_id = ${runId}`.execute(db);
  const row = rows[0];
  return {
    total: row?.total ?? 0,
    open: row?.open ?? 0,
    due: row?.due ?? 0,
    deferred: row?.deferred ?? 0,
    failed: row?.failed ?? 0,
    skipped: row?.skipped ?? 0,
    nextDueAt: row?.next_due_at?.getTime() ?? null,
    credits: row?.credits ?? 0,
  };
}

function at(instant: number): ReturnType<typeof sql> {
  return sql`${new Date(instant).toISOString()}::timestamptz`;
}
