import { arrayElement, type DimensionKind, type Element, isDimension } from "./columns.ts";
import type { Dimensions } from "./dimensions.ts";
import type { RowColumns } from "./row-columns.ts";
import type { ColumnKind, Row, Table } from "./table.ts";

/** One column of rows, as the elements of a Postgres array literal. */
export type EncodedColumn = {
  /** True if all rows have the same value: then there is one element for all. */
  readonly constant: boolean;
  readonly elements: string;
};

/** A value as its column stores it: for a dimension, the key. */
export function stored(kind: ColumnKind, value: Row[string] | undefined, dimensions: Dimensions): Row[string] {
  return isDimension(kind) && typeof value === "string" ? dimensions.keyOf(kind, value) : (value ?? null);
}

/**
 * Encodes every column of rows whose names were learned. The rows are in the order of their key if `isOrdered` is true for the table. There
 * must be at least one row.
 */
export function encodeColumns(
  table: Table,
  columns: RowColumns,
  dimensions: Dimensions,
): ReadonlyMap<string, EncodedColumn> {
  const written = new Map<string, readonly Element[]>();
  for (const [column, { values }] of columns.of) {
    const kind = table.columns[column] ?? "text";
    const elements: Element[] = [];
    if (isDimension(kind)) for (const value of values) elements.push(keyElement(kind, value, dimensions));
    else for (const value of values) elements.push(arrayElement(kind, value));
    written.set(column, elements);
  }
  const places = isOrdered(table) ? placesByKey(table, written) : null;
  const encoded = new Map<string, EncodedColumn>();
  for (const [column, { constant }] of columns.of) {
    const elements = written.get(column) ?? [];
    const ordered = places === null || constant ? elements : places.map((place) => elements[place]);
    encoded.set(column, { constant, elements: ordered.join(",") });
  }
  return encoded;
}

/** Kinds with the same order here as in Postgres: numbers, and days as text. */
const ordered: ReadonlySet<ColumnKind> = new Set([
  "app",
  "keyword",
  "country",
  "device",
  "int",
  "bigint",
  "day",
  "date",
]);

/** True for a table whose rows are sorted by its key. */
export function isOrdered({ key, columns }: Pick<Table, "key" | "columns">): boolean {
  return key.every((column) => ordered.has(columns[column] ?? "text"));
}

/** The places of rows in the order of their key; null if they already are in that order. */
function placesByKey({ key }: Table, columns: ReadonlyMap<string, readonly Element[]>): readonly number[] | null {
  const varied = key.map((column) => columns.get(column) ?? []).filter((elements) => elements.length > 1);
  const compare = (one: number, other: number): number => {
    for (let column = 0; column < varied.length; column += 1) {
      const elements = varied[column] as readonly Element[];
      const left = elements[one] as Element;
      const right = elements[other] as Element;
      if (left !== right) return left < right ? -1 : 1;
    }
    return 0;
  };
  const length = varied[0]?.length ?? 0;
  let place = 1;
  while (place < length && compare(place - 1, place) <= 0) place += 1;
  return place >= length ? null : Array.from({ length }, (_, index) => index).sort(compare);
}

function keyElement(kind: DimensionKind, value: Row[string], dimensions: Dimensions): Element {
  return typeof value === "string" ? dimensions.keyOf(kind, value) : (value ?? "NULL");
}

/** The elements of a column, one per row. */
export function spread({ constant, elements }: EncodedColumn, count: number): string {
  return constant ? repeat(elements, count) : elements;
}

/** `element` `count` times, as elements of an array literal. */
export function repeat(element: string, count: number): string {
  return count === 0 ? "" : `${element},`.repeat(count).slice(0, -1);
}
