import pg, { type PoolClient } from "pg";
import { columnType, type ColumnType } from "../export/column-type.ts";
import { from } from "../export/parts-of-table.ts";
import type { Column, Relation } from "../postgres/relations.ts";
import { decimalScale } from "./column-type.ts";

/** Least and greatest values of types with a larger range in Postgres than in ClickHouse. NaN and infinity are out of range. */
const bounds = [
  [/^numeric/, `-${"9".repeat(20)}`, "9".repeat(20)],
  [/^date$/, "date '1900-01-01'", "date '2299-12-31'"],
  [/^timestamp without/, "timestamp '1900-01-01'", "timestamp '2261-12-31'"],
  [/^timestamp with /, "timestamptz '1900-01-01 00:00Z'", "timestamptz '2261-12-31 00:00Z'"],
] as const;

/**
 * The value of a column as ClickHouse stores it, as an expression in Postgres: decimals are rounded to 18 digits after the point; a value
 * out of range becomes null, or the nearest possible value if the column is not nullable.
 */
export function storedValue(column: Column): string {
  const [name, rounded] = [pg.escapeIdentifier(column.name), roundedValue(column)];
  const found = boundsOf(column);
  if (found === null) return rounded;
  const [least, greatest] = found;
  return column.isNullable
    ? `case when ${name} between ${least} and ${greatest} then ${rounded} end`
    : `greatest(${least}, least(${greatest}, ${rounded}))`;
}

/** How a column is sent: decimals without a fixed number of digits as text, which ClickHouse converts to decimals faster than DuckDB. */
export function sentAs(column: Column): ColumnType {
  const type = column.type === "numeric" ? "text" : column.type;
  return { ...columnType({ ...column, type }), select: storedValue(column) };
}

/** The condition for rows with a value out of range; null if the columns cannot have one. */
export function isOutOfRange({ columns }: Pick<Relation, "columns">): string | null {
  const tests = columns.flatMap((column) => outOfRangeOf(column) ?? []);
  return tests.length === 0 ? null : tests.join(" or ");
}

/** A value out of ClickHouse's range: its column, and what identifies its row. */
export type OutOfRangeValue = { readonly column: string; readonly row: string };

/** How many are named; the count shows if there are more. */
const mostNamed = 5;

/** The first values out of range among the rows that meet a condition. */
export async function valuesOutOfRange(
  client: Pick<PoolClient, "query">,
  relation: Relation,
  where: string,
): Promise<readonly OutOfRangeValue[]> {
  const tests = relation.columns.flatMap((column) => {
    const test = outOfRangeOf(column);
    return test === null ? [] : [`(${pg.escapeLiteral(column.name)}, ${test})`];
  });
  const known = relation.key.map((name) => `${pg.escapeLiteral(`${name} `)} || t.${pg.escapeIdentifier(name)}::text`);
  const row = known.length === 0 ? "left(t::text, 200)" : `concat_ws(', ', ${known.join(", ")})`;
  const { rows } = await client.query<OutOfRangeValue>(
    `select v.name as column, ${row} as row from ${from(relation)} as t cross join lateral (values ${tests.join(", ")}) as v (name, is_out_of_range)
     where  (${where}) and v.is_out_of_range order by 1, 2 limit ${mostNamed}`,
  );
  return rows;
}

function boundsOf({ type }: Column): readonly [string, string] | null {
  const [, least, greatest] = bounds.find(([kind]) => kind.test(type) && !type.endsWith("[]")) ?? [];
  return least === undefined || greatest === undefined ? null : [least, greatest];
}

function outOfRangeOf(column: Column): string | null {
  const found = boundsOf(column);
  return found === null ? null : `${pg.escapeIdentifier(column.name)} not between ${found[0]} and ${found[1]}`;
}

function roundedValue({ name, type }: Column): string {
  const column = pg.escapeIdentifier(name);
  return type === "numeric"
    ? `case when scale(${column}) > ${decimalScale} then round(${column}, ${decimalScale}) else ${column} end`
    : column;
}
