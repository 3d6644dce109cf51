import { isDay } from "../core/day.ts";
import { devicesOf } from "../core/store.ts";
import { cleanText } from "../core/text.ts";
import { isConstant } from "./column-array.ts";
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
  timestamp: (value) => isText(value) && clockTime.test(value) && beginsWithDay(value),
  timestamptz: (value) =>
    isText(value) && value.endsWith("Z") && clockTime.test(value.slice(0, -1)) && beginsWithDay(value),
  date: (value) => isText(value) && isDay(value),
  json: (value) => isText(value) && isJson(value),
};

let lastDay = "";

/** True for a time on a day of the calendar; neighbours mostly are of one day. */
function beginsWithDay(time: string): boolean {
  if (lastDay !== "" && time.startsWith(lastDay)) return true;
  const day = time.slice(0, 10);
  if (!isDay(day)) return false;
  lastDay = day;
  return true;
}

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
  const differing: string[] = [];
  let reasons: (string | undefined)[] | null = null;
  for (const column of columns) {
    reasons = problemsIn(column, rows, reasons);
    if (column.isKey && !isConstant(column.name, rows)) differing.push(column.name);
  }
  // nearly every answer fits as a whole, and then its rows need not be gone through one by one
  return reasons === null && areApart(differing, rows)
    ? { fit: rows, invalid: [] }
    : separated({ columns, differing, rows, reasons: reasons ?? [] });
}

type Column = { readonly name: string; readonly kind: ColumnKind; readonly isKey: boolean };

const columnsKnown = new WeakMap<Table, readonly Column[]>();

function columnsOf(table: Table): readonly Column[] {
  const known = columnsKnown.get(table);
  if (known !== undefined) return known;
  const columns = Object.entries(table.columns).map(([name, kind]) => ({
    name,
    kind,
    isKey: table.key.includes(name),
  }));
  columnsKnown.set(table, columns);
  return columns;
}

/** Why values of a column do not fit, by the place of their row, beside what is known of columns before it; null where all fit. */
function problemsIn(
  { name, kind, isKey }: Column,
  rows: readonly Row[],
  before: (string | undefined)[] | null,
): (string | undefined)[] | null {
  const isFit = fits[kind];
  const isBounded = isKey || isDimension(kind);
  let reasons = before;
  let fitted: Value = null;
  for (let place = 0; place < rows.length; place += 1) {
    const value = (rows[place] as Row)[name] ?? null;
    // neighbours mostly share app, country and day
    if (value === fitted && !(value === null && isKey)) continue;
    const reason = problemOf(value);
    if (reason === null) fitted = value;
    else (reasons ??= [])[place] ??= reason;
  }
  return reasons;

  function problemOf(value: Value): string | null {
    if (value === null) return isKey ? `${name} is missing` : null;
    if (!isFit(value)) return `${name} is not a valid ${kind}`;
    return isBounded && isTooLong(value) ? `${name} is too long for a key` : null;
  }
}

/** True where no two rows that fit have one key. */
function areApart(differing: readonly string[], rows: readonly Row[]): boolean {
  const keys = new Set<string>();
  for (const row of rows) keys.add(keyOf(differing, row));
  return keys.size === rows.length;
}

type Separating = {
  readonly columns: readonly Column[];
  readonly differing: readonly string[];
  readonly rows: readonly Row[];
  readonly reasons: readonly (string | undefined)[];
};

function separated({ columns, differing, rows, reasons }: Separating): CheckedRows {
  const seen = new Map<string, Row>();
  const fit: Row[] = [];
  const invalid: { reason: string; item: Row }[] = [];
  for (const [place, row] of rows.entries()) {
    let reason = reasons[place];
    if (reason === undefined) {
      const key = keyOf(differing, row);
      const first = seen.get(key);
      if (first === undefined) seen.set(key, row);
      else if (isEqual(columns, first, row)) continue;
      else reason = "a second row with the same key";
    }
    if (reason === undefined) fit.push(row);
    else invalid.push({ reason, item: row });
  }
  return { fit, invalid };
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
  let key = "";
  for (let place = 0; place < columns.length; place += 1) {
    const value = cleanText(String(row[columns[place] as string]));
    key = place === 0 ? value : `${key}\0${value}`;
  }
  return key;
}
