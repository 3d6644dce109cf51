import type { Dataset } from "../../src/datasets/shared/define-dataset.ts";
import { partitionColumn, type Table } from "../../src/load/table.ts";
import { columnsOfDefinition } from "./table-columns.ts";

/**
 * The migration of a dataset as its tables are defined, to start from: columns and key are as the conformance suite expects them,
 * comments are left empty, save those of columns that `ops.comment_columns` explains.
 */
export function draftMigration({ summary, tables }: Pick<Dataset, "summary" | "tables">): string {
  return [`-- ${summary}`, ...tables.map(draftTable)].join("\n\n");
}

function draftTable(table: Table): string {
  const columns = columnsOfDefinition(table);
  const key = [...table.key, ...(table.load.kind === "history" ? ["valid_from"] : [])];
  const required = [...key, "slice_id", "fetched_at"];
  const lines = columns.map(
    ({ name, type }) => `  ${name} ${shortTypes[type] ?? type}${required.includes(name) ? " not null" : ""},`,
  );
  return [
    `create table ${table.name} (`,
    ...lines,
    `  primary key (${key.join(", ")})`,
    `)${table.partitioned ? ` partition by range (${partitionColumn(table)})` : ""};`,
    `comment on table ${table.name} is '';`,
    ...columns
      .filter(({ name }) => !isExplained(table, name))
      .map(({ name }) => `comment on column ${table.name}.${name} is '';`),
    `select ops.add_foreign_keys('${table.name}');`,
    `select ops.comment_columns('${table.name}');`,
  ].join("\n");
}

const shortTypes: Readonly<Record<string, string>> = {
  "timestamp without time zone": "timestamp",
  "timestamp with time zone": "timestamptz",
};

/** True for a column that means the same in every table. */
function isExplained({ columns }: Table, name: string): boolean {
  const kind = columns[name];
  return kind === undefined || ["app", "keyword", "country", "device"].includes(kind) || name === "extra";
}
