import pg, { type Pool } from "pg";
import type { Column, Relation } from "../../src/postgres/relations.ts";
import { quoted } from "../../src/publish/statements.ts";
import type { ClickHouseStage } from "./clickhouse-stage.ts";

/** A digest of all rows of a relation in Postgres: their number, and the sum of the digests of each. */
export async function digestInPostgres(
  pool: Pick<Pool, "query">,
  { schema, table, columns }: Relation,
): Promise<string> {
  const texts = columns.map((column) => `coalesce(${inPostgres(column)}, '-')`);
  const { rows } = await pool.query<{ digest: string }>(
    `select concat_ws(' ', count(*), coalesce(sum(('x' || left(md5(concat_ws('|', ${texts.join(", ")})), 12))::bit(48)::bigint), 0)) as digest
     from ${schema}.${table}`,
  );
  return rows[0]?.digest ?? "";
}

/** The same in ClickHouse. */
export async function digestInClickHouse(
  stage: Pick<ClickHouseStage, "ask">,
  { schema, table, columns }: Relation,
): Promise<string> {
  const row = `arrayStringConcat([${columns.map(textInClickHouse).join(", ")}], '|')`;
  const [found] = await stage.ask(
    `select concat(toString(count()), ' ', toString(sum(reinterpretAsUInt64(reverse(substring(MD5(${row}), 1, 6)))))) as digest
     from ${schema}.${table}`,
  );
  return String(found?.["digest"]);
}

/** Every row of a relation in Postgres, in any order, each as the texts of its values. */
export async function rowsInPostgres(
  pool: Pick<Pool, "query">,
  { schema, table, columns }: Relation,
): Promise<string[]> {
  const texts = columns.map((column) => `coalesce(${inPostgres(column)}, '-') `);
  const { rows } = await pool.query<{ row: string[] }>(
    `select array[${texts.join(", ")}] as row from ${schema}.${table}`,
  );
  return rows.map(({ row }) => JSON.stringify(row)).sort();
}

/** The same in ClickHouse. */
export async function rowsInClickHouse(
  stage: Pick<ClickHouseStage, "ask">,
  { schema, table, columns }: Relation,
): Promise<string[]> {
  const rows = await stage.ask(`select [${columns.map(textInClickHouse).join(", ")}] as row from ${schema}.${table}`);
  return rows.map(({ row }) => JSON.stringify(row)).sort();
}

function textInClickHouse({ name }: Column): string {
  return `ifNull(toString(${quoted(name)}), '-')`;
}

function inPostgres({ name, type }: Column): string {
  const column = pg.escapeIdentifier(name);
  if (type.startsWith("numeric")) return `trim_scale(${column})::text`;
  if (type === "timestamp with time zone") return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')`;
  if (type === "timestamp without time zone") return `to_char(${column}, 'YYYY-MM-DD HH24:MI:SS.US')`;
  return `${column}::text`;
}
