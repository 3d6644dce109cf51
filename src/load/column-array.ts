import { arrayElement, type DimensionKind, type Element, isDimension } from "./columns.ts";
import type { Dimensions } from "./dimensions.ts";
import type { RowColumns } from "./row-columns.ts";
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
export function encodeColumns(
  table: Table,
  columns: RowColumns,
  dimensions: Dimensions,
): ReadonlyMap<string, EncodedColumn> {
  const encoded = new Map<string, EncodedColumn>();
  for (const [column, { constant, values }] of columns.of) {
    const kind = table.columns[column] ?? "text";
    const elements: Element[] = [];
    if (isDimension(kind)) for (const value of values) elements.push(keyElement(kind, value, dimensions));
    else for (const value of values) elements.push(arrayElement(kind, value));
    encoded.set(column, { constant, elements: elements.join(",") });
  }
  return encoded;
}

function keyElement(kind: DimensionKind, value: Row[string], dimensions: Dimensions): Element {
  return typeof value === "string" ? dimensions.keyOf(kind, value) : (value ?? "NULL");
}

/** The elements of a column, one a row. */
export function spread({ constant, elements }: EncodedColumn, count: number): string {
  return constant ? repeat(elements, count) : elements;
}

/** `element` `count` times, as elements of an array literal. */
export function repeat(element: string, count: number): string {
  return count === 0 ? "" : `${element},`.repeat(count).slice(0, -1);
}
