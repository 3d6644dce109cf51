import { z } from "zod";
import { searchAdsReports as operation } from "../api/operations/search-ads-report.ts";
import { rangeParams } from "../api/range.ts";
import { addDays, day } from "../core/day.ts";
import type { Portfolio } from "../core/portfolio.ts";
import type { Scope, Slice } from "../core/slice.ts";
import type { Reach } from "../core/timing.ts";
import { lastDay } from "../core/window.ts";
import type { Row } from "../load/table.ts";
import { defineDataset, part, type Partition } from "./shared/define-dataset.ts";
import { connectedOrganisations, daysAndOneMore, numberOfOrganisation } from "./shared/organisation.ts";
import {
  reportedDay,
  isSum,
  levels,
  misfitOf,
  reportRows,
  reportedRows,
  undatedAlike,
  type Reported,
} from "./shared/report-rows.ts";
import { reportTable, shapeTable } from "./shared/report-table.ts";
import { organisations } from "./search-ads-integration.ts";
import { foundGoals } from "./search-ads-goal.ts";

/** Installs and goals are attributed for up to 30 days, and figures move as long. */
const restated: Reach = { settleDays: 1, lookbackDays: 30, historyDays: 90 };
const daily = { kind: "series", ...restated } as const;
/** Where each day costs a call of its own, only the restated days are requested. */
const dayByDay = { kind: "period", grid: { days: 1 }, ...restated, historyDays: 30 } as const;
const grids = { week: { days: 7 }, month: { months: 1 } } as const;
/** What the grain of a summary ends in: it holds the figures of a report over the same period again. */
const summary = "_summary";
/** A call whose rows had days keeps DAILY reports in use for this long, the most that one call requests: a single answer without days may be a mistake. */
const daysBeside = 27;
/** Periods that a kind of report is kept of, with what that means. */
const grains = (text: string) =>
  z
    .array(z.enum(["week", "month"]))
    .default([])
    .describe(text);

const options = z.object({
  levels: z.array(z.enum(levels)).min(1).default(["CAMPAIGN", "AD_GROUP", "KEYWORD"]).describe("What a row is about."),
  by_day: z
    .enum(["auto", "daily", "report", "off"])
    .default("auto")
    .describe(
      "Where days come from: daily requests many days in one DAILY report, report requests one REPORT for each day, auto takes the first where its rows have days and the second where they do not.",
    ),
  reports: grains("Calendar weeks or months of which the REPORT is kept as well, figures over the whole period."),
  summaries: grains("Calendar weeks or months of which the SUMMARY is kept as well, one line each."),
  attributions: z
    .array(z.enum(["WITH", "WITHOUT", "ONLY"]))
    .min(1)
    .default(["WITH"])
    .describe("Whether installs of people who had the app before count."),
  currencies: z
    .array(z.string().regex(/^[A-Z]{3}$/, "a currency is three letters"))
    .min(1)
    .default(["USD"])
    .describe("Currencies of the money; the organisation's own is kept beside in any case."),
  goals: z
    .array(z.int().min(0))
    .default([])
    .describe("Ids of goals (see core.search_ads_goal) that reports are fetched for, beside those without a goal."),
});
type Chosen = z.output<typeof options>;

/** The keywords that the account bids on, with their ids. */
export const adKeywords = {
  name: "search_ads_keyword",
  table: reportTable,
  columns: ["org_id", "app_key", "country_key", "keyword_key", "keyword_id"],
} as const;

const shapes = {
  name: "search_ads_report_shape",
  table: shapeTable,
  view: "ops.report_shape",
  columns: ["org_id", "report_level", "shape"],
  newest: "period_end",
} as const;

/**
 * Reports of search ads. Days come from DAILY reports, up to 27 days a call, since a REPORT brings one day a call and 30 days are requested
 * for again each night: an organisation and level costs 40 credits a night the one way and 620 the other. The contract does not show the
 * rows of DAILY reports. Where they turn out to lack their day they are kept as what they are (grain window), or are rejects where several
 * are about the same, and from then on days of that organisation and level come from a REPORT each, whose day is stamped. A day is held
 * once, as the newest report of either kind has it. REPORT over weeks and months and SUMMARY are kept as aggregates of their period on
 * demand.
 */
export const searchAdsReport = defineDataset({
  name: "search_ads_report",
  summary: "Spend, taps, installs and goals of the account's search ads, by level and day or longer period.",
  family: "search_ads",
  stage: "market",
  on: true,
  why: "40 credits an organisation, level and night, more where reports have several pages; nothing where none is connected",
  timing: daily,
  // a call may span a month, at least 28 days; the last of them is requested in case the end is exclusive
  longestWindow: daysBeside,
  // organisations that a call names at these levels
  itemsPerCall: 1,
  reportedBy: { column: "date_day" },
  tables: [reportTable, shapeTable],
  operations: [operation],
  operationsFor: () => [operation],
  planningSources: [adKeywords, shapes],
  plannedFrom: [organisations.name, foundGoals.name, shapes.name],
  options,
  partitions: (portfolio, chosen) =>
    connectedOrganisations(portfolio).flatMap((org) =>
      chosen.levels.flatMap((level) => partitionsOf({ org_id: org, report_level: level }, portfolio, chosen)),
    ),
  request: (slice) => {
    const { scope, window } = slice;
    const type = part(scope, "report_type");
    const days = type === "DAILY" ? daysAndOneMore(operation, slice) : window;
    const { goal_id: goal, goal_app: app } = scope;
    return {
      reportType: type,
      reportLevel: part(scope, "report_level"),
      ...rangeParams(operation, days),
      orgIds: [numberOfOrganisation(scope)],
      reAttrType: part(scope, "attribution"),
      currency: part(scope, "currency"),
      ...(goal === undefined ? {} : { goalId: Number(goal), appId: Number(app) }),
    };
  },
  normalise: (slice, pages) => {
    const reported = reportedRows(slice, pages).map((one) => ({ one, mismatchOf: misfitOf(slice, one) }));
    const apt = reported.filter(({ mismatchOf }) => mismatchOf === null).map(({ one }) => one);
    const alike = undatedAlike(slice, apt);
    const isNextDay = (one: Reported) =>
      part(slice.scope, "report_type") === "DAILY" && reportedDay(one) === slice.window.end;
    return {
      rows: {
        [reportTable.name]: reportRows(
          slice,
          apt.filter((one) => !alike.has(one) && !isNextDay(one)),
        ),
        [shapeTable.name]: shapeRows(slice, apt),
      },
      invalid: reported.flatMap(({ one, mismatchOf }) => {
        const reason = alike.has(one) ? "several rows about the same thing of which none has a day" : mismatchOf;
        return reason === null ? [] : [{ reason, item: one.row }];
      }),
    };
  },
});

/** What is requested of one organisation and level: days, and the chosen periods. */
function partitionsOf(who: Scope, portfolio: Portfolio, chosen: Chosen): readonly Partition[] {
  const requests = [
    ...(chosen.by_day === "off" ? [] : [byDay(who, portfolio, chosen)]),
    ...chosen.reports.map((grain) => ({ type: "REPORT", grain, timing: periods(grain) })),
    ...chosen.summaries.map((grain) => ({ type: "SUMMARY", grain: `${grain}${summary}`, timing: periods(grain) })),
  ];
  return requests.flatMap(({ type, grain, timing }) =>
    chosen.attributions.flatMap((attribution) =>
      chosen.currencies.flatMap((currency) =>
        [{}, ...goalsOf(portfolio, chosen)].map((goal) => ({
          scope: { ...who, report_type: type, grain, attribution, currency, ...goal },
          items: null,
          timing,
        })),
      ),
    ),
  );
}

function byDay(who: Scope, portfolio: Portfolio, { by_day: way }: Chosen) {
  const takesReport = way === "report" || (way === "auto" && lacksDays(who, portfolio));
  return takesReport
    ? { type: "REPORT", grain: "day", timing: dayByDay }
    : { type: "DAILY", grain: "day", timing: daily };
}

/**
 * True where the newest DAILY report that could have days has none, and neither has any beside it. Totals alone decide nothing: they are
 * all that is left of days on which nothing ran.
 */
function lacksDays(who: Scope, portfolio: Portfolio): boolean {
  const newest = (shape: string) =>
    (portfolio.sources?.[shapes.name] ?? [])
      .filter((one) => one["org_id"] === who["org_id"] && one["report_level"] === who["report_level"])
      .filter((one) => one["shape"] === shape)
      .map((one) => one["period_end"] ?? "")
      .reduce((last, one) => (one > last ? one : last), "");
  const [undated, dated] = [newest("window"), newest("days")];
  return undated !== "" && (dated === "" || dated < addDays(day(undated), -daysBeside));
}

function periods(grain: keyof typeof grids) {
  return { kind: "period", grid: grids[grain], ...restated } as const;
}

/** The chosen goals that the account has, each with its app: a goal cannot be requested without it. */
function goalsOf(portfolio: Portfolio, { goals }: Chosen): readonly Scope[] {
  const found = portfolio.sources?.[foundGoals.name] ?? [];
  return found
    .filter(({ goal_id: goal, store }) => store === "ios" && goals.includes(Number(goal)))
    .map(({ goal_id: goal, app }) => ({ goal_id: goal ?? "", goal_app: app ?? "" }));
}

/** The shape of the rows of a DAILY report, rows that were rejected for lack of a day included; none for an answer without rows. */
function shapeRows(slice: Slice, reported: readonly Reported[]): readonly Row[] {
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
