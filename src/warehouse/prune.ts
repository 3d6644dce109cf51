import { sql } from "kysely";
import type { Database } from "./database.ts";

/** What pruning took away. */
export type Pruned = { readonly answers: number; readonly bytes: number };

/**
 * Deletes the landed answers of slices that are loaded or empty and whose last page was in before an instant (epoch-ms): those of
 * open and failed slices may still be the only copy of what was paid for, and an answer is kept or goes with all its pages. What is
 * gone cannot be replayed.
 */
export async function pruneRaw(db: Database, before: number): Promise<Pruned> {
  const limit = sql`${new Date(before).toISOString()}::timestamptz`;
  const { rows } = await sql<Pruned>`
    with gone as (
      delete from raw.answer as a
      using  ops.slice as s
      where  s.slice_id = a.slice_id and s.state in ('loaded', 'empty') and a.fetched_at < ${limit}
      and    not exists (select from raw.answer as page where page.slice_id = a.slice_id and page.fetched_at >= ${limit})
      returning octet_length(a.body) as bytes
    )
    select count(*)::float8 as answers, coalesce(sum(bytes), 0)::float8 as bytes from gone`.execute(db);
  return rows[0] ?? { answers: 0, bytes: 0 };
}
