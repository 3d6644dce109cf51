import { addDays, type Day } from "../core/day.ts";
import type { Database } from "../postgres/database.ts";
import { sql } from "../postgres/sql.ts";

/** How far a dataset is complete: every partition that is still requested is answered through `completeTo`. */
export type CompleteDays = {
  readonly dataset: string;
  /** Null where a partition has no answer yet. */
  readonly completeTo: Day | null;
  /** The newest day that any partition is answered for. */
  readonly newestDay: Day | null;
  readonly partitions: number;
  /** Partitions whose newest day is before `newestDay`. */
  readonly behind: number;
  /** Failed slices of the last days that nothing has made good. */
  readonly failed: number;
};

/** Slices of older days are not read. */
const daysRead = 40;
/** A partition that was not requested for so long behind the newest day is out of the portfolio. */
const leftAfterDays = 7;

/** Reads how far datasets are complete, from the slices of the last days. A dataset of which none was requested lately is left out. */
export async function readCompleteDays(db: Database, today: Day): Promise<readonly CompleteDays[]> {
  const from = addDays(today, -daysRead);
  const { rows } = await sql<CompleteDays>`
    with part as (
      select dataset, scope, max(last_day) filter (where state in ('loaded', 'empty', 'skipped')) as newest, max(last_day) as requested
      from   ops.slice_status
      where  last_day >= ${from}::date and state <> 'lost'
      group  by dataset, scope
    ), followed as (
      select dataset, newest, max(newest) over (partition by dataset) as front
      from   (select *, max(requested) over (partition by dataset) as last from part) as p
      where  requested >= last - ${leftAfterDays}::integer
    ), failed as (
      select dataset, count(*)::int as slices from ops.failed_slice where window_end > ${from}::date group by dataset
    )
    select f.dataset, case when bool_and(f.newest is not null) then min(f.newest) end as "completeTo", max(f.front) as "newestDay",
           count(*)::int as partitions, count(*) filter (where f.newest is distinct from f.front)::int as behind,
           coalesce(max(x.slices), 0) as failed
    from   followed as f
    left   join failed as x on x.dataset = f.dataset
    group  by f.dataset
    order  by f.dataset`.execute(db);
  return rows;
}
