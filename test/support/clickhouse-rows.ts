import pg, { type Pool } from "pg";
import type { Column, Relation } from "../../src/postgres/relations.ts";
import { quoted } from "../../src/publish/statements.ts";
import type { ClickHouseStage } from "./clickhouse-stage.ts";

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
  const texts = columns.map(({ name }) => `ifNull(toString(${quoted(name)}), '-')`);
  const rows = await stage.ask(`select [${texts.join(", ")}] as row from ${schema}.${table}`);
  return rows.map(({ row }) => JSON.stringify(row)).sort();
}

function inPostgres({ name, type }: Column): string {
  const column = pg.escapeIdentifier(name);
  if (type.startsWith("numeric")) return `trim_scale(${column})::text`;
  if (type === "timestamp with time zone") return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')`;
  if (type === "timestamp without time zone") return `to_char(${column}, 'YYYY-MM-DD HH24:MI:SS.US')`;
  return `${column}::text`;
}
