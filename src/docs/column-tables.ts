import type { Relation } from "../export/relation.ts";
import { markdown } from "./markdown.ts";

/** Tables of columns: each table and view that analysts query, folded up. */
export function columnTables(relations: readonly Relation[]): string {
  return relations.map(folded).join("\n\n");
}

function folded({ name, comment, columns }: Relation): string {
  const rows = columns.map((column) => [`\`${column.name}\``, shortType(column.type), escaped(column.comment)]);
  return [
    `<details><summary><code>${name}</code> ${escaped(comment)}</summary>`,
    markdown(["column", "type", "meaning"], rows),
    "</details>",
  ].join("\n\n");
}

function shortType(type: string): string {
  return type.replace("timestamp with time zone", "timestamptz").replace("timestamp without time zone", "timestamp");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
