import type { Relation } from "../postgres/relations.ts";
import { escaped, pageText, markdownTable } from "./page.ts";

/** The page of columns: each table and view that analysts query, folded up. */
export function columnsPage(relations: readonly Relation[]): string {
  return pageText({
    file: "reference/columns.md",
    title: "Columns",
    about: [
      "Every table and view of `core` and `mart`, and every view of `ops`. The same texts are comments in the database (`\\d+` in psql).",
    ],
    body: relations.map(folded),
  });
}

function folded({ name, comment, columns, key }: Relation): string {
  const rows = columns.map((column) => [`\`${column.name}\``, shortType(column.type), escaped(column.comment)]);
  return [
    `<details><summary><code>${name}</code> ${escaped(comment)}</summary>`,
    ...(key.length === 0 ? [] : [`Key: ${key.map((column) => `\`${column}\``).join(", ")}.`]),
    markdownTable(["column", "type", "meaning"], rows),
    "</details>",
  ].join("\n\n");
}

function shortType(type: string): string {
  return type.replace("timestamp with time zone", "timestamptz").replace("timestamp without time zone", "timestamp");
}
