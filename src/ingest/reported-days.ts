import { Instant } from "../api/values.ts";
import type { InvalidItem } from "../api/read-answer.ts";
import { addDays, type Day } from "../core/day.ts";
import type { Slice } from "../core/slice.ts";
import { holds, windowLength } from "../core/window.ts";
import type { Dataset } from "../datasets/shared/define-dataset.ts";
import { readInstant } from "../datasets/shared/instants.ts";
import type { Tail } from "../ledger/tails.ts";
import { dayColumns, type Row, type Table } from "../load/table.ts";
import { lateFrom } from "../plan/missing.ts";

/** An answer as the rows of the first table of its dataset, and its invalid items. */
export type ReportedAnswer = { readonly rows: readonly Row[]; readonly invalid: readonly InvalidItem[] };

/**
 * The days at the end of a slice's window that its answer says nothing about. This is the only place that decides how far an answer
 * reports, for every dataset that names a column for it (`reportedBy`). Null if the answer reports the last day, if it reports no day (then
 * the whole slice is empty), or if this many quiet days are ordinary. An invalid item counts for any day that can be read in it.
 */
export function tailOf(
  { reportedBy, timing }: Pick<Dataset, "reportedBy" | "timing">,
  slice: Pick<Slice, "window" | "asOf" | "class" | "tailOf">,
  reported: ReportedAnswer,
): Tail | null {
  const { window } = slice;
  if (reportedBy === undefined || slice.class === "snapshot" || windowLength(window) < 2) return null;
  const through = newestDay(reportedBy.column, reported);
  if (through === null || !holds(window, through)) return null;
  const tail = { start: addDays(through, 1), end: window.end };
  if (windowLength(tail) <= (reportedBy.quietDays ?? 0)) return null;
  // the rest of a tail is not late: the answers are known to end early
  const from = timing.kind === "snapshot" ? slice.asOf : lateFrom(timing, slice.asOf);
  return { window: tail, isLate: slice.tailOf === undefined && tail.start >= from };
}

function newestDay(column: string, { rows, invalid }: ReportedAnswer): Day | null {
  let newest: Day | null = null;
  const days = [rows.map((row) => dayIn(row[column])), invalid.flatMap(({ item }) => daysIn(item))].flat();
  for (const day of days) if (day !== null && (newest === null || day > newest)) newest = day;
  return newest;
}

function dayIn(value: Row[string] | undefined): Day | null {
  return typeof value === "string" ? (value.slice(0, 10) as Day) : null;
}

/** The days in those fields of an item whose names suggest a day. */
function daysIn(item: unknown): readonly Day[] {
  if (typeof item !== "object" || item === null) return [];
  return Object.entries(item).flatMap(([name, value]) => {
    const instant = /date|day|_at$/i.test(name) ? Instant.safeParse(value) : null;
    return instant?.success === true ? [readInstant(instant.data).day] : [];
  });
}

/**
 * The rows of a table without those of the tail: the answer says nothing about these days, so a row that follows from the request alone
 * ("not ranked") would be wrong.
 */
export function withoutTail(table: Table, rows: readonly Row[], tail: Tail | null): readonly Row[] {
  const column = dayColumns(table)?.first;
  if (tail === null || column === undefined) return rows;
  return rows.filter((row) => String(row[column]) < tail.window.start);
}
