import { markdown } from "./markdown.ts";
import { migratedTables, type MigratedTable } from "./migrated-tables.ts";

/** README's tables of columns: each table and view that analysts query, folded up. */
export function columnTables(): string {
  return migratedTables()
    .filter(({ name, isView }) => /^(core|mart)\./.test(name) || (isView && name.startsWith("ops.")))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(folded)
    .join("\n\n");
}

function folded({ name, isView, comment, columns }: MigratedTable): string {
  const headings = isView ? ["column", "meaning"] : ["column", "type", "meaning"];
  const rows = columns.map((column) => [
    `\`${column.name}\``,
    ...(isView ? [] : [column.type]),
    escaped(column.comment),
  ]);
  return [
    `<details><summary><code>${name}</code> ${escaped(comment)}</summary>`,
    markdown(headings, rows),
    "</details>",
  ].join("\n\n");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
