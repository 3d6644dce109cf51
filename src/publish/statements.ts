import pg from "pg";
import type { Column, Relation } from "../postgres/relations.ts";
import { monthColumn } from "../export/parts-of-table.ts";
import { clickHouseType } from "./column-type.ts";

/** A ClickHouse name, quoted for a statement. */
export function quoted(name: string): string {
  return `\`${name.replaceAll("\\", "\\\\").replaceAll("`", "\\`")}\``;
}

/** A text as a ClickHouse literal. */
export function literal(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

/** The name of a relation in ClickHouse, where its schema is a database. */
export function qualifiedName({ schema, table }: Pick<Relation, "schema" | "table">): string {
  return `${quoted(schema)}.${quoted(table)}`;
}

/** The partition of a month (`YYYY-MM`); the only one of a table without months. Rows without a day have a separate one. */
export function partitionOf(month: string): string {
  if (month === "") return onePartition;
  return month === noDay ? partitionWithoutDay : month.replace("-", "");
}

const onePartition = "tuple()";
const partitionWithoutDay = "190001";

/** Stands for the month of rows without a day. */
export const noDay = "none";

/** The column whose months partition a relation; null if it has no months. */
export function monthOf(relation: Relation): Column | null {
  const month = monthColumn(relation);
  return relation.columns.find(({ name }) => name === month) ?? null;
}

/** The partition of a row as an expression, in ClickHouse and in Postgres; both give the same text. */
export function partitionOfRow(month: Column | null): { readonly clickHouse: string; readonly postgres: string } {
  if (month === null) return { clickHouse: onePartition, postgres: pg.escapeLiteral(onePartition) };
  const name = quoted(month.name);
  return {
    clickHouse: `toYYYYMM(${month.isNullable ? `ifNull(${name}, toDate32('1900-01-01'))` : name})`,
    postgres: `coalesce(to_char(${pg.escapeIdentifier(month.name)}, 'YYYYMM'), '${partitionWithoutDay}')`,
  };
}

/**
 * Makes a table by month, sorted by its key. Months are replaced whole; of several rows with one key, that of the newest answer would stay.
 */
export function createTable(relation: Relation): string {
  const fetched = relation.columns.find(({ name }) => name === "fetched_at");
  const engine =
    fetched === undefined || fetched.isNullable ? "MergeTree" : `ReplacingMergeTree(${quoted(fetched.name)})`;
  return `
    create table if not exists ${qualifiedName(relation)} (${relation.columns.map(columnText).join(", ")})
    engine = ${engine}
    partition by ${partitionOfRow(monthOf(relation)).clickHouse}
    order by ${relation.key.length === 0 ? "tuple()" : `(${relation.key.map(quoted).join(", ")})`}
    settings allow_nullable_key = 1
    comment ${literal(relation.comment)}`;
}

/** Brings columns and comments of an existing table up to date; removes no column. */
export function alterTable(relation: Relation): string {
  const columns = relation.columns.map((column) => [quoted(column.name), column] as const);
  const changes = [
    ...columns.map(([name, column]) => `add column if not exists ${name} ${clickHouseType(column)}`),
    ...columns.map(([name, { comment }]) => `comment column ${name} ${literal(comment)}`),
    `modify comment ${literal(relation.comment)}`,
  ];
  return `alter table ${qualifiedName(relation)} ${changes.join(", ")}`;
}

/** Replaces months of a table with those of another table, one after the other, each in one step. */
export function replaceMonths(relation: Relation, months: readonly string[], by: string): string {
  const changes = months.map((month) => `replace partition ${partitionOf(month)} from ${by}`);
  return `alter table ${qualifiedName(relation)} ${changes.join(", ")}`;
}

/**
 * The rows of months of a table that have no counterpart in another table, into which some of these months were loaded again: it has
 * neither a row with their key nor rows of their slice, of which it has all in this month. The text after `select`.
 */
function othersOf(relation: Relation, months: readonly string[], than: string): string {
  const [key, partition] = [relation.key.map(quoted).join(", "), partitionOfRow(monthOf(relation)).clickHouse];
  return `from ${qualifiedName(relation)} where ${partition} in (${months.map(partitionOf).join(", ")})
    and (${key}) not in (select ${key} from ${than}) and (${partition}, slice_id) not in (select ${partition}, slice_id from ${than})`;
}

/** Counts these rows by partition. */
export function countOthers(relation: Relation, months: readonly string[], than: string): string {
  const partition = partitionOfRow(monthOf(relation)).clickHouse;
  return `select toString(${partition}) as part, toString(count()) as rows ${othersOf(relation, months, than)} group by part`;
}

/** Adds these rows to the other table. */
export function keepOthers(relation: Relation, months: readonly string[], to: string): string {
  return `insert into ${to} select * ${othersOf(relation, months, to)}`;
}

/** Removes months of a table. */
export function dropMonths(relation: Relation, months: readonly string[]): string {
  return `alter table ${qualifiedName(relation)} ${months.map((month) => `drop partition ${partitionOf(month)}`).join(", ")}`;
}

/**
 * Makes a view with the columns that Postgres has, from a query in the dialect of ClickHouse; missing rows of a left join are null, as in
 * Postgres.
 */
export function createView(relation: Relation, query: string): string {
  return `create or replace view ${qualifiedName(relation)} (${relation.columns.map(columnText).join(", ")}) as ${query} settings join_use_nulls = 1 comment ${literal(relation.comment)}`;
}

function columnText(column: Column): string {
  return `${quoted(column.name)} ${clickHouseType(column)} comment ${literal(column.comment)}`;
}
