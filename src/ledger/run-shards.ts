import type { Day } from "../core/day.ts";
import { sumBy } from "../core/sum.ts";
import type { Database } from "../postgres/database.ts";
import { instant, sql } from "../postgres/sql.ts";
import type { TimingLine } from "./dataset-timings.ts";
import { closeRun } from "./runs.ts";
import { planningTask, taskOfAccount } from "./shared-queue.ts";
import { isAlive } from "./workers.ts";

/*
 * The planning of a scheduled run as rows: a worker locks a row, plans its part, marks it and commits, all in one transaction. If the
 * worker dies, the row stays as it was, and the lock ends with the connection. The last shard of a stage writes the shards of the next
 * stage. The row `end` is the work after the last stage; when it is done, the rows are deleted.
 */

/** A step of planning a run: the stage of its datasets, or `end`. */
export type PlanningStep = "portfolio" | "listing" | "market" | "end";

/** A part of a run that is to be planned; `number` of `of`, as in a shard. */
export type RunShard = { readonly step: PlanningStep; readonly number: number; readonly of: number };

/** Writes the shards of a step. */
export async function openShards(
  db: Database,
  runId: string,
  { step, shards }: { readonly step: PlanningStep; readonly shards: readonly Pick<RunShard, "number" | "of">[] },
): Promise<void> {
  await sql`
    insert into ops.run_shard (run_id, step, shard, shards)
    select ${runId}, ${step}, number, of from jsonb_to_recordset(${JSON.stringify(shards)}::jsonb) as s (number integer, of integer)
    on conflict do nothing`.execute(db);
}

/** Makes up to this many other living workers of the account take part in the planning: one job for each, which any of them may take. */
export async function callWorkers(
  db: Database,
  { account, workerId, most }: { readonly account: string; readonly workerId: string; readonly most: number },
): Promise<void> {
  await sql`
    select graphile_worker.add_job(${taskOfAccount(planningTask, account)}, json_build_object('joins', true),
                                   job_key := ${taskOfAccount(planningTask, account)} || ' beside ' || w.worker_id, max_attempts := 1)
    from   (select worker_id from ops.worker as w
            where  w.kind = 'worker' and w.account = ${account} and w.worker_id <> ${workerId}::bigint and ${isAlive(sql`w.worker_id`)}
            order  by worker_id limit ${most}) as w`.execute(db);
}

/** Runs of the schedule that are being planned, the oldest first. */
export async function runsInPlanning(
  db: Database,
  account: string,
): Promise<readonly { readonly runId: string; readonly asOf: Day }[]> {
  const { rows } = await sql<{ runId: string; asOf: Day }>`
    select r.run_id as "runId", r.as_of as "asOf"
    from   ops.run as r
    where  r.account = ${account} and r.run_id in (select run_id from ops.run_shard)
    order  by r.run_id`.execute(db);
  return rows;
}

/** The run that is being planned; null if its planning is over. */
export async function runInPlanning(
  db: Database,
  runId: string,
): Promise<{ readonly asOf: Day; readonly datasets: readonly string[] } | null> {
  const { rows } = await sql<{ asOf: Day; datasets: string[] }>`
    select as_of as "asOf", datasets from ops.run
    where  run_id = ${runId} and exists (select from ops.run_shard as s where s.run_id = ${runId})`.execute(db);
  return rows[0] ?? null;
}

/** Locks, until the transaction ends, the next shard that no other process has; null if there is none. */
export async function claimShard(transaction: Database, runId: string): Promise<RunShard | null> {
  const { rows } = await sql<RunShard>`
    select step, shard as number, shards as of from ops.run_shard
    where  run_id = ${runId} and planned_at is null
    order  by shard
    limit  1
    for    update skip locked`.execute(transaction);
  return rows[0] ?? null;
}

/**
 * Waits until the process that plans the first remaining shard has ended its transaction, either way. Returns false if no shard is left.
 * Not to be called in a transaction: it would keep the lock on the row, and could deadlock with a process that needs the row.
 */
export async function awaitShard(db: Database, runId: string): Promise<boolean> {
  const { rows } = await sql<Pick<RunShard, "step" | "number">>`
    select step, shard as number from ops.run_shard
    where  run_id = ${runId} and planned_at is null
    order  by shard
    limit  1`.execute(db);
  const [first] = rows;
  if (first === undefined) return false;
  await sql`
    select from ops.run_shard where run_id = ${runId} and step = ${first.step} and shard = ${first.number} for update`.execute(
    db,
  );
  return true;
}

/** The result of planning a shard. */
export type ShardPlanned = { readonly slices: number; readonly timings: readonly TimingLine[]; readonly now: number };

/**
 * Marks a shard as planned. If it was the last one of its step, returns how many slices the step planned; null if others are left. It locks
 * the run: if two shards end at once, the later one sees both.
 */
export async function endShard(
  transaction: Database,
  runId: string,
  { step, number, slices, timings, now }: Pick<RunShard, "step" | "number"> & ShardPlanned,
): Promise<number | null> {
  await sql`select from ops.run where run_id = ${runId} for no key update`.execute(transaction);
  await sql`
    update ops.run_shard
    set    planned_at = ${instant(now)}, planned_slices = planned_slices + ${slices}, timings = ${JSON.stringify(timings)}::jsonb
    where  run_id = ${runId} and step = ${step} and shard = ${number}`.execute(transaction);
  const { rows } = await sql<{ left: number; slices: number }>`
    select count(*) filter (where planned_at is null)::int as left, sum(planned_slices)::int as slices
    from   ops.run_shard where run_id = ${runId} and step = ${step}`.execute(transaction);
  const [sums] = rows;
  return sums === undefined || sums.left > 0 ? null : sums.slices;
}

/** Adds slices to a shard whose planning is not finished. */
export async function addToShard(
  transaction: Database,
  runId: string,
  { step, number, slices }: Pick<RunShard, "step" | "number"> & { readonly slices: number },
): Promise<void> {
  await sql`
    update ops.run_shard set planned_slices = planned_slices + ${slices}
    where  run_id = ${runId} and step = ${step} and shard = ${number}`.execute(transaction);
}

/** The steps of a run that have been planned, and the timings that their shards found. */
export async function readShardTimings(
  db: Database,
  runId: string,
): Promise<readonly { readonly step: PlanningStep; readonly timings: readonly TimingLine[] | null }[]> {
  const { rows } = await sql<{ step: PlanningStep; timings: TimingLine[] | null }>`
    select step, timings from ops.run_shard where run_id = ${runId} and step <> 'end' order by step, shard`.execute(db);
  return rows;
}

/** Closes a run whose planning is over, and deletes its shards. Returns how many slices they planned. */
export async function closePlanning(
  transaction: Database,
  runId: string,
  { outcome, now }: { readonly outcome: "planned" | "interrupted"; readonly now: number },
): Promise<number> {
  await closeRun(transaction, runId, outcome, { now });
  const { rows } = await sql<{ planned: number }>`
    delete from ops.run_shard where run_id = ${runId} returning planned_slices as planned`.execute(transaction);
  return sumBy(rows, ({ planned }) => planned);
}

/** Closes a run in the middle of its planning, unless another process plans a shard of it now or its planning is over. */
export async function leavePlanning(transaction: Database, runId: string, now: number): Promise<void> {
  const { rows } = await sql<{ locked: number; all: number }>`
    select (select count(*)::int from (select from ops.run_shard where run_id = ${runId} and planned_at is null for update skip locked) as s) as locked,
           (select count(*)::int from ops.run_shard where run_id = ${runId} and planned_at is null) as "all"`.execute(
    transaction,
  );
  const [{ locked, all } = { locked: 0, all: 0 }] = rows;
  if (all > 0 && locked === all) await closePlanning(transaction, runId, { outcome: "interrupted", now });
}
