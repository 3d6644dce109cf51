import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { projectRoot } from "../config/config.ts";

/** A column: its type as the migration writes it ('' in a view, of which only a database knows it), and its comment. */
type MigratedColumn = { readonly name: string; readonly type: string; readonly comment: string };

/** A table or view of the warehouse as the migrations leave it. `name` with its schema. */
export type MigratedTable = {
  readonly name: string;
  readonly isView: boolean;
  readonly comment: string;
  readonly columns: readonly MigratedColumn[];
};

const folder = path.join(projectRoot, "migrations");

/** The tables and views that all migrations make together, in the order in which they are made; read from their SQL, without a database. */
export function migratedTables(): readonly MigratedTable[] {
  const files = readdirSync(folder)
    .filter((file) => file.endsWith(".sql"))
    .sort();
  return tablesOf(files.map((file) => readFileSync(path.join(folder, file), "utf8")).join("\n"));
}

/** The statements that make, change and explain tables, in our migrations' way of writing them. */
const statement = new RegExp(
  [
    String.raw`^create table (?<table>[\w.]+) \((?<body>[\s\S]*?)\n\)`,
    String.raw`^create (?:or replace )?view (?<view>[\w.]+)`,
    String.raw`^drop view (?:if exists )?(?<gone>[\w.]+)`,
    String.raw`^alter table (?<altered>[\w.]+)\s(?<changes>[^;]*);`,
    String.raw`^comment on (?<kind>table|view|column)\s+(?<on>[\w.]+)\s+is\s+'(?<comment>(?:[^']|'')*)'`,
  ].join("|"),
  "gm",
);

type Draft = { isView: boolean; comment: string; readonly columns: Map<string, { type: string; comment: string }> };

/** The tables and views that migrations make, one after the other. */
export function tablesOf(migrations: string): readonly MigratedTable[] {
  const drafts = new Map<string, Draft>();
  for (const { groups = {} } of migrations.matchAll(statement)) apply(drafts, groups);
  return [...drafts].map(([name, { isView, comment, columns }]) => ({
    name,
    isView,
    comment,
    columns: [...columns].map(([column, facts]) => ({ name: column, ...facts })),
  }));
}

type Groups = Readonly<Record<string, string | undefined>>;

function apply(drafts: Map<string, Draft>, { table, body, view, gone, altered, changes, kind, on, comment }: Groups) {
  if (table !== undefined) {
    const columns = new Map((body ?? "").split("\n").flatMap(columnOf));
    drafts.set(table, { isView: false, comment: "", columns });
  }
  if (view !== undefined && !drafts.has(view)) drafts.set(view, { isView: true, comment: "", columns: new Map() });
  if (gone !== undefined) drafts.delete(gone);
  if (altered !== undefined) alter(drafts.get(altered), changes ?? "");
  if (on !== undefined)
    explain(drafts, { isColumn: kind === "column", on, text: (comment ?? "").replaceAll("''", "'") });
}

/** A line inside `create table (...)` or after `add column`. */
function columnOf(line: string): readonly (readonly [string, { type: string; comment: string }])[] {
  const found = /^\s*(\w+)\s+(double precision|[a-z]+(?:\(\d+(?:, ?\d+)?\))?(?:\[\])?)/.exec(line);
  const [, name = "", type = ""] = found ?? [];
  return found === null || notColumns.has(name) ? [] : [[name, { type, comment: "" }]];
}

const notColumns: ReadonlySet<string> = new Set(["primary", "unique", "check", "foreign", "constraint", "exclude"]);

function alter(draft: Draft | undefined, changes: string): void {
  for (const change of changes.split(/,\s*(?=add |drop |rename |alter )/)) {
    const [, added = "", dropped = "", from = "", to = ""] =
      /^add column ([\s\S]*)|^drop column (\w+)|^rename column (\w+) to (\w+)/.exec(change.trim()) ?? [];
    for (const [name, facts] of columnOf(added)) draft?.columns.set(name, facts);
    draft?.columns.delete(dropped);
    const renamed = draft?.columns.get(from);
    if (renamed !== undefined) draft?.columns.set(to, renamed);
    draft?.columns.delete(from);
  }
}

function explain(
  drafts: Map<string, Draft>,
  { isColumn, on, text }: { readonly isColumn: boolean; readonly on: string; readonly text: string },
): void {
  const name = isColumn ? on.slice(0, on.lastIndexOf(".")) : on;
  const draft = drafts.get(name);
  if (draft === undefined) return;
  if (!isColumn) {
    draft.comment = text;
    return;
  }
  const column = on.slice(name.length + 1);
  draft.columns.set(column, { type: draft.columns.get(column)?.type ?? "", comment: text });
}
