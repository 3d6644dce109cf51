import pg, { type Pool, type PoolClient } from "pg";
import type { Column, Relation } from "../postgres/relations.ts";
import { from } from "../export/parts-of-table.ts";
import type { ClickHouse } from "./clickhouse.ts";
import { nameOf, quoted } from "./statements.ts";

/** What both databases say of the same rows: a count, and for each column how many values there are and their sum, texts by their digest. */
type Sums = readonly string[];

/** How the values of a column become whole numbers or decimals whose sum does not depend on their order. */
function summand({ name, type }: Column): { readonly postgres: string; readonly clickHouse: string } {
  const [p, c] = [pg.escapeIdentifier(name), quoted(name)];
  if (type.startsWith("numeric")) return { postgres: `round(${p}, 18)`, clickHouse: `toDecimal256(${c}, 18)` };
  if (/^(smallint|integer|bigint)$/.test(type)) return { postgres: p, clickHouse: `toInt256(${c})` };
  if (type === "boolean") return { postgres: `${p}::integer`, clickHouse: `toInt256(${c})` };
  if (type === "date") return { postgres: `${p} - date '1970-01-01'`, clickHouse: `toInt256(toInt32(${c}))` };
  if (type.startsWith("timestamp"))
    return {
      postgres: `(extract(epoch from ${p}) * 1000000)::bigint`,
      clickHouse: `toInt256(toUnixTimestamp64Micro(${c}))`,
    };
  return {
    postgres: `('x' || substr(md5(${p}::text), 1, 8))::bit(32)::bigint`,
    clickHouse: `toInt256(reinterpretAsUInt32(reverse(substring(MD5(${c}), 1, 4))))`,
  };
}

/** Numbers with a floating point have no sum that is the same everywhere: their values are counted alone. */
function isSummed({ type }: Column): boolean {
  return type !== "double precision" && type !== "real";
}

/** The sums of the rows that meet a condition, in Postgres. */
export async function sumsInPostgres(
  client: Pick<PoolClient | Pool, "query">,
  relation: Relation,
  where: string,
): Promise<Sums> {
  const sums = relation.columns.flatMap((column) => [
    `count(${pg.escapeIdentifier(column.name)})::text`,
    isSummed(column) ? `trim_scale(coalesce(sum(${summand(column).postgres}), 0)::numeric)::text` : "''",
  ]);
  const { rows } = await client.query<{ sums: string[] }>(
    `select array[${["count(*)::text", ...sums].join(", ")}] as sums from ${from(relation)} as t where ${where}`,
  );
  return rows[0]?.sums ?? [];
}

/** The same in a table of ClickHouse. */
export async function sumsInClickHouse(
  clickHouse: ClickHouse,
  { relation, table = nameOf(relation), where = "1" }: { relation: Relation; table?: string; where?: string },
): Promise<Sums> {
  const sums = relation.columns.flatMap((column) => [
    `toString(count(${quoted(column.name)}))`,
    isSummed(column) ? `toString(ifNull(sum(${summand(column).clickHouse}), 0))` : "''",
  ]);
  const [row] = await clickHouse.ask<{ sums: string[] }>(
    `select [${["toString(count())", ...sums].join(", ")}] as sums from ${table} where ${where}`,
  );
  return row?.sums ?? [];
}

/** Where the two differ: `rows`, or the name of a column; null where they are equal. */
export function firstDifference({ columns }: Pick<Relation, "columns">, one: Sums, other: Sums): string | null {
  const at = one.findIndex((sum, index) => sum !== other[index]);
  return at < 0 ? null : at === 0 ? "rows" : (columns[Math.floor((at - 1) / 2)]?.name ?? "rows");
}
