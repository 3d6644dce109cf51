import type { Dataset } from "../../src/datasets/shared/define-dataset.ts";
import { partitionColumn, type Table } from "../../src/load/table.ts";
import { columnsOfDefinition } from "./table-columns.ts";

/**
 * The migration of a dataset as its tables are defined, to be started from: columns and key are as the conformance suite wants them,
 * comments are left empty. `ops.comment_columns` fills in those of columns that mean the same everywhere.
 */
export function draftMigration({ summary, tables }: Pick<Dataset, "summary" | "tables">): string {
  return [`-- ${summary}`, ...tables.map(draftTable)].join("\n\n");
}

function draftTable(table: Table): string {
  const columns = columnsOfDefinition(table);
  const key = [...table.key, ...(table.load.kind === "history" ? ["valid_from"] : [])];
  const required = [...key, "slice_id", "fetched_at", ...(table.load.kind === "history" ? ["is_current"] : [])];
  const lines = columns.map(
    ({ name, type }) => `  ${name} ${shortTypes[type] ?? type}${required.includes(name) ? " not null" : ""},`,
  );
  return [
    `create table ${table.name} (`,
    ...lines,
    `  primary key (${key.join(", ")})`,
    `)${table.partitioned ? ` partition by range (${partitionColumn(table)})` : ""};`,
    `comment on table ${table.name} is '';`,
    ...columns.map(({ name }) => `comment on column ${table.name}.${name} is '';`),
    `select ops.add_foreign_keys('${table.name}');`,
    `select ops.comment_columns('${table.name}');`,
  ].join("\n");
}

const shortTypes: Readonly<Record<string, string>> = {
  "timestamp without time zone": "timestamp",
  "timestamp with time zone": "timestamptz",
};
