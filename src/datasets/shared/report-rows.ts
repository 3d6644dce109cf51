import { searchAdsReports } from "../../api/operations/search-ads-report.ts";
import { addDays, type Day } from "../../core/day.ts";
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
  isCountry,
  isId,
  statusOf,
  textOf,
  type ReportPage,
  type ReportRow,
} from "./report-fields.ts";
import { figuresOf } from "./report-figures.ts";
import { reportTable } from "./report-table.ts";

/** A row as it came; `isTotal` where the answer itself sets it apart from the parts. */
export type Told = { readonly row: ReportRow; readonly isTotal: boolean };

/** What rows of a report may stand for. */
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
 * Rows of all pages of an answer; totals that pages tell beside their rows are rows as well. The same row twice is one, except that a
 * page may hold several rows alike of which each should tell its day and does not.
 */
export function toldRows(slice: Pick<Slice, "scope">, pages: readonly unknown[]): readonly Told[] {
  const once = new Map<string, Told>();
  for (const page of pages.flat() as readonly ReportPage[]) {
    const onPage = new Map<string, number>();
    for (const told of rowsOfPage(page)) {
      const text = JSON.stringify(told);
      const before = onPage.get(text) ?? 0;
      onPage.set(text, before + 1);
      once.set(`${lacksDay(slice, told) && !told.isTotal ? before : 0} ${text}`, told);
    }
  }
  return [...once.values()];
}

function rowsOfPage(page: ReportPage): readonly Told[] {
  const totals = Object.entries(page).filter(([name, value]) => /total|summary/i.test(name) && isObject(value));
  return [
    ...page.tableData.map((row) => ({ row, isTotal: false })),
    ...totals.map(([, row]) => ({ row: row as ReportRow, isTotal: true })),
  ];
}

/** True for a row that should tell its day and does not. */
function lacksDay({ scope }: Pick<Slice, "scope">, told: Told): boolean {
  return part(scope, "report_type") === "DAILY" && dayTold(told) === null;
}

/** The rows without a day of which several are about the same: each may be of any day, and none is the figure of all of them. */
export function undatedAlike(slice: Slice, told: readonly Told[]): ReadonlySet<Told> {
  const undated = told.filter((one) => lacksDay(slice, one));
  const alike = Map.groupBy(undated, (one) => keyOf(reportRow(slice, one)));
  return new Set([...alike.values()].filter((same) => same.length > 1).flat());
}

/** The day that a row tells itself; null where it tells none. */
export function dayTold({ row }: Told): Day | null {
  return row.date == null ? null : readInstant(row.date).day;
}

/** True for a row that sums up others: those of a summary, those set apart, and those that name nothing of what they are about. */
export function isSum({ scope }: Pick<Slice, "scope">, { row, isTotal }: Told): boolean {
  if (isTotal || part(scope, "report_type") === "SUMMARY") return true;
  return part(scope, "report_level") !== "ACCOUNT" && !isAboutSome(row);
}

/** The days that a row stands for: its own; those of the slice; or, of a row that should tell its day and does not, all that were asked for. */
function periodOf(slice: Slice, told: Told): { readonly grain: string; readonly window: Window } {
  const { scope, window } = slice;
  const day = dayTold(told);
  if (part(scope, "report_type") !== "DAILY") return { grain: part(scope, "grain"), window };
  if (day !== null) return { grain: "day", window: { start: day, end: addDays(day, 1) } };
  return { grain: "window", window: daysAndOneMore(searchAdsReports, slice) };
}

/** Why a row cannot be taken, null where it can. The day that is asked for beside a window is no fault. */
export function misfitOf({ scope, window }: Slice, told: Told): string | null {
  const org = textOf(told.row.orgId);
  if (org !== "" && org !== part(scope, "org_id")) return "an organisation that was not asked for";
  const day = part(scope, "report_type") === "DAILY" ? dayTold(told) : null;
  if (day !== null && !holds(window, day) && day !== window.end) return "a day that was not asked for";
  return null;
}

/** Told rows as rows of the table. Rows that only a field without a column tells apart have that field in `segment`. */
export function reportRows(slice: Slice, told: readonly Told[]): readonly Row[] {
  const rows = told.map((one) => ({ one, row: reportRow(slice, one) }));
  const alike = Map.groupBy(rows, ({ row }) => keyOf(row));
  return [...alike.values()].flatMap((same) =>
    same.length === 1 ? same.map(({ row }) => row) : same.map(({ one, row }) => ({ ...row, segment: otherTexts(one) })),
  );
}

function keyOf(row: Row): string {
  return JSON.stringify(reportTable.key.map((column) => row[column]));
}

function reportRow(slice: Slice, told: Told): Row {
  const { scope } = slice;
  const { grain, window } = periodOf(slice, told);
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
    is_total: isSum(slice, told),
    ...identityOf(told.row),
    segment: "",
    date_day: grain === "day" ? window.start : null,
    ...describe(told.row),
    ...figuresOf(told.row),
    ...statusOf(told.row),
    extra: extraOf(told.row, knownOf(slice, told.row)),
  };
}

/** Fields that have a column or say what was asked for; one that says something else is kept beside. */
function knownOf({ scope }: Slice, { country, currency }: ReportRow): readonly string[] {
  return [
    ...fields,
    ...(isCountry(country) ? ["country"] : []),
    ...(currency === scope["currency"] ? ["currency"] : []),
    ...(scope["report_type"] === "DAILY" ? ["date"] : []),
  ];
}

/** What texts and ids of a row have no column of their own, as one text. */
function otherTexts({ row }: Told): string {
  const texts = Object.entries(row).filter(
    ([name, value]) => (typeof value === "string" || isId(name, value)) && !fields.includes(name),
  );
  return JSON.stringify(Object.fromEntries(texts.sort(([a], [b]) => (a < b ? -1 : 1))));
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
