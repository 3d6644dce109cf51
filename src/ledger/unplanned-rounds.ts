import { addDays, type Day } from "../core/day.ts";
import type { Window } from "../core/window.ts";
import type { Database } from "../postgres/database.ts";
import { sql } from "../postgres/sql.ts";
import { hasSameScope } from "./same-scope.ts";
import { longestGapDays, roundStart } from "./snapshot-rounds.ts";

/**
 * A day on which a snapshot was due and no run planned it. `sliceId` is the next slice that was planned, and `items` are those of its items
 * that had been requested before; null if it names none.
 */
export type Unplanned = { readonly sliceId: string; readonly day: Day; readonly items: readonly string[] | null };

/** The length of rounds in days; `earlierDays` for rounds that began before `since`. */
type RoundLengths = { readonly days: number; readonly since: Day | null; readonly earlierDays: number | null };

/** The first and the last day on which plannings found the dataset switched off, the last time that it was; null if none did. */
type OffDays = { readonly offFrom: Day | null; readonly offThrough: Day | null };

/** Items of a slice that was planned for `day`; `before` is the day of their previous snapshot. */
type Gap = Omit<Unplanned, "day"> & { readonly before: Day; readonly day: Day } & RoundLengths & OffDays;

/** Slices with numbers after one, through another. */
type SliceRange = { readonly after: string; readonly through: string };

/** The slices since the last run that noted lost days: a run that was killed while planning has noted none. */
export async function readUnnoted(db: Database): Promise<SliceRange> {
  const { rows } = await sql<SliceRange>`
    select coalesce((select max(noted_slice_id) from ops.run), 0) as after, coalesce((select max(slice_id) from ops.slice), 0) as through`.execute(
    db,
  );
  return rows[0] as SliceRange;
}

/**
 * Finds missed rounds: days on which snapshots were due before those that a sync or the schedule planned among these slices. It works item
 * by item, from the day of each item's previous snapshot.
 */
export async function findUnplanned(db: Database, { after, through }: SliceRange): Promise<readonly Unplanned[]> {
  if (after === through) return [];
  // the latest day on which the next snapshot was due after `l.day`
  const due = sql`case when l.day < p.since then least(l.day + p.earlier_days, greatest(l.day + p.days, p.since)) else l.day + p.days end`;
  const { rows } = await sql<Gap>`
    with planned as materialized (
      select s.slice_id, s.dataset, s.scope, coalesce(s.batch_id, 0) as list, ${roundStart} as day,
             coalesce(t.refresh_days, 1) as days, t.refresh_since as since, t.earlier_refresh_days as earlier_days, d.off_from, d.off_through
      from   ops.slice as s
      join   ops.run   as r on r.run_id = s.run_id and r.kind in ('sync', 'schedule', 'retry')
      left   join ops.dataset as d on d.dataset = s.dataset
      left   join lateral (select * from ops.dataset_timing as t
                           where  t.dataset = s.dataset and (t.is_default or t.scope = s.scope)
                           order  by t.is_default limit 1) as t on true
      where  s.slice_id > ${after} and s.slice_id <= ${through} and s.class = 'snapshot' and s.state <> 'lost'
    ), unsure as materialized (
      -- fast path for slices without items: an index entry shows the round before
      select p.*, dense_rank() over (order by p.dataset, p.scope, p.day) as place
      from   planned as p
      where  p.list > 0
      or     not exists (select from ops.slice as o
                         where  ${hasSameScope("o", "p")} and o.window_end > p.day - p.days and o.window_start < p.day and o.batch_id is null and o.state <> 'failed'
                         and    (p.since is null or o.window_start >= p.since)
                         offset 0)
    ), listed as materialized (
      select p.place, o.list, max(o.window_start) as day
      from   (select distinct on (place) * from unsure order by place) as p
      cross  join lateral (select coalesce(o.batch_id, 0) as list, o.window_start
                           from   ops.slice as o
                           -- failed ones do not count: of a round that is over the first one is lost by now
                           where  ${hasSameScope("o", "p")} and o.window_end > p.day - ${longestGapDays(sql`greatest(p.days, p.earlier_days)`)} and o.window_start < p.day and o.state <> 'failed'
                           offset 0) as o -- a barrier: else it would read the index by dataset from end to end for each scope
      group  by p.place, o.list
    ), late as materialized (
      -- fast path: the same list was requested a round before, so that its items need not be compared
      select p.* from unsure as p
      where  not exists (select from listed as l where l.place = p.place and l.list = p.list and ${due} >= p.day)
    ), known as (
      select i.place, i.item, max(i.day) as day
      from   (select l.place, l.day, unnest(coalesce(b.items, array[''])) as item
              from   listed as l left join ops.batch as b on b.batch_id = l.list
              where  l.place in (select place from late)) as i
      group  by i.place, i.item
    ), wanted as (
      -- an item is in two lists of one day after a refused list was split
      select distinct on (p.place, i.item) p.*, b.items is not null as has_items, i.item, i.number
      from   late as p
      left   join ops.batch as b on b.batch_id = p.list
      cross  join lateral unnest(coalesce(b.items, array[''])) with ordinality as i (item, number)
      order  by p.place, i.item, p.slice_id
    )
    select p.slice_id as "sliceId", l.day as before, p.day, p.days, p.since, p.earlier_days as "earlierDays",
           p.off_from as "offFrom", p.off_through as "offThrough", case when p.has_items then array_agg(p.item order by p.number) end as items
    from   wanted as p
    join   known as l on l.place = p.place and l.item = p.item
    where  ${due} < p.day
    group  by p.slice_id, l.day, p.day, p.days, p.since, p.earlier_days, p.off_from, p.off_through, p.has_items`.execute(
    db,
  );
  return rows.flatMap(({ sliceId, items, ...gap }) => dueDays(gap).map((day) => ({ sliceId, items, day })));
}

/**
 * The days in a gap on which a snapshot was due and whose round had ended by the day of the next one, without rounds in which the dataset
 * was switched off.
 */
function dueDays({ before, day, ...gap }: Omit<Gap, "sliceId" | "items">): readonly Day[] {
  const days: Day[] = [];
  for (let due = dueAfter(before, gap); due < day; due = dueAfter(due, gap)) {
    const end = addDays(due, roundDays(due, gap));
    if (end <= day && !isOff({ start: due, end }, { before, ...gap })) days.push(due);
  }
  return days;
}

/** True if the dataset was off for the whole round, and nobody requested it by name since it was switched off: then it was wanted. */
function isOff({ start, end }: Window, { before, offFrom, offThrough }: OffDays & Pick<Gap, "before">): boolean {
  if (offFrom === null || offThrough === null || before > offFrom) return false;
  return offFrom <= start && end <= addDays(offThrough, 1);
}

/** The day on which the next snapshot is due after that of a day. */
function dueAfter(day: Day, lengths: RoundLengths): Day {
  const { since, days } = lengths;
  const due = addDays(day, roundDays(day, lengths));
  if (since === null || day >= since || due < since) return due;
  const changed = addDays(day, days);
  return changed > since ? changed : since;
}

/** The length of the round that begins on a day. */
function roundDays(day: Day, { since, days, earlierDays }: RoundLengths): number {
  return since !== null && day < since ? (earlierDays ?? days) : days;
}
