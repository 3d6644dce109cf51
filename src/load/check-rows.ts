import { isDay } from "../core/day.ts";
import { devicesOf } from "../core/store.ts";
import { cleanText } from "../core/text.ts";
import { isDimension } from "./columns.ts";
import { columnsIn, type RowColumns, valuesOf } from "./row-columns.ts";
import type { ColumnKind, Row, Table } from "./table.ts";

/** Rows that their table can take, and invalid ones, each with its reason. */
export type CheckedRows = {
  readonly fit: readonly Row[];
  /** The columns of the fitting rows; left out if any row is invalid. */
  readonly columns?: RowColumns;
  readonly invalid: readonly { readonly reason: string; readonly item: Row }[];
};

type Value = Row[string];

const int4 = 2 ** 31;
/** The index of a key holds at most 2,704 bytes per row, including its header. */
const longestKey = 2_600;
/** Days that have a partition: see ops.make_partition. */
const [earliestDay, farthestDay] = ["1970-01-01", "2199-12-31"];
const devices: readonly string[] = Object.values(devicesOf).flat();
const isText = (value: Value): value is string => typeof value === "string";
const isNumber = (value: Value) => typeof value === "number" && Number.isFinite(value);

/** Whether a value fits a column of each kind. Null is checked separately. */
const fits: Record<ColumnKind, (value: Value) => boolean> = {
  app: (value) => isText(value) && /^(ios|android):./s.test(value),
  keyword: isText,
  country: (value) => isText(value) && /^([A-Z]{2}|ALL)$/.test(value),
  device: (value) => isText(value) && devices.includes(value),
  day: (value) => isText(value) && isDay(value) && value >= earliestDay && value <= farthestDay,
  text: isText,
  int: (value) => Number.isInteger(value) && Math.abs(Number(value)) < int4,
  bigint: (value) => Number.isSafeInteger(value),
  number: isNumber,
  boolean: (value) => typeof value === "boolean",
  timestamp: (value) => isText(value) && isClockTime(value),
  timestamptz: (value) => isText(value) && value.endsWith("Z") && isClockTime(value.slice(0, -1)),
  date: (value) => isText(value) && isDay(value),
  json: (value) => isText(value) && isJson(value),
};

const clockTime = /^[T ]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?$/;
/** The day of the last time that was checked, which is one of the calendar. */
let dayOfLastTime = "";

/** True for a time on a day of the calendar; neighbouring rows mostly have the same day. */
function isClockTime(time: string): boolean {
  if (dayOfLastTime === "" || !time.startsWith(dayOfLastTime)) {
    const day = time.slice(0, 10);
    if (!isDay(day)) return false;
    dayOfLastTime = day;
  }
  // a pattern takes three times as long as checking the digits of the usual form
  return isWholeSecond(time) || clockTime.test(time.slice(10));
}

function isWholeSecond(time: string): boolean {
  if (time.length !== 19) return false;
  const between = time.charCodeAt(10);
  const colon = 58;
  return (
    (between === 84 || between === 32) &&
    twoDigits(time, 11) < 24 &&
    time.charCodeAt(13) === colon &&
    twoDigits(time, 14) < 60 &&
    time.charCodeAt(16) === colon &&
    twoDigits(time, 17) < 60
  );
}

/** The number of two digits; above any clock reading if they are not digits. */
function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48;
  const ones = text.charCodeAt(at + 1) - 48;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : 100;
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
 * differ but share a key (the first of them fits). Equal rows count as one, and are valid.
 */
export function checkRows(table: Table, rows: readonly Row[]): CheckedRows {
  const columns = columnsIn(table, rows);
  // most rows of an answer share app, country and day: only the columns that differ distinguish them
  const differing = table.key.filter((column) => !valuesOf(columns, column).constant);
  const reasons = problemsIn(table, columns);
  // nearly every answer fits as a whole: then its rows need not be checked one by one
  if (reasons === null && areApart(differing, columns)) return { fit: rows, columns, invalid: [] };
  return separated({ table, differing, rows, reasons: reasons ?? [] });
}

/** Why rows do not fit, by their place; null if all fit. */
function problemsIn(table: Table, columns: RowColumns): readonly (string | undefined)[] | null {
  let reasons: (string | undefined)[] | null = null;
  for (const [name, { constant, values }] of columns.of) {
    const kind = table.columns[name] ?? "text";
    const isKey = table.key.includes(name);
    const limits = { name, kind, isKey, isBounded: isKey || isDimension(kind) };
    let fitted: Value | undefined;
    for (let place = 0; place < values.length; place += 1) {
      const value = values[place] as Value;
      // neighbours mostly share app, country and day
      if (value === fitted) continue;
      const reason = problemOf(limits, value);
      if (reason === null) fitted = value;
      else
        for (let row = place; row < (constant ? columns.rows.length : place + 1); row += 1)
          (reasons ??= [])[row] ??= reason;
    }
  }
  for (const { place, reason } of longTogether(table, columns)) (reasons ??= [])[place] ??= reason;
  return reasons;
}

/** Rows whose key texts are too long together, by their place: an index holds the whole key. */
function longTogether(
  table: Table,
  columns: RowColumns,
): readonly { readonly place: number; readonly reason: string }[] {
  const names = table.key.filter((name) => table.columns[name] === "text");
  if (names.length < 2) return [];
  const texts = names.map((name) => valuesOf(columns, name));
  const longest = texts.map(({ values }) =>
    values.reduce((most: number, one) => Math.max(most, String(one).length), 0),
  );
  // no character takes more than three bytes per code unit, and nearly every answer has short keys
  if (longest.reduce((sum, one) => sum + one) * 3 <= longestKey) return [];
  const reason = `${names.join(", ")} together are too long for a key`;
  return columns.rows.flatMap((_, place) => {
    const key = texts.map(({ constant, values }) => values[constant ? 0 : place]);
    return isTooLong(key.join("")) ? [{ place, reason }] : [];
  });
}

type Limits = {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly isKey: boolean;
  readonly isBounded: boolean;
};

function problemOf({ name, kind, isKey, isBounded }: Limits, value: Value): string | null {
  if (value === null) return isKey ? `${name} is missing` : null;
  if (!fits[kind](value)) return `${name} is not a valid ${kind}`;
  return isBounded && isTooLong(value) ? `${name} is too long for a key` : null;
}

/** True if no two rows share a key. */
function areApart(differing: readonly string[], columns: RowColumns): boolean {
  const [only, ...others] = differing;
  const { rows } = columns;
  if (only === undefined) return rows.length < 2;
  const keys = new Set<string>();
  if (others.length > 0) for (const row of rows) keys.add(keyOf(differing, row));
  else for (const value of valuesOf(columns, only).values) keys.add(cleanText(String(value)));
  return keys.size === rows.length;
}

type Separating = {
  readonly table: Table;
  readonly differing: readonly string[];
  readonly rows: readonly Row[];
  readonly reasons: readonly (string | undefined)[];
};

function separated({ table, differing, rows, reasons }: Separating): CheckedRows {
  const seen = new Map<string, Row>();
  const fit: Row[] = [];
  const invalid: { reason: string; item: Row }[] = [];
  for (const [place, row] of rows.entries()) {
    let reason = reasons[place];
    if (reason === undefined) {
      const key = keyOf(differing, row);
      const first = seen.get(key);
      if (first === undefined) seen.set(key, row);
      else if (isEqual(table, first, row)) continue;
      else reason = "a second row with the same key";
    }
    if (reason === undefined) fit.push(row);
    else invalid.push({ reason, item: row });
  }
  return { fit, invalid };
}

function isEqual({ columns }: Table, a: Row, b: Row): boolean {
  return Object.keys(columns).every((name) => (a[name] ?? null) === (b[name] ?? null));
}

function isTooLong(value: Value): boolean {
  const text = String(value);
  // no character takes more than three bytes per code unit
  return text.length * 3 > longestKey && Buffer.byteLength(text) > longestKey;
}

/**
 * The key as the table stores it, as one text. Characters that Postgres cannot store do not distinguish keys, so U+0000 can separate the
 * parts.
 */
function keyOf(columns: readonly string[], row: Row): string {
  let key = "";
  for (let place = 0; place < columns.length; place += 1) {
    const value = cleanText(String(row[columns[place] as string]));
    key = place === 0 ? value : `${key}\0${value}`;
  }
  return key;
}
