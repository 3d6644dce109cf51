import type { Day } from "../core/day.ts";
import type { Scope } from "../core/slice.ts";
import { tryLockUntilCommit } from "../postgres/advisory-lock.ts";
import type { Database } from "../postgres/database.ts";
import { sql } from "../postgres/sql.ts";
import { isOpen } from "./open-slices.ts";
import { isFinalSlice, packedColumns, wantedScopes } from "./packed-slices.ts";
import { hashOfScope } from "./same-scope.ts";

/*
 * ops.slice_past is a cache of old slices, one row per partition and list, in the format of packed-slices.ts: after two years nearly all
 * that a plan reads are old slices, and they seldom change.
 *   - Triggers of ops.slice delete the rows of a partition when one of its old slices is added, changed or deleted (by a replay, backfill or
 *     retry). Plans then read the slices themselves, until the rows are rebuilt.
 *   - Each night rebuilds the rows of a part of the partitions.
 *   - Triggers and rebuild take the same lock, so that a rebuild misses no concurrent change.
 *   - Open slices are never in it.
 */

/**
 * The rows of a partition are rebuilt once in this many nights. A prime, so that a weekly or monthly crontab does not always meet the same
 * partitions.
 */
export const everyNights = 11;

/** A partition with at most this many old slices gets no row: reading them costs nothing. */
const fewSlices = 20;

/** Partitions of a dataset; slices that were planned `finalDays` after their last day are final. */
export type PastWanted = {
  readonly dataset: string;
  readonly scopes: readonly Scope[];
  readonly finalDays: number;
  readonly today: Day;
};

/** Rebuilds the rows of the partitions whose turn it is. Does nothing while another process holds the lock. */
export async function sumUpPast(db: Database, wanted: PastWanted): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    if (await tryLockUntilCommit(transaction, "past slices")) await sumUp(transaction, wanted);
  });
}

/** A separate statement, so that after the lock it sees all that was committed before. */
async function sumUp(transaction: Database, { dataset, scopes, finalDays, today }: PastWanted): Promise<void> {
  const end = sql`(${today}::date - ${finalDays}::integer)`;
  await sql`
    with wanted as materialized (${wantedScopes(scopes)}),
    due as materialized (
      select w.*
      from   wanted as w
      left   join lateral (select until_day, final_days from ops.slice_past as p
                           where  p.scope_hash = w.hash and p.dataset = ${dataset} and p.scope = w.scope limit 1) as p on true
      where  (w.hash % ${everyNights}::integer + (${today}::date - date '1970-01-01')) % ${everyNights}::integer = 0
      and    (p.until_day is null or p.until_day < ${end} or p.final_days < ${finalDays}::integer)
    ), read as (
      select w.place, w.scope as wanted_scope, w.hash, s.*,
             least(${end}, min(s.window_start) filter (where ${isOpen()}) over (partition by w.place)) as until_day
      from   due as w
      cross  join lateral (select *, ${isFinalSlice(finalDays)} as is_final
                           from   ops.slice as s
                           where  ${hashOfScope(sql`s.scope`)} = w.hash and s.dataset = ${dataset} and s.window_end > '-infinity'
                           offset 0) as s -- a barrier: compares scopes only of slices that the index finds
      where  s.scope = w.scope
    ), past as (
      select *, count(*) over (partition by place) as slices,
             range_agg(daterange(window_start, window_end)) filter (where is_final) over (partition by place, batch_id, operation, fingerprint) as final_window
      from   read
      where  window_end <= until_day
    ), gone as (
      delete from ops.slice_past as p using due as w where p.scope_hash = w.hash and p.dataset = ${dataset} and p.scope = w.scope
    )
    insert into ops.slice_past (dataset, scope, scope_hash, until_day, final_days, batch_id, operation, fingerprint,
                                slice_ids, starts, ends, planned, kinds, final_window, final_as_of)
    select ${dataset}, s.wanted_scope, s.hash, s.until_day, ${finalDays}, s.batch_id, s.operation, s.fingerprint, ${packedColumns}
    from   past as s
    where  s.slices > ${fewSlices}
    -- final days stay final, also where an earlier slice has another outcome
    and    (s.is_final or s.state not in ('loaded', 'empty') or not coalesce(s.final_window @> daterange(s.window_start, s.window_end), false))
    group  by s.place, s.wanted_scope, s.hash, s.until_day, s.batch_id, s.operation, s.fingerprint`.execute(
    transaction,
  );
}
