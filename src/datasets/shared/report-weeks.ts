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
 * Where reports by day name no day, each day is a call of its own. The newest ones are requested each night, since they move most. Of
 * whole weeks one call each says whether anything moved at all: the digest of its counts and money. Only the days of a week whose digest is
 * another one than before are requested again.
 */

/** Days of a week. */
export const weekDays = 7;

/** How days are requested one by one: those of whole weeks only where their week has moved or ended lately. */
export function withMovedWeeks<T extends Reach>(timing: T, who: Scope, portfolio: Portfolio): T {
  return { ...timing, lookbackDays: weekDays, moved: movedWeeks(who, portfolio) };
}

const identity = ["org_id", "report_level", "currency", "attribution", "goal_id"] as const;

/** Each digest that a week's report had, with the last day on which it had it. */
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

/** The weeks of which reports were fetched, by their digests. */
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

/** Counts and sums of money; rates follow from them, and a bid or budget is no figure of the days. */
function movingFigures(row: ReportedRow["row"]) {
  return Object.entries(figuresOf(row)).filter(([column]) => /_count(_|$)|^spend$|^goal_revenue/.test(column));
}

/**
 * The weeks that have moved, or are taken to: each with the day from which on an answer about its days is new enough. Taken to are those that
 * ended lately and those that moved from one night to the next, so that they are requested at once and foreseen.
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
