import { sql, type SqlFragment } from "../postgres/sql.ts";
import { isConstant, stored } from "./column-array.ts";
import { arrayLiteral, pgTypes } from "./columns.ts";
import type { Dimensions } from "./dimensions.ts";
import { list } from "./statements.ts";
import type { Summed } from "./sums.ts";
import type { Row } from "./table.ts";

/** Sums over the rows of one load, by key, as its columns are stored. */
export type CountedSums = readonly { readonly key: readonly Row[string][]; readonly totals: readonly number[] }[];

/** Counts the sums over rows whose names were learned: what is new as a whole need not be read back to be summed. */
export function countSums({ sums, columns }: Summed, rows: readonly Row[], dimensions: Dimensions): CountedSums {
  const parts = Object.values(sums.columns).map(({ of }) => of);
  // most rows of an answer share app, country and day: only the columns that differ distinguish them
  const differing = sums.key.filter((column) => !isConstant(column, rows));
  const found = new Map<string, { readonly first: Row; readonly totals: number[] }>();
  for (const row of rows) {
    const name = differing.length === 0 ? "" : differing.map((column) => row[column]).join("\0");
    let group = found.get(name);
    if (group === undefined) found.set(name, (group = { first: row, totals: parts.map(() => 0) }));
    const { totals } = group;
    for (let place = 0; place < parts.length; place += 1)
      totals[place] = (totals[place] as number) + (parts[place] as (typeof parts)[number])(row);
  }
  return [...found.values()].map(({ first, totals }) => ({
    key: sums.key.map((column) => stored(columns[column] ?? "text", first[column], dimensions)),
    totals,
  }));
}

/** Counted sums of many loads as rows of the table of sums; a key may be in several. */
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
