import type { Database } from "../postgres/database.ts";
import { instant, sql } from "../postgres/sql.ts";
import { isOpen } from "./open-slices.ts";
import { longestGapDays, refreshDays } from "./snapshot-rounds.ts";

/** Cells of a dataset whose snapshot is not answered yet, since when it could be requested, and when it is lost. */
export type DayAtRisk = {
  readonly dataset: string;
  readonly cells: number;
  readonly since: Date;
  readonly lostAt: Date;
};

/** The share of the time in which a snapshot can be requested after which it is at risk. */
const riskShare = 2 / 3;

/**
 * Snapshots of which two thirds of the time are over in which they can still be requested: those that failed or wait, and those that are due
 * and that nobody has planned, of the scopes that the last round of their dataset was about. `now` in epoch-ms; the database's clock when left out.
 */
export async function readDaysAtRisk(db: Database, now: number | null = null): Promise<readonly DayAtRisk[]> {
  const at = now === null ? sql`now()` : instant(now);
  const today = sql`(${at} at time zone 'UTC')::date`;
  const { rows } = await sql<DayAtRisk>`
    with newest as materialized (
      select distinct on (s.dataset, s.scope, s.batch_id) s.*, ${refreshDays} as days,
             max(s.window_start) over (partition by s.dataset) as last_round
      from   ops.slice as s
      join   ops.dataset as d on d.dataset = s.dataset
      and    (d.is_on or not d.is_switched_off and exists (select from ops.next_run as r where s.dataset = any (r.datasets)))
      where  s.class = 'snapshot' and s.window_start > ${today} - ${longestGapDays}::integer
      order  by s.dataset, s.scope, s.batch_id, s.window_start desc, s.slice_id desc
    ), due as (
      select n.*, ${today} - mod(${today} - n.window_start, n.days) as day
      from   newest as n
      where  case when n.window_start + n.days > ${today} then n.state = 'failed' or ${isOpen("n")}
                  else n.window_start > n.last_round - n.days end
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
