import type { Day } from "../core/day.ts";
import type { Database } from "../postgres/database.ts";
import { sql } from "../postgres/sql.ts";
import { cellsStillLost } from "./lost-days.ts";
import { hasSameScope } from "./same-scope.ts";

/**
 * How far a dataset is complete: `completeTo` is the last day up to which each app and country that is due has answers without a gap in the
 * last `gapDays` days.
 */
export type CompleteDays = {
  readonly dataset: string;
  /** Null if one of them has no answer yet, waits for days before its first answer, or has a gap that began earlier and lasts into these days. */
  readonly completeTo: Day | null;
  /** If all of them have answers and it is complete to no day: the first of these days with a gap. Earlier days may be missing too. */
  readonly incompleteSince: Day | null;
  /** How many apps and countries have something due. */
  readonly places: number;
  /** How many of them have no answer for their due day. */
  readonly behind: number;
  /** The newest answered day of an app and country that has a gap before that day; null without gaps. */
  readonly newestPastGap: Day | null;
  /** Failed slices whose cells no newer slice has answered. */
  readonly failed: number;
};

/** Gaps are searched for this many days back; the page Coverage shows older ones. */
const gapDays = 30;

/** SQL: the first day in which gaps are searched. */
const firstSearched = sql`(ops.today() - ${gapDays}::integer)`;

/**
 * SQL: per scope and list the ranges of the last `gapDays` days that were requested, that were answered, and that failed, are lost or are
 * open.
 */
const listDays = sql`
  select s.dataset, s.scope, max(s.request_from) filter (where s.kind <> 'snapshot') as request_from, range_agg(d.days) as requested,
         range_agg(d.days) filter (where s.state in ('loaded', 'empty', 'skipped')) as answered,
         range_agg(d.days) filter (where s.state in ('pending', 'running', 'deferred')) as open,
         range_agg(d.days) filter (where s.state in ('pending', 'running', 'deferred')
                                   or s.state = 'lost' and ${cellsStillLost} > 0
                                   or s.state = 'failed' and s.slice_id in (select f.slice_id from ops.failed_slice as f)) as unanswered
  from   ops.slice_finality as s
  cross  join lateral (select daterange(greatest(s.window_start, ${firstSearched}), s.window_end) as days) as d
  where  s.window_end > ${firstSearched}
  group  by s.dataset, s.scope, s.batch_id`;

/**
 * SQL: the first gap of each dataset, app and country: a day that failed, is lost or is open without an answer, or a day between requested
 * ones that was not requested (for snapshots such days are lost slices). `before` is the day before it; null if nothing was answered
 * before, as in a first sync, which fetches the newest days first.
 */
const firstGaps = sql`
  with scope as (
    select dataset, scope, max(request_from) as request_from, min(lower(unanswered - coalesce(answered, '{}'))) as unanswered_day,
           range_agg(requested) as requested, range_agg(open) as open, min(lower(requested)) as first_day, max(upper(answered)) as answered_end
    from   (${listDays}) as list
    group  by dataset, scope
  )
  select s.dataset, s.scope ->> 'store' as store, s.scope ->> 'app' as track_id, s.scope ->> 'country' as country_code,
         min(g.day) as gap_day, case when bool_and(not coalesce(s.open @> g.day, false) or exists (
           select from ops.slice_finality as o
           where  ${hasSameScope("o", "s")}
           and    o.window_start < g.day and o.state in ('loaded', 'empty', 'skipped'))) then min(g.day) - 1 end as before
  from   scope as s
  -- a case: Postgres may evaluate a where condition after the range, which fails for an inverted one
  cross  join lateral (
    select case when s.request_from is not null and s.first_day < s.answered_end
                then lower(datemultirange(daterange(s.first_day, s.answered_end)) - s.requested) end as missing_day) as m
  cross  join lateral (select least(s.unanswered_day, m.missing_day) as day) as g
  where  g.day is not null
  group  by 1, 2, 3, 4`;

/** Reads how far datasets are complete, from ops.freshness, which analysts see. Datasets with nothing due are left out. */
export async function readCompleteDays(db: Database): Promise<readonly CompleteDays[]> {
  const { rows } = await sql<CompleteDays>`
    with gap as materialized (${firstGaps})
    select f.dataset,
           case when bool_and(c.is_answered and c.is_complete) then min(least(p.newest_day, g.before)) end as "completeTo",
           case when bool_and(c.is_answered) and not bool_and(c.is_complete) then min(g.gap_day) end as "incompleteSince",
           count(*)::int as places, count(*) filter (where f.freshness_state in ('late', 'stopped'))::int as behind,
           max(p.newest_day) filter (where g.gap_day <= p.newest_day) as "newestPastGap", coalesce(max(x.slices), 0) as failed
    from   (select *, max(newest_day) filter (where due_day is null) over (partition by dataset, store) as newest_undue from ops.freshness) as f
    -- a late place may have loaded some lists of its due day. Where no day is due its answer is about the newest one of all, with or without rows
    cross  join lateral (select f.freshness_state = 'on time' and f.due_day is null as is_of_newest) as u
    cross  join lateral (
      select u.is_of_newest, case when f.freshness_state = 'late' and f.newest_day is not null then least(f.newest_day, f.due_day - 1)
                                  when u.is_of_newest then f.newest_undue else f.newest_day end as newest_day) as p
    cross  join lateral (
      select min(gap.gap_day) as gap_day, case when bool_and(gap.before is not null) then min(gap.before) end as before
      from   gap
      where  gap.dataset = f.dataset and gap.store is not distinct from f.store
      -- calls about many apps or countries say so in their items
      and    coalesce(gap.track_id = f.track_id, gap.track_id is null) and coalesce(gap.country_code = f.country_code, gap.country_code is null)) as g
    -- a gap on the first day of the search may have begun before it: then the day before it is no better known
    cross  join lateral (
      select p.newest_day is not null or p.is_of_newest as is_answered,
             g.gap_day is null or g.before is not null and (g.gap_day = ${firstSearched} and p.newest_day >= g.gap_day) is not true as is_complete) as c
    left   join (select dataset, count(*)::int as slices from ops.failed_slice group by dataset) as x on x.dataset = f.dataset
    where  f.freshness_state <> 'nothing due'
    group  by f.dataset
    order  by f.dataset`.execute(db);
  return rows;
}
