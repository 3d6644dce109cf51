import type { Database } from "../postgres/database.ts";
import { instant, sql } from "../postgres/sql.ts";
import { onceDays } from "../core/timing.ts";
import { awaitsReplay, isOpen } from "./open-slices.ts";
import { longestGapDays, refreshDays } from "./snapshot-rounds.ts";

/** Cells of a dataset whose snapshot is not answered yet, from when it could be requested, and when it is lost. */
export type DayAtRisk = {
  readonly dataset: string;
  readonly cells: number;
  readonly since: Date;
  readonly lostAt: Date;
};

/** A snapshot is at risk after this share of the time in which it can be requested. */
const riskShare = 2 / 3;

/**
 * Snapshots that can be requested only for the last third of their time: those that failed or wait, from the first one in their round, and
 * those that are due but that no run has planned, for the scopes in the last round of their dataset. `now` in epoch-ms; the clock of the
 * database if left out.
 */
export async function readDaysAtRisk(db: Database, now: number | null = null): Promise<readonly DayAtRisk[]> {
  const at = now === null ? sql`now()` : instant(now);
  const today = sql`(${at} at time zone 'UTC')::date`;
  const { rows } = await sql<DayAtRisk>`
    with used as materialized (
      select d.dataset, t.days,
             (select max(s.window_start) from ops.slice as s
              where  s.dataset = d.dataset and s.class = 'snapshot' and s.window_start > ${today} - ${longestGapDays(sql`t.days`)}) as last_round
      from   ops.dataset as d
      join   (select t.dataset, max(t.refresh_days) as days from ops.dataset_timing as t where t.refresh_days < ${onceDays}::integer group by t.dataset) as t
             on t.dataset = d.dataset
      where  d.is_on or not d.is_switched_off and exists (select from ops.next_run as r where d.dataset = any (r.datasets))
    ), list as (
      select s.dataset, s.scope, s.batch_id, u.last_round, max(s.window_start) as newest_day,
             max(s.window_start) filter (where s.state = 'lost') as lost_day,
             max(s.window_start) filter (where s.state in ('loaded', 'empty', 'skipped')) as answered_day,
             max(s.window_start) filter (where s.state = 'failed' or ${isOpen()} and not ${awaitsReplay}) as unanswered_day,
             array_agg(s.window_start) filter (where s.state = 'failed') as failed_days
      from   used as u
      -- those of the last round, and of the one before it those that failed until then
      cross  join lateral (select * from ops.slice as s
                           where  s.dataset = u.dataset and s.class = 'snapshot' and s.window_start > u.last_round - 2 * u.days
                           offset 0) as s -- a barrier: the whole ledger would be read by dataset
      group  by s.dataset, s.scope, s.batch_id, u.last_round
    ), round as (
      select s.*, t.days,
             (s.unanswered_day = s.newest_day and s.answered_day is distinct from s.newest_day) is true as is_unanswered
      from   list as s
      cross  join lateral (select ${refreshDays} as days offset 0) as t
    ), due as (
      select r.*, ${today} - mod(${today} - f.first_day, r.days) as day
      from   round as r
      cross  join lateral (
        select coalesce(min(d.day), r.newest_day) as first_day
        from   unnest(r.failed_days) as d (day)
        where  r.is_unanswered and d.day > greatest(r.answered_day, r.lost_day + r.days - 1, r.newest_day - r.days)) as f
      where  case when f.first_day + r.days > ${today} then r.is_unanswered else r.newest_day > r.last_round - r.days end
    ), timed as (
      select d.dataset, coalesce(cardinality(b.items), 1) as cells, d.day::timestamp at time zone 'UTC' as since,
             (d.day + d.days)::timestamp at time zone 'UTC' as lost_at
      from   due as d
      left   join ops.batch as b on b.batch_id = d.batch_id
    )
    select dataset, sum(cells)::int as cells, min(since) as since, min(lost_at) as "lostAt"
    from   timed
    where  ${at} >= since + (lost_at - since) * ${riskShare}::double precision and ${at} < lost_at
    group  by dataset
    order  by dataset`.execute(db);
  return rows;
}
