import { addDays, type Day } from "../core/day.ts";
import type { Database } from "../postgres/database.ts";
import { sql } from "../postgres/sql.ts";
import { hasSameScope } from "./same-scope.ts";
import { longestGapDays, plannedOn } from "./snapshot-rounds.ts";

/**
 * A day on which a snapshot was due and nobody planned it, the slice that was planned next, and which of the items of that: those that were
 * requested before. Null where it names no items.
 */
export type Unplanned = { readonly sliceId: string; readonly day: Day; readonly items: readonly string[] | null };

/** For how many days the snapshot of a day stands: other settings held for those of days before `since`. */
type Rhythm = { readonly days: number; readonly since: Day | null; readonly earlierDays: number | null };

/** Items of a slice that was planned for `day`, and the day for which they were planned last. */
type Gap = Omit<Unplanned, "day"> & { readonly before: Day; readonly day: Day } & Rhythm;

/** Slices after one number, through another. */
type SliceRange = { readonly after: string; readonly through: string };

/** The slices that came since lost days were noted last, by whichever run: one that is stopped or killed while it plans has noted none. */
export async function readUnnoted(db: Database): Promise<SliceRange> {
  const { rows } = await sql<SliceRange>`
    select coalesce((select max(noted_slice_id) from ops.run), 0) as after, coalesce((select max(slice_id) from ops.slice), 0) as through`.execute(
    db,
  );
  return rows[0] as SliceRange;
}

/**
 * Finds the days on which snapshots were due before those that a sync or the schedule has planned among these slices, item by item: each counts
 * from the day for which it was planned last.
 */
export async function findUnplanned(db: Database, { after, through }: SliceRange): Promise<readonly Unplanned[]> {
  // when the next one was due after that of a day of the list or item `l`, or earlier
  const due = sql`case when l.day < p.since then least(l.day + p.earlier_days, greatest(l.day + p.days, p.since)) else l.day + p.days end`;
  const { rows } = await sql<Gap>`
    with planned as materialized (
      select s.slice_id, s.dataset, s.scope, coalesce(s.batch_id, 0) as list, ${plannedOn} as day,
             coalesce(t.refresh_days, 1) as days, t.refresh_since as since, t.earlier_refresh_days as earlier_days
      from   ops.slice as s
      join   ops.run   as r on r.run_id = s.run_id and r.kind in ('sync', 'schedule', 'retry')
      left   join lateral (select * from ops.dataset_timing as t
                           where  t.dataset = s.dataset and (t.is_default or t.scope = s.scope)
                           order  by t.is_default limit 1) as t on true
      where  s.slice_id > ${after} and s.slice_id <= ${through} and s.class = 'snapshot' and s.state <> 'lost'
    ), unsure as materialized (
      -- as a rule one that names no items was requested a round before: then one index entry says so
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
                           -- a round begins with the first one that failed, which is lost by now, if it is over
                           where  ${hasSameScope("o", "p")} and o.window_end > p.day - ${longestGapDays(sql`greatest(p.days, p.earlier_days)`)} and o.window_start < p.day and o.state <> 'failed'
                           offset 0) as o -- a fence: the index on datasets would be read from end to end for each scope
      group  by p.place, o.list
    ), late as materialized (
      -- as a rule the same list was requested a round before, and its items need not be compared
      select p.* from unsure as p
      where  not exists (select from listed as l where l.place = p.place and l.list = p.list and ${due} >= p.day)
    ), known as (
      select i.place, i.item, max(i.day) as day
      from   (select l.place, l.day, unnest(coalesce(b.items, array[''])) as item
              from   listed as l left join ops.batch as b on b.batch_id = l.list
              where  l.place in (select place from late)) as i
      group  by i.place, i.item
    ), wanted as (
      -- an item is in two lists of a day where an answer was refused and its list parted
      select distinct on (p.place, i.item) p.*, b.items is not null as has_items, i.item, i.number
      from   late as p
      left   join ops.batch as b on b.batch_id = p.list
      cross  join lateral unnest(coalesce(b.items, array[''])) with ordinality as i (item, number)
      order  by p.place, i.item, p.slice_id
    )
    select p.slice_id as "sliceId", l.day as before, p.day, p.days, p.since, p.earlier_days as "earlierDays",
           case when p.has_items then array_agg(p.item order by p.number) end as items
    from   wanted as p
    join   known as l on l.place = p.place and l.item = p.item
    where  ${due} < p.day
    group  by p.slice_id, l.day, p.day, p.days, p.since, p.earlier_days, p.has_items`.execute(db);
  return rows.flatMap(({ sliceId, items, ...gap }) => dueDays(gap).map((day) => ({ sliceId, items, day })));
}

/** The days in a gap on which a snapshot was due that could not be requested any more on the day for which the next one was planned. */
function dueDays({ before, day, ...rhythm }: Pick<Gap, "before" | "day"> & Rhythm): readonly Day[] {
  const days: Day[] = [];
  for (let due = dueAfter(before, rhythm); due < day; due = dueAfter(due, rhythm))
    if (addDays(due, standsFrom(due, rhythm)) <= day) days.push(due);
  return days;
}

/** The day on which the next snapshot is due after the one of a day. */
function dueAfter(day: Day, rhythm: Rhythm): Day {
  const { since, days } = rhythm;
  const due = addDays(day, standsFrom(day, rhythm));
  if (since === null || day >= since || due < since) return due;
  const changed = addDays(day, days);
  return changed > since ? changed : since;
}

function standsFrom(day: Day, { since, days, earlierDays }: Rhythm): number {
  return since !== null && day < since ? (earlierDays ?? days) : days;
}
