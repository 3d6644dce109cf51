import { createHash } from "node:crypto";
import { addDays, day, daysBetween } from "../../core/day.ts";
import type { Portfolio } from "../../core/portfolio.ts";
import type { Scope, Slice } from "../../core/slice.ts";
import type { Moved, Reach } from "../../core/timing.ts";
import { lastDay } from "../../core/window.ts";
import { defineTable, type Row } from "../../load/table.ts";
import { part } from "./define-dataset.ts";
import { identityOf } from "./report-fields.ts";
import { figuresOf } from "./report-figures.ts";
import type { ReportedRow } from "./report-rows.ts";

/*
 * If reports by day name no day, each day is a separate call. The newest days are requested each night, since they change most. For each
 * whole week one call shows whether anything changed, by the digest of its counts and money. Only the days of a week whose digest has
 * changed are requested again.
 */

/** Days of a week. */
export const weekDays = 7;

/** How days are requested one by one: those of whole weeks only if their week has changed or ended recently. */
export function withMovedWeeks<T extends Reach>(timing: T, who: Scope, portfolio: Portfolio): T {
  return { ...timing, lookbackDays: weekDays, moved: movedWeeks(who, portfolio) };
}

const identity = ["org_id", "report_level", "currency", "attribution", "goal_id"] as const;

/** Each digest of a week's report, with the last day on which the report had it. */
export const weekTable = defineTable({
  name: "ops.search_ads_report_week",
  columns: {
    org_id: "text",
    report_level: "text",
    currency: "text",
    attribution: "text",
    goal_id: "text",
    period_start: "day",
    period_end: "day",
    digest: "text",
    last_seen_on: "day",
  },
  key: [...identity, "period_start", "digest"],
  load: { kind: "upsert" },
  partitioned: false,
});

/** The weeks whose reports were fetched, with their digests. */
export const weekSums = {
  name: "search_ads_report_week",
  table: weekTable,
  view: "ops.report_week",
  columns: [...identity, "period_start", "digest"],
  newest: "last_seen_on",
} as const;

/** The digest of the report of a week; none of any other report. */
export function weekRows(slice: Slice, reported: readonly ReportedRow[]): readonly Row[] {
  const { scope, window } = slice;
  if (part(scope, "report_type") !== "REPORT" || part(scope, "grain") !== "week") return [];
  const lines = reported.map(({ row }) => JSON.stringify([identityOf(row), movingFigures(row)])).sort();
  const digest = createHash("sha256").update(lines.join("\n")).digest("hex");
  const about = Object.fromEntries(identity.map((name) => [name, scope[name] ?? ""]));
  return [{ ...about, period_start: window.start, period_end: lastDay(window), digest, last_seen_on: slice.asOf }];
}

/** Counts and sums of money; rates follow from them, and bids and budgets are not figures of a day. */
function movingFigures(row: ReportedRow["row"]) {
  return Object.entries(figuresOf(row)).filter(([column]) => /_count(_|$)|^spend$|^goal_revenue/.test(column));
}

/**
 * The weeks that have changed or are assumed to, each with the day from which an answer about its days is new enough. Weeks that ended
 * recently, and those that changed from one night to the next, are assumed to change, so that they are requested at once and forecast.
 */
function movedWeeks(who: Scope, portfolio: Portfolio): readonly Moved[] {
  const own = (portfolio.sources?.[weekSums.name] ?? []).filter((one) =>
    identity.every((name) => one[name] === (who[name] ?? "")),
  );
  return [...Map.groupBy(own, (one) => one["period_start"] ?? "")].flatMap(([first, digests]) => {
    const start = day(first);
    const [newest, before] = digests.map((one) => day(one["last_seen_on"] ?? "")).sort((a, b) => (a < b ? 1 : -1));
    if (newest === undefined) return [];
    const movesOn =
      daysBetween(start, newest) <= 2 * weekDays || (before !== undefined && before >= addDays(newest, -1));
    const seen = movesOn ? newest : before;
    return seen === undefined ? [] : [{ window: { start, end: addDays(start, weekDays) }, since: addDays(seen, 1) }];
  });
}
