import type { Day } from "../core/day.ts";
import type { PartitionGroup } from "../core/partition-group.ts";
import { reportedPrefix } from "../core/slice.ts";
import type { Window } from "../core/window.ts";
import { sql, type Queryable } from "../postgres/sql.ts";
import { hasSameScope } from "./same-scope.ts";

/** Cells of a day that nobody requested: an answer of another dataset, `source`, reported them. */
export type ReportedCells = PartitionGroup & { readonly source: string; readonly day: Day; readonly cells: number };

/** SQL: true for slices that an answer of another dataset filled, written like their index. */
const isReported = sql`s.fingerprint like ${sql.lit(`${reportedPrefix}%`)}`;

/** The cells of a dataset in some days whose figures were reported by other answers, by partition and day. */
export async function readReportedCells(
  db: Queryable,
  { dataset, within }: { readonly dataset: string; readonly within: Window },
): Promise<readonly ReportedCells[]> {
  const { rows } = await sql<ReportedCells>`
    select s.dataset, s.scope ->> 'store' as store, s.scope ->> 'app' as "trackId", s.scope ->> 'country' as country,
           substr(s.fingerprint, ${reportedPrefix.length + 1}::integer) as source, d.day::date as day, sum(own.count)::float8 as cells
    from   ops.slice_log as s
    left   join ops.slice_batch as b on b.batch_id = s.batch_id
    cross  join lateral generate_series(greatest(s.window_start, ${within.start}::date)::timestamp,
                                        least(s.window_end, ${within.end}::date) - 1, interval '1 day') as d (day)
    -- what was requested since is no longer as it was reported
    cross  join lateral (
      select array_agg(i.item) as items
      from   ops.slice_log as n
      left   join ops.slice_batch as nb on nb.batch_id = n.batch_id
      cross  join lateral unnest(coalesce(nb.items, array[''])) as i (item)
      where  ${hasSameScope("n", "s")} and n.window_end > d.day and n.window_start <= d.day and n.slice_id > s.slice_id
      and    n.state in ('loaded', 'empty')) as newer
    cross  join lateral (
      select count(*) as count from unnest(coalesce(b.items, array[''])) as i (item)
      where  newer.items is null or i.item <> all (newer.items)) as own
    where  ${isReported} and s.dataset = ${dataset} and s.state in ('loaded', 'empty') and s.as_of > s.window_start
    and    s.window_start < ${within.end}::date and s.window_end > ${within.start}::date
    group  by 1, 2, 3, 4, 5, 6
    having sum(own.count) > 0
    order  by 1, 2, 3, 4, 5, 6`.execute(db);
  return rows;
}
