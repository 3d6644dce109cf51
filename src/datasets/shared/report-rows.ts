import { searchAdsReports } from "../../api/operations/search-ads-report.ts";
import { addDays, type Day } from "../../core/day.ts";
import { isObject } from "../../core/is-object.ts";
import type { Slice } from "../../core/slice.ts";
import { holds, lastDay, type Window } from "../../core/window.ts";
import { extraOf, type Row } from "../../load/table.ts";
import { part } from "./define-dataset.ts";
import { readInstant } from "./instants.ts";
import { daysAndOneMore } from "./organisation.ts";
import {
  describe,
  fields,
  identityOf,
  isAboutSome,
  countryIn,
  isId,
  statusOf,
  textOrEmpty,
  type ReportPage,
  type ReportRow,
} from "./report-fields.ts";
import { figuresOf } from "./report-figures.ts";
import { reportTable } from "./report-table.ts";

/** A row as received; `isTotal` if the answer itself separates it from the parts. */
export type ReportedRow = { readonly row: ReportRow; readonly isTotal: boolean };

/** What rows of a report may be about. */
export const levels = [
  "ACCOUNT",
  "APP",
  "CAMPAIGN",
  "AD_GROUP",
  "AD",
  "CPP",
  "KEYWORD",
  "NEGATIVE",
  "SEARCH_TERM",
] as const;

/**
 * Rows of all pages of an answer; totals that pages report next to their rows are rows as well. Equal rows count as one, except several on
 * one page that should each have a day and do not.
 */
export function reportedRows(slice: Pick<Slice, "scope">, pages: readonly unknown[]): readonly ReportedRow[] {
  const once = new Map<string, ReportedRow>();
  for (const page of pages.flat() as readonly ReportPage[]) {
    const onPage = new Map<string, number>();
    for (const reported of rowsOfPage(page)) {
      const text = JSON.stringify(reported);
      const before = onPage.get(text) ?? 0;
      onPage.set(text, before + 1);
      once.set(`${lacksDay(slice, reported) && !reported.isTotal ? before : 0} ${text}`, reported);
    }
  }
  return [...once.values()];
}

function rowsOfPage(page: ReportPage): readonly ReportedRow[] {
  const totals = Object.entries(page).filter(([name, value]) => /total|summary/i.test(name) && isObject(value));
  return [
    ...page.tableData.map((row) => ({ row, isTotal: false })),
    ...totals.map(([, row]) => ({ row: row as ReportRow, isTotal: true })),
  ];
}

/** True for a row that should have a day and does not. */
function lacksDay({ scope }: Pick<Slice, "scope">, reported: ReportedRow): boolean {
  return part(scope, "report_type") === "DAILY" && reportedDay(reported) === null;
}

/** Rows without a day, several about the same thing: each may be of any day, and none is the figure for all of them. */
export function undatedAlike(slice: Slice, reported: readonly ReportedRow[]): ReadonlySet<ReportedRow> {
  const undated = reported.filter((one) => lacksDay(slice, one));
  const alike = Map.groupBy(undated, (one) => keyOf(reportRow(slice, one)));
  return new Set([...alike.values()].filter((same) => same.length > 1).flat());
}

/** The day that a row names; null if none. */
export function reportedDay({ row }: ReportedRow): Day | null {
  return row.date == null ? null : readInstant(row.date).day;
}

/** True for a row that sums up others: rows of a summary, rows that the answer separates, and rows that do not name what they are about. */
export function isSum({ scope }: Pick<Slice, "scope">, { row, isTotal }: ReportedRow): boolean {
  if (isTotal || part(scope, "report_type") === "SUMMARY") return true;
  const level = part(scope, "report_level");
  return level !== "ACCOUNT" && !isAboutSome(level, row);
}

/** The days that a row is about: its own; those of the slice; or, for a row that should have a day and does not, all requested days. */
function periodOf(slice: Slice, reported: ReportedRow): { readonly grain: string; readonly window: Window } {
  const { scope, window } = slice;
  const day = reportedDay(reported);
  if (part(scope, "report_type") !== "DAILY") return { grain: part(scope, "grain"), window };
  if (day !== null) return { grain: "day", window: { start: day, end: addDays(day, 1) } };
  return { grain: "window", window: daysAndOneMore(searchAdsReports, slice) };
}

/** Why a row is rejected; null if it is not. The extra day that is requested after a window is no error. */
export function mismatchOf({ scope, window }: Slice, reported: ReportedRow): string | null {
  const org = textOrEmpty(reported.row.orgId);
  if (org !== "" && org !== part(scope, "org_id")) return "an organisation that was not requested";
  const day = part(scope, "report_type") === "DAILY" ? reportedDay(reported) : null;
  if (day !== null && !holds(window, day) && day !== window.end) return "a day that was not requested";
  return null;
}

/** Reported rows as rows of the table. Rows that differ only in a field without a column have that field in `segment`. */
export function reportRows(slice: Slice, reported: readonly ReportedRow[]): readonly Row[] {
  const rows = reported.map((one) => ({ one, row: reportRow(slice, one) }));
  const alike = Map.groupBy(rows, ({ row }) => keyOf(row));
  return [...alike.values()].flatMap((same) =>
    same.length === 1
      ? same.map(({ row }) => row)
      : same.map(({ one, row }) => ({ ...row, segment: otherTexts(slice, one) })),
  );
}

function keyOf(row: Row): string {
  return JSON.stringify(reportTable.key.map((column) => row[column]));
}

function reportRow(slice: Slice, reported: ReportedRow): Row {
  const { scope } = slice;
  const { grain, window } = periodOf(slice, reported);
  return {
    org_id: part(scope, "org_id"),
    report_level: part(scope, "report_level"),
    report_type: part(scope, "report_type"),
    grain,
    currency: part(scope, "currency"),
    attribution: part(scope, "attribution"),
    goal_id: scope["goal_id"] ?? "",
    period_start: window.start,
    period_end: lastDay(window),
    is_total: isSum(slice, reported),
    ...identityOf(reported.row),
    segment: "",
    date_day: grain === "day" ? window.start : null,
    ...describe(reported.row),
    ...figuresOf(reported.row),
    ...statusOf(reported.row),
    extra: extraOf(reported.row, knownOf(slice, reported.row)),
  };
}

/** Fields that have a column or echo the request; one that differs from the request is kept in `extra`. */
function knownOf({ scope }: Slice, row: ReportRow): readonly string[] {
  return [
    ...fields,
    ...(countryIn(row) === null ? [] : ["country"]),
    ...(row.currency === scope["currency"] ? ["currency"] : []),
    ...(scope["report_type"] === "DAILY" ? ["date"] : []),
  ];
}

/** The texts and ids of a row that have no column, as one text: the same on each of its days. */
function otherTexts(slice: Slice, { row }: ReportedRow): string {
  const known = knownOf(slice, row);
  const texts = Object.entries(row).filter(
    ([name, value]) => (typeof value === "string" || isId(name, value)) && !known.includes(name),
  );
  return JSON.stringify(Object.fromEntries(texts.sort(([a], [b]) => (a < b ? -1 : 1))));
}
