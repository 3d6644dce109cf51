import type { Pool, PoolClient } from "pg";
import type { Column, Relation } from "../postgres/relations.ts";
import { from } from "../export/parts-of-table.ts";
import type { ClickHouse } from "./clickhouse.ts";
import { decimalScale } from "./column-type.ts";
import { qualifiedName, partitionOfRow, quoted } from "./statements.ts";
import { isOutOfRange, storedValue } from "./stored-value.ts";

/**
 * What both databases compute for the same rows: a count; for each column the number of values and their sum; and a sum of the digests of
 * each row's texts. Postgres computes them from the values as ClickHouse stores them; `outOfRange` counts rows with a value out of its
 * range.
 */
export type RowSums = { readonly sums: readonly string[]; readonly outOfRange: number };

const noRows: RowSums = { sums: [], outOfRange: 0 };

/** An expression of each database. */
type Both = { readonly postgres: string; readonly clickHouse: string };

/**
 * How the values of a column become whole numbers or decimals whose sum does not depend on their order; null for texts and for
 * floating-point numbers, which do not have the same sum everywhere.
 */
function summand(column: Column): Both | null {
  const { name, type } = column;
  const [p, c] = [storedValue(column), quoted(name)];
  if (type.startsWith("numeric")) return { postgres: p, clickHouse: `toDecimal256(${c}, ${decimalScale})` };
  if (/^(smallint|integer|bigint)$/.test(type)) return { postgres: p, clickHouse: `toInt256(${c})` };
  if (type === "boolean") return { postgres: `${p}::integer`, clickHouse: `toInt256(${c})` };
  if (type === "date") return { postgres: `${p} - date '1970-01-01'`, clickHouse: `toInt256(toInt32(${c}))` };
  if (type.startsWith("timestamp"))
    return {
      postgres: `(extract(epoch from ${p}) * 1000000)::bigint`,
      clickHouse: `toInt256(toUnixTimestamp64Micro(${c}))`,
    };
  return null;
}

function isText(column: Column): boolean {
  return summand(column) === null && column.type !== "double precision" && column.type !== "real";
}

/** The texts of a row as one number: a digest of each text would take longer than everything else. */
function digestOfTexts({ columns }: Pick<Relation, "columns">): Both | null {
  const texts = columns.filter(isText);
  if (texts.length === 0) return null;
  const ours = texts.map((column) => `coalesce(${storedValue(column)}::text, '')`).join(", ");
  const theirs = texts.map(({ name }) => `ifNull(${quoted(name)}, '')`).join(", ");
  return {
    postgres: `('x' || substr(md5(concat_ws(chr(31), ${ours})), 1, 8))::bit(32)::bigint`,
    clickHouse: `toInt256(reinterpretAsUInt32(reverse(substring(MD5(concatWithSeparator(char(31), ${theirs})), 1, 4))))`,
  };
}

/** Counts and sums as texts, in an order that both databases share. */
function listOf(relation: Pick<Relation, "columns">, side: keyof Both): string {
  const { count, name, sum } = sides[side];
  const sums = [...relation.columns.map(summand), digestOfTexts(relation)].map((one) =>
    one === null ? "''" : sum(one[side]),
  );
  return [
    count("*"),
    ...relation.columns.flatMap((column, index) => [count(name(column)), sums[index]]),
    sums.at(-1),
  ].join(", ");
}

const sides = {
  postgres: {
    name: storedValue,
    count: (values: string) => `count(${values})::text`,
    sum: (values: string) => `trim_scale(coalesce(sum(${values}), 0)::numeric)::text`,
  },
  clickHouse: {
    name: (column: Column) => quoted(column.name),
    count: (values: string) => `toString(count(${values}))`,
    sum: (values: string) => `toString(ifNull(sum(${values}), 0))`,
  },
} as const;

/** Which rows are summed up, together or by the months of a column: separately for each ClickHouse partition. */
type SumsOf = { readonly where: string; readonly month: Column | null };

/** The sums of rows in Postgres, by partition. */
export async function sumsInPostgres(
  client: Pick<PoolClient | Pool, "query">,
  relation: Relation,
  { where, month }: SumsOf,
): Promise<ReadonlyMap<string, RowSums>> {
  const { rows } = await client.query<RowSums & { partition: string }>(
    `select ${partitionOfRow(month).postgres} as partition, array[${listOf(relation, "postgres")}] as sums,
            (count(*) filter (where ${isOutOfRange(relation) ?? "false"}))::float8 as "outOfRange"
     from   ${from(relation)} as t where ${where} group by 1`,
  );
  return new Map(rows.map((row) => [row.partition, row]));
}

/** The same in a table of ClickHouse. */
export async function sumsInClickHouse(
  clickHouse: ClickHouse,
  {
    relation,
    table = qualifiedName(relation),
    where,
    month,
  }: { readonly relation: Relation; readonly table?: string } & SumsOf,
): Promise<ReadonlyMap<string, RowSums>> {
  // an empty tuple has another text
  const partition = month === null ? "'tuple()'" : `toString(${partitionOfRow(month).clickHouse})`;
  // a column with one of these names would be read instead
  const rows = await clickHouse.ask<{ storehouse_partition: string; storehouse_sums: string[] }>(
    `select ${partition} as storehouse_partition, [${listOf(relation, "clickHouse")}] as storehouse_sums
     from   ${table} where ${where} group by storehouse_partition`,
  );
  return new Map(rows.map((row) => [row.storehouse_partition, { sums: row.storehouse_sums, outOfRange: 0 }]));
}

/** Where the sums of a partition differ: `rows`, or the name of a column; null if they are equal. */
export function differenceIn(
  relation: Pick<Relation, "columns">,
  partition: string,
  [one, other]: readonly [ReadonlyMap<string, RowSums>, ReadonlyMap<string, RowSums>],
): string | null {
  return firstDifference(relation, (one.get(partition) ?? noRows).sums, (other.get(partition) ?? noRows).sums);
}

/** Where two lists of sums differ: `rows`, the name of a column, or of all text columns; null if they are equal. */
export function firstDifference(
  { columns }: Pick<Relation, "columns">,
  one: readonly string[],
  other: readonly string[],
): string | null {
  const at = one.length === other.length ? one.findIndex((sum, index) => sum !== other[index]) : 0;
  if (at <= 0) return at < 0 ? null : "rows";
  const texts = columns.filter(isText).map(({ name }) => name);
  return columns[Math.floor((at - 1) / 2)]?.name ?? texts.join(", ");
}
