import { sql, type RawBuilder } from "kysely";
import { repeat, spread, type EncodedColumn } from "./column-array.ts";
import { pgTypes } from "./column-kinds.ts";
import type { Database } from "./database.ts";
import type { ReadyLoad } from "./load.ts";
import { restatement } from "./restated.ts";
import { equal, list, mergeStatement } from "./staged.ts";
import { addSums, isSummed, lockSums, readSums, sumsOver, type Summed } from "./sums.ts";
import type { ColumnKind, Table } from "./table.ts";

/**
 * Writes rows of many slices into a table that is loaded row by row, in one statement. Of two slices that hold the same cell the one
 * received later wins, as if they had come one after the other.
 *
 * Where the table holds nothing yet beside these rows they are inserted without looking each of them up. Should another worker write one
 * of them in between, the statement fails for its key and nothing is written: tried again, the rows are merged.
 */
export async function upsert(transaction: Database, table: Table, loads: readonly ReadyLoad[]): Promise<void> {
  const filled = loads.flatMap((load) => (load.encoded === null ? [] : [{ ...load, encoded: load.encoded }]));
  if (filled.length === 0) return;
  const group = groupOf(table, filled);
  if (isSummed(table)) await lockSums(transaction, table, summedFor(table, filled));
  if (group.stretch.length > 0 && !(await holdsSome(transaction, group))) {
    const { target, columns, source } = group;
    await sql`
      insert into ${target} (${list(columns)}, slice_id, fetched_at)
      select ${list(columns)}, slice_id, fetched_at from ${source} as s`.execute(transaction);
    if (isSummed(table)) await addSums(transaction, table, { now: sumsOver(table, sql`${source} as t`), before: null });
  } else await merge(transaction, table, group);
}

/** Merges rows one by one; what is summed of them moves by what they say after it, less what they said before. */
async function merge(transaction: Database, table: Table, group: Group): Promise<void> {
  const { target, source } = group;
  const merging = {
    ...group,
    key: table.key,
    sliceId: sql`s.slice_id`,
    fetchedAt: sql`s.fetched_at`,
    unless: table.load.kind === "upsert" ? table.load.unless : undefined,
  };
  const touched = sql`${source} as s join ${target} as t on ${equal(table.key, "t", "s")}`;
  const before = isSummed(table) ? await readSums(transaction, table, touched) : null;
  if (table.restated === true) await restatement(table, merging).execute(transaction);
  const { numAffectedRows: written } = await mergeStatement(merging).execute(transaction);
  if (!isSummed(table) || written === 0n) return;
  // where none of the rows was there they are all as they came
  const rows = before?.rows === 0 ? sql`${source} as t` : touched;
  await addSums(transaction, table, { now: sumsOver(table, rows), before });
}

/** The values by which the sums of loads are told apart, but for their days: those that are the same for all rows of each load. */
function summedFor({ sums, columns }: Summed, loads: readonly Filled[]): ReadonlySet<string> {
  const fixed = sums.key.filter(
    (column) => columns[column] !== "day" && loads.every((load) => of(column, load).constant),
  );
  return new Set(loads.map((load) => fixed.map((column) => of(column, load).elements).join(" ")));
}

type Filled = ReadyLoad & { readonly encoded: ReadonlyMap<string, EncodedColumn> };

type Group = {
  readonly target: RawBuilder<unknown>;
  readonly columns: readonly string[];
  /** First columns of the key that are the same for all rows of a slice: they tell the part of the index that a slice is about. */
  readonly stretch: readonly string[];
  /** The values of the stretch, a row a slice. */
  readonly stretches: RawBuilder<unknown>;
  /** All rows with `slice_id` and `fetched_at`, sorted by key, none twice. */
  readonly source: RawBuilder<unknown>;
};

function groupOf(table: Table, loads: readonly Filled[]): Group {
  const columns = Object.keys(table.columns);
  const shared = new Set(columns.filter((column) => loads.every((load) => of(column, load).constant)));
  const array = (column: string, elements: (load: Filled) => string) =>
    arrayFrom(table.columns[column] ?? "text", loads.map(elements));
  const one = (column: string) => array(column, (load) => of(column, load).elements);
  const own = columns.filter((column) => !shared.has(column));
  const unshared = table.key.findIndex((column) => !shared.has(column));
  const stretch = table.key.slice(0, unshared < 0 ? undefined : unshared);
  const stretchesOf = new Set(loads.map((load) => stretch.map((column) => of(column, load).elements).join(",")));
  // no two slices are about the same part of the index: then no cell can be in both
  const apart = stretch.length > 0 && stretchesOf.size === loads.length;
  const places = arrayFrom(
    "int",
    loads.map(({ count }, index) => repeat(String(index + 1), count)),
  );
  const sliceIds = arrayFrom(
    "bigint",
    loads.map(({ sliceId }) => sliceId),
  );
  const times = `{${loads.map(({ fetchedAt }) => new Date(fetchedAt).toISOString()).join(",")}}`;
  const key = list(table.key, "s");
  // what all rows of a slice share is sent once and found by the slice's place in the group
  const values = columns.map((column) =>
    shared.has(column) ? sql`(${one(column)})[place] as ${sql.id(column)}` : sql.id(column),
  );
  const arrays = own.map((column) => array(column, (load) => spread(of(column, load), load.count)));
  return {
    target: sql`${sql.id(...table.name.split("."))}`,
    columns,
    stretch,
    stretches: sql`unnest(${sql.join(stretch.map(one))}) as p (${list(stretch)})`,
    source: sql`(
      select ${apart ? sql`` : sql`distinct on (${key})`} s.*
      from   (select ${sql.join(values)}, (${sliceIds})[place] as slice_id, (${times}::timestamptz[])[place] as fetched_at, place
              from   unnest(${sql.join([...arrays, places])}) as u (${list([...own, "place"])})) as s
      order  by ${key}${apart ? sql`` : columns.length > table.key.length ? sql`, s.fetched_at desc, s.place desc` : sql`, s.fetched_at, s.slice_id`})`,
  };
}

function of(column: string, load: Filled): EncodedColumn {
  return load.encoded.get(column) ?? none;
}

const none: EncodedColumn = { constant: true, elements: "NULL" };

function arrayFrom(kind: ColumnKind, elements: readonly string[]): RawBuilder<unknown> {
  return sql`${`{${elements.join(",")}}`}::${sql.raw(pgTypes[kind])}[]`;
}

async function holdsSome(transaction: Database, { target, stretch, stretches }: Group): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from ${stretches} join ${target} as t on ${equal(stretch, "t", "p")}) as found`.execute(
    transaction,
  );
  return rows[0]?.found ?? true;
}
