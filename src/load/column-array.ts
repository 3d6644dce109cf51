import { arrayElement, type Element, isDimension } from "./columns.ts";
import type { Dimensions } from "./dimensions.ts";
import type { ColumnKind, Row, Table } from "./table.ts";

/** One column of rows, as the elements of a Postgres array literal. */
export type EncodedColumn = {
  /** True when all rows have the same value; then there is one element for all. */
  readonly constant: boolean;
  readonly elements: string;
};

/** A value as its column holds it: of a dimension the key. */
export function stored(kind: ColumnKind, value: Row[string] | undefined, dimensions: Dimensions): Row[string] {
  return isDimension(kind) && typeof value === "string" ? dimensions.keyOf(kind, value) : (value ?? null);
}

/** Encodes every column of rows whose names were learned. There must be at least one row. */
export function encodeRows(
  table: Table,
  rows: readonly Row[],
  dimensions: Dimensions,
): ReadonlyMap<string, EncodedColumn> {
  const encoded = new Map<string, EncodedColumn>();
  for (const [column, kind] of Object.entries(table.columns)) {
    const constant = isConstant(column, rows);
    const elements: Element[] = [];
    const count = constant ? 1 : rows.length;
    for (let place = 0; place < count; place += 1)
      elements.push(arrayElement(kind, stored(kind, (rows[place] as Row)[column], dimensions)));
    encoded.set(column, { constant, elements: elements.join(",") });
  }
  return encoded;
}

/** True when all rows have the same value. */
export function isConstant(column: string, rows: readonly Row[]): boolean {
  const first = rows[0]?.[column];
  for (const row of rows) if (row[column] !== first) return false;
  return true;
}

/** The elements of a column, one a row. */
export function spread({ constant, elements }: EncodedColumn, count: number): string {
  return constant ? repeat(elements, count) : elements;
}

/** `element` `count` times, as elements of an array literal. */
export function repeat(element: string, count: number): string {
  return count === 0 ? "" : `${element},`.repeat(count).slice(0, -1);
}
