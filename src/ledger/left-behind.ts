import type { Day } from "../core/day.ts";
import type { Scope } from "../core/slice.ts";
import type { Database } from "../postgres/database.ts";
import { sql } from "../postgres/sql.ts";
import { cancelFound, hasLanded } from "./cancel-slices.ts";
import { plannedOn } from "./snapshot-rounds.ts";
import { hasLivingWorker, isAlive } from "./workers.ts";

/** An unanswered slice: the day on which it was planned, and the day after its last day (null for a snapshot or a tail). */
export type LeftSlice = { readonly sliceId: string; readonly plannedOn: Day; readonly end: Day | null };

/** Unanswered slices of one partition and list. */
export type LeftBehind = {
  readonly dataset: string;
  readonly scope: Scope;
  readonly items: readonly string[] | null;
  readonly slices: readonly LeftSlice[];
};

/**
 * Which slices are read: those of an account and these datasets (all if left out). `isWorker`: also those of the shared queue, which are
 * otherwise left to the workers while one is alive.
 */
export type LeftBehindOf = {
  readonly account: string;
  readonly datasets?: readonly string[];
  readonly isWorker: boolean;
};

/**
 * Unanswered slices of an account that wait or failed and that no living foreground process has, except those of a plan and those of a
 * person's retry.
 */
export async function readLeftBehind(
  db: Database,
  { account, datasets, isWorker }: LeftBehindOf,
): Promise<readonly LeftBehind[]> {
  const isNamed = datasets === undefined ? sql`true` : sql`s.dataset = any (${[...datasets]}::text[])`;
  const isFree = sql`case when r.worker_id is not null then not ${isAlive(sql`r.worker_id`)} else ${isWorker} or not ${hasLivingWorker} end`;
  if (!(await hasUnanswered(db))) return [];
  const { rows } = await sql<LeftBehind>`
    with unanswered as materialized (
      select slice_id from ops.slice as s
      where  state in ('pending', 'deferred') and plan_id is null and ${isNamed}
      union  all
      select slice_id from ops.failed_slice as s where plan_id is null and ${isNamed}
    ), grouped as (
      select s.dataset, s.scope, s.batch_id, jsonb_agg(jsonb_build_object(
               'sliceId', s.slice_id::text, 'plannedOn', ${plannedOn},
               -- the rest of an answer is planned with it, however late it comes
               'end', case when s.class <> 'snapshot' and s.tail_of is null then s.window_end end)) as slices
      from   unanswered
      join   ops.slice as s using (slice_id)
      join   ops.run   as r using (run_id)
      where  r.account = ${account} and ${isFree} and not ${hasLanded}
      and    (s.state = 'failed' or r.kind in ('schedule', 'sync') or r.kind = 'retry' and r.worker_id is null)
      group  by s.dataset, s.scope, s.batch_id
    )
    select g.dataset, g.scope, g.slices, b.items from grouped as g left join ops.batch as b on b.batch_id = g.batch_id`.execute(
    db,
  );
  return rows;
}

/**
 * True if any slice waits or failed: most commands find none at their start. In the order of the partial indexes, so that their first entries
 * are enough, and in one statement, which sees also a slice that is being queued again.
 */
async function hasUnanswered(db: Database): Promise<boolean> {
  const { rows } = await sql`
    (select from ops.slice where state in ('pending', 'deferred') order by dataset limit 1)
    union  all
    (select from ops.slice where state = 'failed' order by dataset limit 1)`.execute(db);
  return rows.length > 0;
}

/**
 * Cancels slices of partitions that are no longer in the portfolio: if these return, their cells count as not requested. Slices with stored
 * pages stay: they are paid for, and `replay` may read them. Returns how many were cancelled.
 */
export function cancelLeftBehind(db: Database, sliceIds: readonly string[]): Promise<number> {
  return cancelFound(
    db,
    sql`
      select s.slice_id from ops.slice as s
      where  s.slice_id = any (${[...sliceIds]}::bigint[]) and s.state in ('pending', 'deferred', 'failed') and not ${hasLanded}`,
  );
}
