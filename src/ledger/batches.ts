import { createHash } from "node:crypto";
import { sql } from "../postgres/sql.ts";
import type { SliceDraft } from "../core/slice.ts";
import type { Database } from "../postgres/database.ts";

/** The numbers of lists of items, in the order of the lists; new lists are written. */
export async function batchNumbers(db: Database, lists: readonly (readonly string[])[]): Promise<readonly string[]> {
  const numbers = await insertBatches(
    db,
    lists.map((items) => ({ items })),
  );
  return lists.map((items) => numbers.get(digestOf(items)) ?? "");
}

/** Writes the new lists among those of drafts. Returns the numbers of all lists by digest; drafts without items have none. */
export async function insertBatches(
  db: Database,
  drafts: readonly Pick<SliceDraft, "items">[],
): Promise<ReadonlyMap<string, string>> {
  const lists = new Map(
    drafts.flatMap(({ items }) => (items === null || items.length === 0 ? [] : [[digestOf(items), items] as const])),
  );
  if (lists.size === 0) return new Map();
  const found = await batchIds(db, [...lists.keys()]);
  const missing = [...lists].filter(([digest]) => !found.has(digest));
  // night after night an account requests the same lists
  if (missing.length === 0) return found;
  const rows = JSON.stringify(missing.map(([digest, items]) => ({ digest, items })));
  await sql`
    insert into ops.batch (digest, items)
    select digest, items from jsonb_to_recordset(${rows}::jsonb) as b (digest text, items text[])
    order  by digest
    on conflict do nothing`.execute(db);
  const made = await batchIds(
    db,
    missing.map(([digest]) => digest),
  );
  return new Map([...found, ...made]);
}

/** The items of batches by their numbers. */
export async function itemsOf(
  db: Database,
  numbers: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (numbers.length === 0) return new Map();
  const { rows } = await sql<{ batch_id: string; items: string }>`
    select batch_id, to_json(items)::text as items from ops.slice_batch where batch_id = any (${[...numbers]}::bigint[])`.execute(
    db,
  );
  return new Map(rows.map((row) => [row.batch_id, itemsFrom(row.items)]));
}

async function batchIds(db: Database, digests: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ digest: string; batch_id: string }>`
    select digest, batch_id from ops.batch where digest = any (${[...digests]}::text[])`.execute(db);
  return new Map(rows.map((row) => [row.digest, row.batch_id]));
}

/** Lists that are kept for the next slices: a few megabytes. */
const mostLists = 500;
const listsByJson = new Map<string, readonly string[]>();

/** A list of items from its JSON. Slices of many days share one array, so that what is computed from it once serves all of them. */
export function itemsFrom(json: string): readonly string[] {
  const known = listsByJson.get(json);
  if (known !== undefined) return known;
  if (listsByJson.size >= mostLists) listsByJson.clear();
  const items = Object.freeze(JSON.parse(json) as string[]);
  listsByJson.set(json, items);
  return items;
}

/** Slices of many days share one array of items. */
const digestsByList = new WeakMap<readonly string[], string>();

/** What distinguishes one list of items from another. */
export function digestOf(items: readonly string[]): string {
  const held = digestsByList.get(items);
  if (held !== undefined) return held;
  const digest = createHash("sha256").update(JSON.stringify(items)).digest("hex");
  digestsByList.set(items, digest);
  return digest;
}
