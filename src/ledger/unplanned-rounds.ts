import { addDays, type Day } from "../core/day.ts";
import type { Database } from "../postgres/database.ts";
import { sql } from "../postgres/sql.ts";
import { hasSameScope } from "./same-scope.ts";
import { longestGapDays, plannedOn, refreshDays } from "./snapshot-rounds.ts";

/**
 * A day on which a snapshot was due and nobody planned it, the slice that was planned next, and which of the items of that: those that were
 * requested before. Null where it names no items.
 */
export type Unplanned = { readonly sliceId: string; readonly day: Day; readonly items: readonly string[] | null };

/** Items of a slice that were planned for `day` and for `before` last, and the days for which a snapshot stands. */
type Gap = Omit<Unplanned, "day"> & { readonly before: Day; readonly day: Day; readonly stands: number };

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
  const { rows } = await sql<Gap>`
    with planned as materialized (
      select s.slice_id, s.dataset, s.scope, coalesce(s.batch_id, 0) as list, ${plannedOn} as day, ${refreshDays} as stands,
             dense_rank() over (order by s.dataset, s.scope, ${plannedOn}) as place
      from   ops.slice as s
      join   ops.run   as r on r.run_id = s.run_id and r.kind in ('sync', 'schedule', 'retry')
      where  s.slice_id > ${after} and s.slice_id <= ${through} and s.class = 'snapshot' and s.state <> 'lost'
    ), listed as materialized (
      select p.place, o.list, max(o.window_start) as day
      from   (select distinct on (place) * from planned order by place) as p
      cross  join lateral (select coalesce(o.batch_id, 0) as list, o.window_start
                           from   ops.slice as o
                           where  ${hasSameScope("o", "p")} and o.window_end > p.day - ${longestGapDays}::integer and o.window_start < p.day
                           offset 0) as o -- a fence: the index on datasets would be read from end to end for each scope
      group  by p.place, o.list
    ), late as materialized (
      -- as a rule the same list was requested a round before, and its items need not be compared
      select p.* from planned as p
      where  not exists (select from listed as l where l.place = p.place and l.list = p.list and l.day + p.stands >= p.day)
    ), known as (
      select l.place, i.item, max(l.day) as day
      from   listed as l
      left   join ops.batch as b on b.batch_id = l.list
      cross  join lateral unnest(coalesce(b.items, array[''])) as i (item)
      where  l.place in (select place from late)
      group  by l.place, i.item
    ), wanted as (
      -- an item is in two lists of a day where an answer was refused and its list parted
      select distinct on (p.place, i.item) p.*, b.items is not null as has_items, i.item, i.number
      from   late as p
      left   join ops.batch as b on b.batch_id = p.list
      cross  join lateral unnest(coalesce(b.items, array[''])) with ordinality as i (item, number)
      order  by p.place, i.item, p.slice_id
    )
    select w.slice_id as "sliceId", k.day as before, w.day, w.stands, case when w.has_items then array_agg(w.item order by w.number) end as items
    from   wanted as w
    join   known as k on k.place = w.place and k.item = w.item
    where  k.day + w.stands < w.day
    group  by w.slice_id, k.day, w.day, w.stands, w.has_items`.execute(db);
  return rows.flatMap(({ sliceId, items, ...gap }) => dueDays(gap).map((day) => ({ sliceId, items, day })));
}

/** The days in a gap on which a snapshot was due and could not be requested any more on the day on which the next one was planned. */
function dueDays({ before, day, stands }: Pick<Gap, "before" | "day" | "stands">): readonly Day[] {
  const days: Day[] = [];
  for (let due = addDays(before, stands); addDays(due, stands) <= day; due = addDays(due, stands)) days.push(due);
  return days;
}
