import type { Column, Relation } from "../postgres/relations.ts";
import { monthColumn } from "../export/parts-of-table.ts";
import { clickHouseType } from "./column-type.ts";

/** A name of ClickHouse as a statement has it. */
export function quoted(name: string): string {
  return `\`${name.replaceAll("\\", "\\\\").replaceAll("`", "\\`")}\``;
}

/** A text of ClickHouse as a statement has it. */
export function literal(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

/** The name of a relation: its schema is a database there. */
export function nameOf({ schema, table }: Pick<Relation, "schema" | "table">): string {
  return `${quoted(schema)}.${quoted(table)}`;
}

/** The partition of a month (`YYYY-MM`); all of a table without months. A row without a day is in one of its own. */
export function partitionOf(month: string): string {
  if (month === "") return "tuple()";
  return month === noDay ? "190001" : month.replace("-", "");
}

/** Stands for the month of rows without a day. */
export const noDay = "none";

/** Makes a table by month, sorted by its key. Months are replaced whole; of rows with one key the newest answer would stay. */
export function createTable(relation: Relation): string {
  const month = monthColumn(relation);
  const fetched = relation.columns.find(({ name }) => name === "fetched_at");
  const engine =
    fetched === undefined || fetched.isNullable ? "MergeTree" : `ReplacingMergeTree(${quoted(fetched.name)})`;
  const isOptional = relation.columns.some(({ name, isNullable }) => name === month && isNullable);
  const day = month === null ? null : isOptional ? `ifNull(${quoted(month)}, toDate32('1900-01-01'))` : quoted(month);
  return `
    create table if not exists ${nameOf(relation)} (${relation.columns.map(columnText).join(", ")})
    engine = ${engine}
    partition by ${day === null ? "tuple()" : `toYYYYMM(${day})`}
    order by ${relation.key.length === 0 ? "tuple()" : `(${relation.key.map(quoted).join(", ")})`}
    settings allow_nullable_key = 1
    comment ${literal(relation.comment)}`;
}

/** Brings columns and comments of a table that is there up to date; none is taken away. */
export function alterTable(relation: Relation): readonly string[] {
  const table = nameOf(relation);
  const columns = relation.columns.map((column) => [quoted(column.name), column] as const);
  return [
    ...columns.map(
      ([name, column]) => `alter table ${table} add column if not exists ${name} ${clickHouseType(column)}`,
    ),
    ...columns.map(([name, { comment }]) => `alter table ${table} comment column ${name} ${literal(comment)}`),
    `alter table ${table} modify comment ${literal(relation.comment)}`,
  ];
}

/** Makes a view with the columns that Postgres has, of a query in the dialect of ClickHouse, where no partner of a left join is null. */
export function createView(relation: Relation, query: string): string {
  return `create or replace view ${nameOf(relation)} (${relation.columns.map(columnText).join(", ")}) as ${query} settings join_use_nulls = 1 comment ${literal(relation.comment)}`;
}

function columnText(column: Column): string {
  return `${quoted(column.name)} ${clickHouseType(column)} comment ${literal(column.comment)}`;
}
