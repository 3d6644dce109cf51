import { sql } from "kysely";
import type { Database } from "./database.ts";

/** What pruning took away. */
export type Pruned = { readonly answers: number; readonly bytes: number };

/**
 * Deletes landed answers that were in before an instant (epoch-ms) and whose slice is loaded or empty: those of open and failed
 * slices may still be the only copy of what was paid for. What is gone cannot be replayed.
 */
export async function pruneRaw(db: Database, before: number): Promise<Pruned> {
  const { rows } = await sql<Pruned>`
    with gone as (
      delete from raw.answer as a
      using  ops.slice as s
      where  s.slice_id = a.slice_id and s.state in ('loaded', 'empty') and a.fetched_at < ${new Date(before).toISOString()}::timestamptz
      returning octet_length(a.body) as bytes
    )
    select count(*)::float8 as answers, coalesce(sum(bytes), 0)::float8 as bytes from gone`.execute(db);
  return rows[0] ?? { answers: 0, bytes: 0 };
}
