import { sql, type SqlFragment } from "../postgres/sql.ts";
import { isOrdered, repeat, spread } from "./column-array.ts";
import { pgTypes } from "./columns.ts";
import { asRows } from "./counted-sums.ts";
import type { Database } from "../postgres/database.ts";
import type { ReadyLoad } from "./ready-load.ts";
import { comparison } from "./comparisons.ts";
import { restatement } from "./restatements.ts";
import { cellsOf, columnOf, type Filled, filledOf, runsApart, stretchOf } from "./runs-apart.ts";
import { equal, list, mergeStatement, rankOf } from "./statements.ts";
import { addSums, isSummed, lockSums, mergeWithSums, sumsOver, type Summed } from "./sums.ts";
import { rankedBy, type ColumnKind, type Table } from "./table.ts";

/**
 * Writes rows of many slices into a table that is loaded row by row, in one statement. If two slices have the same cell, the one received
 * later wins, or the first if their values are equal, as if they had come one after the other.
 *
 * If the table has no rows yet where these belong, they are inserted without looking up each of them. If another worker writes one of them
 * in between, the statement fails because of its key and nothing is written: a retry merges the rows.
 */
export async function upsert(transaction: Database, table: Table, loads: readonly ReadyLoad[]): Promise<void> {
  const filled = filledOf(loads);
  if (filled.length > 0) await write(transaction, table, filled);
}

/**
 * The same, byte-equal to one slice after the other: if answers have equal values for a cell, the first one keeps the row. Slices are
 * written together as long as no cell is in two of them.
 */
export async function upsertInTurn(transaction: Database, table: Table, loads: readonly ReadyLoad[]): Promise<void> {
  for (const together of runsApart(table, filledOf(loads))) await write(transaction, table, together);
}

async function write(transaction: Database, table: Table, filled: readonly Filled[]): Promise<void> {
  const group = groupOf(table, filled);
  const lock = isSummed(table) ? lockSums(table, lockedBy(table, filled)) : null;
  const isNew = filled.every((load) => load.isNew === true);
  if (!isNew && (await holdsSome(transaction, group, lock))) await merge(transaction, table, group);
  else await insert(table, group, filled).execute(transaction);
}

/** The statement that inserts rows, none of which is stored yet, and adds up their sums. */
function insert(table: Table, { target, columns, source, apart }: Group, loads: readonly Filled[]): SqlFragment {
  const insertion = sql`
    insert into ${target} (${list(columns)}, slice_id, fetched_at)
    select ${list(columns)}, slice_id, fetched_at from ${source} as s`;
  if (!isSummed(table)) return insertion;
  // if two answers share a cell, only the winning row is summed
  if (!apart)
    return sql`with t as (${insertion} returning ${list([...table.sums.key, ...table.sums.madeOf])}) ${addSums(table, sumsOver(table, sql`t`))}`;
  const counted = asRows(
    table,
    loads.flatMap(({ sums }) => sums ?? []),
  );
  return sql`with t as (${insertion}) ${addSums(table, counted)}`;
}

async function merge(transaction: Database, table: Table, group: Group): Promise<void> {
  const merging = {
    ...group,
    key: table.key,
    sliceId: sql`s.slice_id`,
    fetchedAt: sql`s.fetched_at`,
    ranked: rankedBy(table),
  };
  await comparison(table, { ...merging, inScope: null })?.execute(transaction);
  if (table.restated === true) await restatement(table, merging).execute(transaction);
  const statement = isSummed(table) ? mergeWithSums(table, merging) : mergeStatement(merging);
  await statement.execute(transaction);
}

/** The locks that loads take on the sums over their rows: the keys that separate writers, joined to one text per row. */
function lockedBy({ sums }: Summed, loads: readonly Filled[]): ReadonlySet<string> {
  const keys = loads.flatMap((load) => {
    const columns = sums.lockedBy.map((column) => columnOf(column, load));
    if (columns.every(({ constant }) => constant)) return columns.map(({ elements }) => elements).join(" ");
    return cellsOf(sums.lockedBy, load);
  });
  return new Set(keys);
}

type Group = {
  readonly target: SqlFragment;
  readonly columns: readonly string[];
  /** The first columns of the key that are constant within a slice: they determine the part of the index that a slice writes. */
  readonly stretch: readonly string[];
  /** The values of the stretch, one row per slice. */
  readonly stretches: SqlFragment;
  /** All rows with `slice_id` and `fetched_at`, sorted by key, each key once. */
  readonly source: SqlFragment;
  /** True if no cell is in two of the slices. */
  readonly apart: boolean;
  /** True where its rows give way to those that are there. */
  readonly isOutdated: boolean;
};

function groupOf(table: Table, given: readonly Filled[]): Group {
  const apart = runsApart(table, given).length === 1;
  const { loads, isSorted } = apart ? byKey(table, given) : { loads: given, isSorted: false };
  const columns = Object.keys(table.columns);
  const shared = new Set(columns.filter((column) => loads.every((load) => columnOf(column, load).constant)));
  const array = (column: string, elements: (load: Filled) => string) =>
    arrayFrom(table.columns[column] ?? "text", loads.map(elements));
  const one = (column: string) => array(column, (load) => columnOf(column, load).elements);
  const own = columns.filter((column) => !shared.has(column));
  const stretch = stretchOf(table, loads);
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
  // values that all rows of a slice share are sent once and found by the place of the slice in the group
  const values = columns.map((column) =>
    shared.has(column) ? sql`(${one(column)})[place] as ${sql.id(column)}` : sql.id(column),
  );
  const lists = own.map(
    (column) =>
      sql`unnest(${array(column, (load) => spread(columnOf(column, load), load.count))}) as ${sql.id(column)}`,
  );
  // in a select list, `unnest` streams arrays in parallel; in `from` each would be stored first
  const rows = sql`(
      select ${sql.join(values)}, (${sliceIds})[place] as slice_id, (${times}::timestamptz[])[place] as fetched_at, place
      from   (select ${sql.join([...lists, sql`unnest(${places}) as place`])}) as u)`;
  const ranked = rankedBy(table);
  const rank = ranked === undefined ? [] : [rankOf(ranked, "s")];
  const byAge = sql.join([...rank, sql`s.fetched_at`, sql`s.place`]);
  const newest = sql.join([...rank, sql`s.fetched_at`, sql`s.place`].map((by) => sql`${by} desc`));
  // a row that only repeats the one before it is dropped: as with one slice after the other, the first one stays
  const changes = sql`(
      select s.*, lag((${list(columns, "s")})) over (partition by ${key} order by ${byAge}) is not distinct from (${list(columns, "s")}) as is_repeat
      from   ${rows} as s)`;
  const latest = sql`(select distinct on (${key}) s.* from ${changes} as s where not is_repeat order by ${key}, ${newest})`;
  return {
    target: sql.ref(table.name),
    columns,
    stretch,
    stretches: sql`unnest(${sql.join(stretch.map(one))}) as p (${list(stretch)})`,
    source: isSorted ? rows : apart ? sql`(select * from ${rows} as s order by ${key})` : latest,
    apart,
    isOutdated: given.every((load) => load.isOutdated === true),
  };
}

/**
 * Sorts loads by their part of the key, and finds whether all rows are then in the order of the key: sorting them takes Postgres a fifth of
 * the insert.
 */
function byKey(
  table: Table,
  given: readonly Filled[],
): { readonly loads: readonly Filled[]; readonly isSorted: boolean } {
  const stretch = stretchOf(table, given);
  const sorted = given
    .map((load) => ({ load, values: stretch.map((column) => columnOf(column, load).elements) }))
    .toSorted((a, b) => compareValues(a.values, b.values));
  // the rows of one load are in order, but not those of two loads that share their part
  const areApart = sorted.every(
    ({ values }, index) => index === 0 || compareValues(sorted[index - 1]?.values ?? [], values) !== 0,
  );
  return { loads: sorted.map(({ load }) => load), isSorted: areApart && isOrdered(table) };
}

/** Compares numbers as numbers, days and texts as text. */
function compareValues(a: readonly string[], b: readonly string[]): number {
  const place = a.findIndex((value, index) => value !== b[index]);
  const [left = "", right = ""] = [a[place], b[place]];
  return Number(left) - Number(right) || (left < right ? -1 : Number(left > right));
}

function arrayFrom(kind: ColumnKind, elements: readonly string[]): SqlFragment {
  return sql`${`{${elements.join(",")}}`}::${sql.raw(pgTypes[kind])}[]`;
}

/** True if rows may be stored already where those of the group belong. Waits for the holder of the lock, if there is a lock to take. */
async function holdsSome(
  transaction: Database,
  { target, stretch, stretches }: Group,
  lock: SqlFragment | null,
): Promise<boolean> {
  const found =
    stretch.length === 0
      ? sql`true`
      : sql`exists (
          select from ${stretches}
          where  exists (
            select from ${target} as t where ${equal(stretch, "t", "p")}
            offset 0 -- a barrier: where statistics say that the table is empty a join would read all of it
          ))`;
  if (stretch.length === 0 && lock === null) return true;
  const { rows } = await sql<{ found: boolean }>`
    select ${found} as found${lock === null ? sql`` : sql`, ${lock} as locks`}`.execute(transaction);
  return rows[0]?.found ?? true;
}
