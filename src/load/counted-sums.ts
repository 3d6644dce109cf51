import { sql, type SqlFragment } from "../postgres/sql.ts";
import { stored } from "./column-array.ts";
import { arrayLiteral, pgTypes } from "./columns.ts";
import type { Dimensions } from "./dimensions.ts";
import { list } from "./statements.ts";
import type { Summed } from "./sums.ts";
import type { RowColumns } from "./row-columns.ts";
import type { Row, Sums } from "./table.ts";

/** Sums over the rows of one load, by key, with the key columns as stored. */
export type CountedSums = readonly { readonly key: readonly Row[string][]; readonly totals: readonly number[] }[];

/** Counts the sums over rows whose names were learned: rows that are all new need not be read back to be summed. */
export function countSums({ sums, columns }: Summed, { rows, of }: RowColumns, dimensions: Dimensions): CountedSums {
  const added = additions(sums);
  // most rows of an answer share app, country and day: only the columns that differ distinguish them
  const differing = sums.key.filter((column) => of.get(column)?.constant === false);
  const found = new Map<string, { readonly first: Row; readonly totals: number[] }>();
  for (const row of rows) {
    const name = differing.length === 0 ? "" : differing.map((column) => row[column]).join("\0");
    let group = found.get(name);
    if (group === undefined) found.set(name, (group = { first: row, totals: Object.keys(sums.columns).map(() => 0) }));
    const { totals } = group;
    const more = added(row);
    for (let place = 0; place < totals.length; place += 1)
      totals[place] = (totals[place] as number) + (more[place] as number);
  }
  return [...found.values()].map(({ first, totals }) => ({
    key: sums.key.map((column) => stored(columns[column] ?? "text", first[column], dimensions)),
    totals,
  }));
}

const known = new WeakMap<Sums, Map<Row[string], readonly number[]>>();
/** Ranks have few values; of columns with more, only this many values are kept. */
const mostKnown = 10_000;

/** A function that returns what a row adds to each sum. Sums are mostly made of one column with few values. */
function additions(sums: Sums): (row: Row) => readonly number[] {
  const parts = Object.values(sums.columns);
  const [column, ...others] = sums.madeOf;
  const work = (row: Row) => parts.map(({ of }) => of(row));
  if (column === undefined || others.length > 0) return work;
  const byValue = known.get(sums) ?? new Map<Row[string], readonly number[]>();
  known.set(sums, byValue);
  return (row) => {
    const value = row[column] ?? null;
    const held = byValue.get(value);
    if (held !== undefined) return held;
    const made = work(row);
    if (byValue.size < mostKnown) byValue.set(value, made);
    return made;
  };
}

/** Counted sums of many loads as rows of the table of sums; a key may be in several loads. */
export function asRows({ sums, columns }: Summed, counted: CountedSums): SqlFragment {
  const keys = sums.key.map((column, place) => {
    const kind = columns[column] ?? "text";
    const values = counted.map(({ key }) => key[place] ?? null);
    return sql`${arrayLiteral(kind, values)}::${sql.raw(pgTypes[kind])}[]`;
  });
  const names = Object.keys(sums.columns);
  const totals = names.map((_, place) => sql`${counted.map((one) => one.totals[place])}::bigint[]`);
  return sql`select * from unnest(${sql.join([...keys, ...totals])}) as c (${list([...sums.key, ...names])})`;
}
