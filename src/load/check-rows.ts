import { isDay } from "../core/day.ts";
import { devicesOf } from "../core/store.ts";
import { cleanText } from "../core/text.ts";
import { isDimension } from "./columns.ts";
import type { ColumnKind, Row, Table } from "./table.ts";

/** Rows that their table can take, and invalid ones, each with its reason. */
export type CheckedRows = {
  readonly fit: readonly Row[];
  readonly invalid: readonly { readonly reason: string; readonly item: Row }[];
};

type Value = Row[string];

const int4 = 2 ** 31;
/** A key's index holds 2,704 bytes a row at most, its own header among them. */
const longestKey = 2_600;
const clockTime = /^\d{4}-\d{2}-\d{2}[T ]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?$/;
const devices: readonly string[] = Object.values(devicesOf).flat();
const isText = (value: Value): value is string => typeof value === "string";
const isNumber = (value: Value) => typeof value === "number" && Number.isFinite(value);

/** What a value must be to go into a column of each kind. Null is checked apart. */
const fits: Record<ColumnKind, (value: Value) => boolean> = {
  app: (value) => isText(value) && /^(ios|android):./s.test(value),
  keyword: isText,
  country: (value) => isText(value) && /^([A-Z]{2}|ALL)$/.test(value),
  device: (value) => isText(value) && devices.includes(value),
  day: (value) => isText(value) && isDay(value),
  text: isText,
  int: (value) => Number.isInteger(value) && Math.abs(Number(value)) < int4,
  bigint: (value) => Number.isSafeInteger(value),
  number: isNumber,
  boolean: (value) => typeof value === "boolean",
  timestamp: (value) => isText(value) && clockTime.test(value) && isDay(value.slice(0, 10)),
  timestamptz: (value) =>
    isText(value) && value.endsWith("Z") && clockTime.test(value.slice(0, -1)) && isDay(value.slice(0, 10)),
  date: (value) => isText(value) && isDay(value),
  json: (value) => isText(value) && isJson(value),
};

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    // Postgres cannot store an escaped U+0000; answers are cleaned of it when they are read
    return !text.includes("\\u0000");
  } catch {
    return false;
  }
}

/**
 * Separates rows that the table can take from those that would make the statement fail: wrong types; empty or too long keys; rows that
 * differ under one key, of which the first fits. A row that equals another is that row, and neither is invalid.
 */
export function checkRows(table: Table, rows: readonly Row[]): CheckedRows {
  const columns = columnsOf(table);
  // most rows of an answer share app, country and day: only the columns that differ distinguish them
  const differing = table.key.filter((column) => rows.some((row) => row[column] !== rows[0]?.[column]));
  const seen = new Map<string, Row>();
  const fit: Row[] = [];
  const invalid: { reason: string; item: Row }[] = [];
  for (const row of rows) {
    let reason = problemOf(columns, row);
    if (reason === null) {
      const key = keyOf(differing, row);
      const first = seen.get(key);
      if (first === undefined) seen.set(key, row);
      else if (isEqual(columns, first, row)) continue;
      else reason = "a second row with the same key";
    }
    if (reason === null) fit.push(row);
    else invalid.push({ reason, item: row });
  }
  return { fit, invalid };
}

type Column = { readonly name: string; readonly kind: ColumnKind; readonly isKey: boolean; fitted: Value };

function columnsOf(table: Table): readonly Column[] {
  return Object.entries(table.columns).map(([name, kind]) => ({
    name,
    kind,
    isKey: table.key.includes(name),
    fitted: null,
  }));
}

function problemOf(columns: readonly Column[], row: Row): string | null {
  for (const column of columns) {
    const value = row[column.name] ?? null;
    if (value === null) {
      if (column.isKey) return `${column.name} is missing`;
      continue;
    }
    // neighbours mostly share app, country and day
    if (value === column.fitted) continue;
    if (!fits[column.kind](value)) return `${column.name} is not a valid ${column.kind}`;
    if ((column.isKey || isDimension(column.kind)) && isTooLong(value)) return `${column.name} is too long for a key`;
    column.fitted = value;
  }
  return null;
}

function isEqual(columns: readonly Column[], a: Row, b: Row): boolean {
  return columns.every(({ name }) => (a[name] ?? null) === (b[name] ?? null));
}

function isTooLong(value: Value): boolean {
  const text = String(value);
  // no character takes more than three bytes a unit
  return text.length * 3 > longestKey && Buffer.byteLength(text) > longestKey;
}

/** The key as the table stores it, as one text: characters that Postgres cannot store do not distinguish keys, and U+0000 is in none. */
function keyOf(columns: readonly string[], row: Row): string {
  const [first = "", ...rest] = columns;
  let key = cleanText(String(row[first]));
  for (const column of rest) key += `\0${cleanText(String(row[column]))}`;
  return key;
}
