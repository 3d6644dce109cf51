import type { Relation } from "../postgres/relations.ts";
import type { ClickHouse } from "./clickhouse.ts";
import { alterTable, createTable, partitionOf, qualifiedName } from "./statements.ts";

/** The existing tables, with their columns and comments. */
export type TablesThere = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Reads the existing tables of core, mart and ops. */
export async function readTables(clickHouse: ClickHouse): Promise<TablesThere> {
  const rows = await clickHouse.ask<{ table_name: string; name: string; comment: string }>(
    "select database || '.' || table as table_name, name, comment from system.columns where database in ('core', 'mart', 'ops')",
  );
  const tables = Map.groupBy(rows, (row) => row.table_name);
  return new Map([...tables].map(([name, all]) => [name, new Map(all.map((column) => [column.name, column.comment]))]));
}

/** The statement that makes a table, or brings its columns and comments up to date; null if there is nothing to do. */
export function tableStatement(there: TablesThere, relation: Relation): string | null {
  const found = there.get(relation.name);
  if (found === undefined) return createTable(relation);
  const isSame = relation.columns.every(({ name, comment }) => found.get(name) === comment);
  return isSame ? null : alterTable(relation);
}

/** The partitions of a table that have rows. ClickHouse reads no row for this, and the user needs no right to `system.parts`. */
export async function readPartitions(clickHouse: ClickHouse, relation: Relation): Promise<ReadonlySet<string>> {
  const rows = await clickHouse.ask<{ part: string }>(
    `select _partition_id as part, count() as rows from ${qualifiedName(relation)} group by part`,
  );
  // the only partition of a table without months has another id
  return new Set(rows.map(({ part }) => (part === "all" ? partitionOf("") : part)));
}
