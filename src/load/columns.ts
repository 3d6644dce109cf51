import { cleanText } from "../core/text.ts";
import type { ColumnKind } from "./table.ts";

/** The Postgres type of each kind of column. */
export const pgTypes = {
  app: "integer",
  keyword: "integer",
  country: "smallint",
  device: "smallint",
  day: "date",
  text: "text",
  int: "integer",
  bigint: "bigint",
  number: "numeric",
  boolean: "boolean",
  timestamp: "timestamp",
  timestamptz: "timestamptz",
  date: "date",
  json: "jsonb",
} as const satisfies Record<ColumnKind, string>;

/** Kinds whose values are looked up in a dimension. */
const dimensionKinds = ["app", "keyword", "country", "device"] as const satisfies readonly ColumnKind[];
export type DimensionKind = (typeof dimensionKinds)[number];

/** True when the kind is a key of a dimension. */
export function isDimension(kind: ColumnKind): kind is DimensionKind {
  return (dimensionKinds as readonly ColumnKind[]).includes(kind);
}

/** A Postgres array literal of one column; written by hand because the driver's own takes twice as long. */
export function arrayLiteral(kind: ColumnKind, values: readonly (string | number | boolean | null)[]): string {
  return `{${arrayElements(kind, values)}}`;
}

/** The elements of an array literal, without its braces. */
export function arrayElements(kind: ColumnKind, values: readonly (string | number | boolean | null)[]): string {
  const quoted = isQuoted(kind);
  // joined once: a text that grows by each value is a tree of ten thousand parts, which the collector walks
  return values.map((value) => (value === null ? "NULL" : quoted ? quote(String(value)) : value)).join(",");
}

/** True for a kind whose elements are in quotes. */
export function isQuoted(kind: ColumnKind): boolean {
  return kind === "text" || kind === "json";
}

function quote(text: string): string {
  return `"${cleanText(text).replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
