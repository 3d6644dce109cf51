import type { Database } from "../postgres/database.ts";
import { sql } from "../postgres/sql.ts";

/** The slices of one dataset in one state, added up. */
export type SliceSums = {
  readonly dataset: string;
  readonly state: string;
  readonly slices: number;
  readonly rows: number;
  readonly rejects: number;
  /** The day after the newest one. */
  readonly newestEnd: string;
  readonly plannedAt: Date;
};

/** Adds up the slices of the ledger by dataset and state, in one pass over the table; counts of folded slices are included. */
export async function readSliceSums(db: Database): Promise<readonly SliceSums[]> {
  const { rows } = await sql<SliceSums>`
    select s.dataset, s.state, s.slices + coalesce(f.slice_count, 0) as slices, s.rows + coalesce(f.rows_loaded, 0) as rows, s.rejects,
           s."newestEnd", s."plannedAt"
    from   (select dataset, state, count(*)::float8 as slices, coalesce(sum(rows_loaded), 0)::float8 as rows,
                   coalesce(sum(rows_rejected), 0)::float8 as rejects, max(window_end) as "newestEnd", min(created_at) as "plannedAt"
            from   ops.slice
            group  by dataset, state) as s
    left   join ops.folded_slices as f on f.dataset = s.dataset and f.state = s.state
    order  by s.dataset, s.state`.execute(db);
  return rows;
}
