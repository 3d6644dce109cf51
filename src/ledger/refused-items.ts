import { sql } from "../postgres/sql.ts";
import type { Slice } from "../core/slice.ts";
import type { Database } from "../postgres/database.ts";
import { batchNumbers } from "./batches.ts";
import { isOfScope } from "./same-scope.ts";

/** Errors that the same request meets at any time. */
export const refusalCodes: readonly string[] = ["bad_request", "not_encodable"];

/** SQL: true for a slice `s` that was refused because of what it requests. It uses literals, as the partial index `slice_refused` does. */
export const wasRefused = sql<boolean>`(s.state = 'skipped' and s.error_code in (${sql.join(refusalCodes.map(sql.lit))}))`;

/**
 * Takes the items that were refused alone before, in any window of the scope, out of a refused slice, and makes it pending again; false if
 * it has none of them, or no others. To be called in a transaction.
 */
export async function dropKnownRefused(db: Database, slice: Slice): Promise<boolean> {
  const known = await sql<{ item: string }>`
    select distinct b.items[1] as item
    from   ops.slice as s
    join   ops.batch as b on b.batch_id = s.batch_id
    where  ${isOfScope(slice)} and ${wasRefused} and cardinality(b.items) = 1 and b.items[1] = any (${[...(slice.items ?? [])]}::text[])`.execute(
    db,
  );
  const refused = new Set(known.rows.map(({ item }) => item));
  const items = (slice.items ?? []).filter((item) => !refused.has(item));
  if (refused.size === 0 || items.length === 0) return false;
  const [batch] = await batchNumbers(db, [items]);
  const { rows } = await sql`
    update ops.slice set state = 'pending', batch_id = ${batch}
    where  slice_id = ${slice.sliceId} and attempt = ${slice.attempt} and state = 'running'
    returning slice_id`.execute(db);
  return rows.length > 0;
}

/** True while open slices of the same scope request parts of what a slice requests: they find the item that causes the refusal. */
export async function isSearched(db: Database, slice: Slice): Promise<boolean> {
  const items = slice.items ?? [];
  const { rows } = await sql`
    select from ops.slice as s
    join   ops.batch as b on b.batch_id = s.batch_id
    where  ${isOfScope(slice)} and s.slice_id <> ${slice.sliceId}
    and    s.state in ('pending', 'running') and cardinality(b.items) < ${items.length} and b.items <@ ${[...items]}::text[]
    limit  1`.execute(db);
  return rows.length > 0;
}
