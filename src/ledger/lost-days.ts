import { instant, sql, type SqlFragment } from "../postgres/sql.ts";
import { batchNumbers } from "./batches.ts";
import { dayMs, type Day } from "../core/day.ts";
import { neverRequested, type Slice } from "../core/slice.ts";
import { oneDay } from "../core/window.ts";
import type { Database } from "../postgres/database.ts";
import { hasSameList, hasSameScope } from "./same-scope.ts";
import { lostOn, refreshDays, refreshDaysOn } from "./snapshot-rounds.ts";
import { queueAdditional } from "./tails.ts";
import { findUnplanned, readUnnoted, type Unplanned } from "./unplanned-rounds.ts";

/*
 * A lost snapshot is a slice in the state `lost`: it failed or was deferred until its round ended, or no run planned it, for instance
 * because no worker ran.
 */

/**
 * SQL: true if each item of the snapshot `ops.slice as s` is in some slice `o` of its scope, in any list, that meets one of these
 * conditions. One subquery per condition, so that each uses the index by days.
 */
function isCovered(...conditions: readonly SqlFragment[]): SqlFragment<boolean> {
  const found = conditions.map(
    (condition) => sql`
    except
    select unnest(coalesce(b.items, array['']))
    from   ops.slice as o
    left   join ops.batch as b on b.batch_id = o.batch_id
    where  ${hasSameScope("o", "s")} and ${condition}`,
  );
  return sql<boolean>`not exists (
    select unnest(coalesce((select b.items from ops.batch as b where b.batch_id = s.batch_id), array['']))
    ${sql.join(found, sql` `)})`;
}

/** SQL: true for a slice `o` that answered the round of a day. */
function hasAnswered(day: SqlFragment): SqlFragment<boolean> {
  return sql<boolean>`o.window_end > ${day} and o.window_end <= ${day} + ${refreshDaysOn(day)} and o.state in ('loaded', 'empty', 'skipped')`;
}

/** SQL: true for a lost slice `o` whose round contains the day. */
function isLostAround(day: SqlFragment): SqlFragment<boolean> {
  return sql<boolean>`o.window_end > ${day} + 1 - ${refreshDaysOn(day)} and o.window_end <= ${day} and o.state = 'lost'`;
}

/** SQL: inserts slices of lost days; to be followed by `selectLost`. */
const insertLost = sql`
  insert into ops.slice (dataset, operation, scope, batch_id, window_start, window_end, as_of, fingerprint, class, state,
                         planned_requests, planned_credits, run_id, created_at, ended_at)`;

function selectLost(day: SqlFragment, now: number, batch: SqlFragment = sql`s.batch_id`): SqlFragment {
  const at = instant(now);
  return sql`
    select s.dataset, s.operation, s.scope, ${batch}, ${day}, ${day} + 1, ${day}, ${neverRequested}, s.class, 'lost',
           0, 0, s.run_id, ${at}, ${at}`;
}

/** SQL: true for a snapshot `ops.slice as s` that can still be requested on the day after an instant (epoch-ms). */
export function canWait(now: number): SqlFragment<boolean> {
  return sql<boolean>`(s.class = 'snapshot' and ${lostOn} > (${instant(now)} at time zone 'UTC')::date + 1)`;
}

/** When (epoch-ms) the day that a slice was planned for is lost for good; null if its days can be requested later. */
export async function readLostAt(db: Database, sliceId: string): Promise<number | null> {
  const { rows } = await sql<{ lostAt: Date }>`
    select ${lostOn}::timestamp at time zone 'UTC' as "lostAt"
    from   ops.slice as s
    where  s.slice_id = ${sliceId} and s.class = 'snapshot'`.execute(db);
  return rows[0]?.lostAt.getTime() ?? null;
}

/**
 * Notes the rounds that a snapshot slice missed while it waited from `day` until `today`. `isStored`: its answer was requested on `day`, so the
 * first round is not lost.
 */
export async function noteMoved(
  db: Database,
  {
    sliceId,
    day,
    today,
    now,
    isStored = false,
  }: {
    readonly sliceId: string;
    readonly day: Day;
    readonly today: Day;
    readonly now: number;
    readonly isStored?: boolean;
  },
): Promise<void> {
  const lost = sql`due.day::date`;
  await sql`
    ${insertLost} ${selectLost(lost, now)}
    from   ops.slice as s
    cross  join lateral (select ${refreshDaysOn(sql`${day}::date`)} as days) as round
    cross  join lateral generate_series((${day}::date + case when ${isStored} then round.days else 0 end)::timestamp, ${today}::date - round.days,
                                        make_interval(days => round.days)) as due (day)
    where  s.slice_id = ${sliceId} and not ${isCovered(hasAnswered(lost))}
    -- an attempt that was killed may have noted them
    and    not exists (select from ops.slice as o
                       where  ${hasSameList("o", "s")} and o.window_start = ${lost} and o.state = 'lost')`.execute(db);
}

/** Queues the snapshot of `today` in addition to one whose round has ended, unless a later one covers today. */
export async function queueToday(
  db: Database,
  slice: Slice,
  { today, now }: { readonly today: Day; readonly now: number },
): Promise<void> {
  const { rows } = await sql`
    select from ops.slice as s
    where  s.slice_id = ${slice.sliceId} and s.window_start + ${refreshDaysOn(sql`s.window_start`)} <= ${today}::date
    and    not exists (select from ops.slice as o
                       where  ${hasSameList("o", "s")} and o.window_end > s.window_end and o.window_start + ${refreshDays} > ${today}::date)`.execute(
    db,
  );
  if (rows.length > 0) await queueAdditional(db, slice, { ...slice, window: oneDay(today), asOf: today }, now);
}

/**
 * Notes lost days after planning: failed snapshots whose round has ended become lost, and rounds that no run planned become slices in the
 * state `lost`. Returns how many. To be called under the planning lock.
 */
export async function noteLostDays(
  db: Database,
  { runId, today, now }: { readonly runId: string; readonly today: Day; readonly now: number },
): Promise<number> {
  const failed = await noteFailed(db, { today, now });
  const unnoted = await readUnnoted(db);
  const unplanned = await insertUnplanned(db, await findUnplanned(db, unnoted), now);
  await sql`update ops.run set noted_slice_id = ${unnoted.through} where run_id = ${runId}`.execute(db);
  return failed + unplanned;
}

/**
 * Makes failed snapshots lost whose round has ended: only the first one of each round, later ones stay failed. Oldest first, since each
 * round begins where the one before it ends.
 */
async function noteFailed(
  db: Database,
  { today, now }: { readonly today: Day; readonly now: number },
): Promise<number> {
  // most nights have none, and the statement below takes longer to plan than this one to run
  const { rows: failed } = await sql`
    select from ops.slice where state = 'failed' and class = 'snapshot' order by dataset limit 1`.execute(db);
  if (failed.length === 0) return 0;
  const day = sql`s.window_start`;
  let noted = 0;
  for (;;) {
    const { rows } = await sql<{ found: number; noted: number }>`
      with found as materialized (
        select s.slice_id, rank() over (partition by s.dataset, s.scope order by ${day}) as place
        from   ops.slice as s
        where  s.state = 'failed' and s.class = 'snapshot' and ${day} + ${refreshDaysOn(day)} <= ${today}::date
        and    not ${isCovered(hasAnswered(day), isLostAround(day))}
      ), noted as (
        update ops.slice as s set state = 'lost', due_at = null, ended_at = ${instant(now)}
        from   found where found.slice_id = s.slice_id and found.place = 1
        returning s.slice_id
      )
      select (select count(*)::int from found) as found, (select count(*)::int from noted) as noted`.execute(db);
    const [counts = { found: 0, noted: 0 }] = rows;
    noted += counts.noted;
    if (counts.found === counts.noted) return noted;
  }
}

/** Inserts a lost slice for each day and list of items that no run planned. Returns how many. */
async function insertUnplanned(db: Database, unplanned: readonly Unplanned[], now: number): Promise<number> {
  if (unplanned.length === 0) return 0;
  const lists = [...new Set(unplanned.flatMap(({ items }) => (items === null ? [] : [items])))];
  const numbers = await batchNumbers(db, lists);
  const batchOf = new Map(lists.map((items, index) => [items, numbers[index] ?? null]));
  const { rows } = await sql`
    ${insertLost} ${selectLost(sql`due.day`, now, sql`due.batch_id`)}
    from   unnest(${unplanned.map(({ sliceId }) => sliceId)}::bigint[], ${unplanned.map(({ day }) => day)}::date[],
                  ${unplanned.map(({ items }) => (items === null ? null : batchOf.get(items)))}::bigint[]) as due (slice_id, day, batch_id)
    join   ops.slice as s on s.slice_id = due.slice_id
    where  not exists (select from ops.slice as o
                       where  ${hasSameScope("o", "s")} and o.batch_id is not distinct from due.batch_id and o.window_start = due.day)
    returning slice_id`.execute(db);
  return rows.length;
}

/** The lost cells of a dataset on a day, and when the first of them was noted. */
export type LostDay = { readonly dataset: string; readonly day: Day; readonly cells: number; readonly notedAt: Date };

/** SQL: the items of the slice with this alias; null if it names none. */
function itemsIn(slice: "o" | "s"): SqlFragment {
  return sql`(select b.items from ops.slice_batch as b where b.batch_id = ${sql.ref(`${slice}.batch_id`)})`;
}

const newerThanLost = sql`
  from   ops.slice_log as o
  where  ${hasSameScope("o", "s")} and o.window_end = s.window_end and o.window_start = s.window_start and o.slice_id > s.slice_id`;

/**
 * SQL: how many cells of a lost slice `s` are still lost, because no newer slice is about them: answers may be imported later, or reported
 * by another dataset.
 */
export const cellsStillLost = sql<number>`(
  select case when not exists (select ${newerThanLost}) then coalesce(cardinality(${itemsIn("s")}), 1)
              else (select count(*) from (select unnest(coalesce(${itemsIn("s")}, array['']))
                                          except
                                          select unnest(coalesce(${itemsIn("o")}, array[''])) ${newerThanLost}) as c) end)`;

/** Lost days by dataset, the newest first. */
export async function readLostDays(db: Database): Promise<readonly LostDay[]> {
  const { rows } = await sql<LostDay>`
    select s.dataset, s.window_start as day, sum(c.cells)::int as cells, min(s.ended_at) as "notedAt"
    from   ops.slice_log as s
    cross  join lateral (select ${cellsStillLost} as cells offset 0) as c -- a barrier: else it would be evaluated twice
    where  s.state = 'lost' and c.cells > 0
    group  by s.dataset, s.window_start
    order  by s.window_start desc, s.dataset`.execute(db);
  return rows;
}

/** A lost day counts as new for this long after it was noted. */
const newlyLostMs = dayMs;

/** The lost days that were noted within a day before `now` (epoch-ms). */
export function newlyLost(lost: readonly LostDay[], now: number): readonly LostDay[] {
  return lost.filter(({ notedAt }) => notedAt.getTime() > now - newlyLostMs);
}
