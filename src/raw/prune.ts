import { sql } from "../postgres/sql.ts";
import type { Day } from "../core/day.ts";
import type { Database } from "../postgres/database.ts";

/** Stored answers of one dataset, and the first and last day that they stand for. */
type PrunedDataset = {
  readonly dataset: string;
  readonly answers: number;
  readonly bytes: number;
  readonly from: Day;
  readonly to: Day;
};

/** What pruning takes away, together and by dataset. */
export type Pruned = {
  readonly answers: number;
  readonly bytes: number;
  readonly datasets: readonly PrunedDataset[];
};

/**
 * Deletes the landed answers of slices that are loaded or empty and whose last page was in before an instant (epoch-ms): those of
 * open and failed slices may still be the only copy of what was paid for, and an answer is kept or goes with all its pages. What is
 * gone cannot be replayed.
 */
export function pruneRaw(db: Database, before: number): Promise<Pruned> {
  return addUp(db, sql`delete from raw.answer as a using ops.slice as s where ${isOld(before)} returning ${facts}`);
}

/** What `pruneRaw` would take away by now. */
export function prunable(db: Database, before: number): Promise<Pruned> {
  return addUp(db, sql`select ${facts} from raw.answer as a, ops.slice as s where ${isOld(before)}`);
}

const facts = sql`s.dataset, octet_length(a.body) as bytes, s.window_start, s.window_end`;

function isOld(before: number) {
  const limit = sql`${new Date(before).toISOString()}::timestamptz`;
  return sql`
    s.slice_id = a.slice_id and s.state in ('loaded', 'empty') and a.fetched_at < ${limit}
    and not exists (select from raw.answer as page where page.slice_id = a.slice_id and page.fetched_at >= ${limit})`;
}

async function addUp(db: Database, old: ReturnType<typeof sql>): Promise<Pruned> {
  const { rows } = await sql<PrunedDataset>`
    with old as (${old})
    select dataset, count(*)::float8 as answers, sum(bytes)::float8 as bytes,
           min(window_start) as "from", max(window_end - 1) as "to"
    from   old
    group  by dataset
    order  by dataset`.execute(db);
  return {
    answers: rows.reduce((sum, { answers }) => sum + answers, 0),
    bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0),
    datasets: rows,
  };
}
