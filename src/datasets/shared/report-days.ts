import { addDays, day } from "../../core/day.ts";
import type { Portfolio } from "../../core/portfolio.ts";
import type { Scope, Slice } from "../../core/slice.ts";
import { lastDay } from "../../core/window.ts";
import type { Row } from "../../load/table.ts";
import { part } from "./define-dataset.ts";
import { isSum, reportedDay, type ReportedRow } from "./report-rows.ts";
import { shapeTable } from "./report-table.ts";

/** The shape of the rows of DAILY reports, by organisation and level. */
export const shapes = {
  name: "search_ads_report_shape",
  table: shapeTable,
  view: "ops.report_shape",
  columns: ["org_id", "report_level", "shape"],
  newest: "period_end",
} as const;

/**
 * A call whose rows had days keeps DAILY reports in use for this long, the most that one call requests: a single answer without days may be
 * a mistake.
 */
export const daysUntilTotalsCount = 27;

/**
 * Whether DAILY reports of an organisation and level name their days: `lack` if none had days, or the newest with days is more than
 * `daysUntilTotalsCount` days older than the newest without. Totals alone decide nothing: a day on which nothing ran has only totals. `unknown`
 * before any report.
 */
export function knownDays(who: Scope, portfolio: Portfolio): "have" | "lack" | "unknown" {
  const newest = (shape: string) =>
    (portfolio.sources?.[shapes.name] ?? [])
      .filter((one) => one["org_id"] === who["org_id"] && one["report_level"] === who["report_level"])
      .filter((one) => one["shape"] === shape)
      .map((one) => one["period_end"] ?? "")
      .reduce((last, one) => (one > last ? one : last), "");
  const [undated, dated] = [newest("window"), newest("days")];
  if (undated === "") return dated === "" ? "unknown" : "have";
  return dated === "" || dated < addDays(day(undated), -daysUntilTotalsCount) ? "lack" : "have";
}

/** The shape of the rows of a DAILY report, including rows that were rejected because they lack a day; none for an answer without rows. */
export function shapeRows(slice: Slice, reported: readonly ReportedRow[]): readonly Row[] {
  const { scope, window } = slice;
  if (part(scope, "report_type") !== "DAILY" || reported.length === 0) return [];
  const parts = reported.filter((one) => !isSum(slice, one));
  const shape = parts.length === 0 ? "totals" : parts.some((one) => reportedDay(one) !== null) ? "days" : "window";
  return [
    {
      org_id: part(scope, "org_id"),
      report_level: part(scope, "report_level"),
      period_start: window.start,
      period_end: lastDay(window),
      shape,
    },
  ];
}
