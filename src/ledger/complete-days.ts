import type { Day } from "../core/day.ts";
import type { Database } from "../postgres/database.ts";
import { sql } from "../postgres/sql.ts";

/** How far a dataset is complete: every app and country of which something is due is answered through `completeTo`. */
export type CompleteDays = {
  readonly dataset: string;
  /** Null where one of them has no answer yet. */
  readonly completeTo: Day | null;
  /** Apps and countries of which something is due. */
  readonly places: number;
  /** Those of them whose due day is requested and not answered, or not even requested. */
  readonly behind: number;
  /** Failed slices that nothing has made good. */
  readonly failed: number;
};

/** Reads how far datasets are complete, by the view in which analysts see it; none of a dataset of which nothing is due. */
export async function readCompleteDays(db: Database): Promise<readonly CompleteDays[]> {
  const { rows } = await sql<CompleteDays>`
    select f.dataset, case when bool_and(f.newest_day is not null) then min(p.newest_day) end as "completeTo", count(*)::int as places,
           count(*) filter (where f.freshness_state in ('late', 'stopped'))::int as behind, coalesce(max(x.slices), 0) as failed
    from   ops.freshness as f
    -- of the due day of a late place some lists may be loaded already
    cross  join lateral (select case f.freshness_state when 'late' then least(f.newest_day, f.due_day - 1) else f.newest_day end as newest_day) as p
    left   join (select dataset, count(*)::int as slices from ops.failed_slice group by dataset) as x on x.dataset = f.dataset
    where  f.freshness_state <> 'nothing to have'
    group  by f.dataset
    order  by f.dataset`.execute(db);
  return rows;
}
