import type { Day } from "../core/day.ts";
import type { Window } from "../core/window.ts";
import { sql, type Queryable } from "../postgres/sql.ts";

/** The first day of a dataset that a sync requests, and the first one of which rows are kept; null where all are. */
export type RequestedFrom = { readonly dataset: string; readonly from: Day; readonly keptFrom: Day | null };

/** Days of a dataset of which nothing was ever requested. */
export type UnrequestedDays = { readonly dataset: string; readonly window: Window };

/**
 * Stretches of days before those that a sync requests of which nothing of the dataset was ever requested, although syncs requested days
 * before and after them: as where nothing ran for longer than a sync reaches back. Where history begins a plan of a person says nothing.
 */
export async function readUnrequestedDays(
  db: Queryable,
  reaches: readonly RequestedFrom[],
): Promise<readonly UnrequestedDays[]> {
  const { rows } = await sql<{ dataset: string; start: Day; end: Day }>`
    with reach as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(reaches)}::jsonb) as r (dataset text, "from" date, "keptFrom" date)
    ), windows as (
      -- few are different: the apps of a night have the same
      select s.dataset, s.window_start, s.window_end, bool_or(s.plan_id is null) as is_of_sync
      from   ops.slice_log as s
      where  s.dataset in (select dataset from reach) and s.state <> 'lost'
      group  by 1, 2, 3
    ), requested as (
      select dataset, min(window_start) filter (where is_of_sync) as first_day, range_agg(daterange(window_start, window_end)) as days
      from   windows
      group  by dataset
    ), missing as (
      select r.dataset, unnest(case when greatest(q.first_day, r."keptFrom") < r."from"
                                    then datemultirange(daterange(greatest(q.first_day, r."keptFrom"), r."from")) - q.days end) as days
      from   requested as q
      join   reach     as r using (dataset)
      where  q.first_day is not null
    )
    select dataset, lower(days) as start, upper(days) as end from missing order by 1, 2`.execute(db);
  return rows.map(({ dataset, start, end }) => ({ dataset, window: { start, end } }));
}
