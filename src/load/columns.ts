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

/** True if the kind is a key of a dimension. */
export function isDimension(kind: ColumnKind): kind is DimensionKind {
  return (dimensionKinds as readonly ColumnKind[]).includes(kind);
}

/** A Postgres array literal of one column; written by hand because the driver's own takes twice as long. */
export function arrayLiteral(kind: ColumnKind, values: readonly (string | number | boolean | null)[]): string {
  // joined once: a text that grows with each value becomes a tree of ten thousand parts for the garbage collector
  return `{${values.map((value) => arrayElement(kind, value)).join(",")}}`;
}

/** A part of an array literal. */
export type Element = string | number | boolean;

/** A value as an element of an array literal. */
export function arrayElement(kind: ColumnKind, value: Element | null): Element {
  if (value === null) return "NULL";
  return isQuoted(kind) ? quote(String(value)) : value;
}

/** True for a kind whose elements are in quotes. */
export function isQuoted(kind: ColumnKind): boolean {
  return kind === "text" || kind === "json";
}

function quote(text: string): string {
  return `"${cleanText(text).replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
