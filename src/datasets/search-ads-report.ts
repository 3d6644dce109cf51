import { z } from "zod";
import { searchAdsReports as operation } from "../api/operations/search-ads-report.ts";
import { rangeParams } from "../api/range.ts";
import type { Portfolio } from "../core/portfolio.ts";
import type { Scope } from "../core/slice.ts";
import type { Reach, Timing } from "../core/timing.ts";
import { defineDataset, part, type Partition } from "./shared/define-dataset.ts";
import { daysUntilTotalsCount, knownDays, shapeRows, shapes } from "./shared/report-days.ts";
import { connectedOrganisations, daysAndOneMore, numberOfOrganisation } from "./shared/organisation.ts";
import {
  reportedDay,
  levels,
  reportRows,
  reportedRows,
  undatedAlike,
  type ReportedRow,
  mismatchOf,
} from "./shared/report-rows.ts";
import { weekDays, weekRows, weekSums, weekTable, withMovedWeeks } from "./shared/report-weeks.ts";
import { reportTable, shapeTable } from "./shared/report-table.ts";
import { organisations } from "./search-ads-integration.ts";
import { foundGoals } from "./search-ads-goal.ts";

/** Installs and goals are attributed for up to 30 days, so figures change for that long. */
const restated: Reach = { settleDays: 1, lookbackDays: 30, historyDays: 90 };
const daily = { kind: "series", ...restated } as const;
/** If each day costs a separate call, only days that may still be restated are requested; see report-weeks.ts. */
const dayByDay = { kind: "period", grid: { days: 1 }, ...restated, historyDays: 30 } as const;
const weekByWeek = { kind: "period", grid: { days: weekDays }, ...restated, historyDays: 30 } as const;
const grids = { week: { days: weekDays }, month: { months: 1 } } as const;
/** The suffix of a summary's grain: a summary repeats the figures of a report over the same period. */
const summary = "_summary";
/** The option of the periods for which a kind of report is kept, with its description. */
const grains = (text: string) =>
  z
    .array(z.enum(["week", "month"]))
    .default([])
    .describe(text);

const options = z.object({
  levels: z
    .array(z.enum(levels))
    .min(1)
    .default(["CAMPAIGN", "AD_GROUP", "KEYWORD"])
    .describe("Levels to request: what a row is about."),
  by_day: z
    .enum(["auto", "daily", "report", "off"])
    .default("auto")
    .describe(
      "How days are requested: daily requests many days in one DAILY report; report requests one REPORT for each day; auto uses daily if the rows of that report have days, and report if they do not. With report, the REPORT of each week is kept as well: it shows whether the days of the week have changed.",
    ),
  reports: grains("Calendar weeks or months for which the REPORT is kept as well: figures over the whole period."),
  summaries: grains("Calendar weeks or months for which the SUMMARY is kept as well: one line each."),
  attributions: z
    .array(operation.params.reAttrType.schema)
    .min(1)
    .default(["WITH"])
    .describe(
      "Reinstalls, by people who had the app before: WITH counts them too, WITHOUT leaves them out, ONLY counts nothing else.",
    ),
  currencies: z
    .array(z.string().regex(/^[A-Z]{3}$/, "a currency is three letters"))
    .min(1)
    .default(["USD"])
    .describe("Currencies of the money; amounts in the organisation's own currency are always kept as well."),
  goals: z
    .array(z.int().min(0))
    .default([])
    .describe(
      "Ids of goals (see core.search_ads_goal) for which reports are fetched, in addition to reports without a goal.",
    ),
});
type Chosen = z.output<typeof options>;

/**
 * The keywords that the account bids on, with their ids: those in reports of the last two months, so that the month before is still complete
 * when it is requested, and one that is no longer bid on soon costs nothing.
 */
export const adKeywords = {
  name: "search_ads_keyword",
  table: reportTable,
  columns: ["org_id", "app_key", "country_key", "keyword_key", "keyword_id"],
  recent: { column: "period_start", days: 62 },
} as const;

/**
 * Reports of search ads. Days come from DAILY reports, up to 27 days per call. A REPORT returns one day per call, and 30 days are requested
 * again each night: an organisation and level costs 40 credits a night with DAILY and 620 with REPORT. The contract does not show the rows
 * of DAILY reports. If they turn out to lack a day, they are kept with the grain window, or are rejects if several are about the same
 * thing. From then on each day of that organisation and level comes from its own REPORT, which is stamped with the day: the newest days
 * each night, others when the REPORT of their week shows a change. That costs about 300 credits a night. A day is stored once, from the
 * newest report of either kind. REPORT over weeks and months and SUMMARY are kept as aggregates of their period on demand.
 */
export const searchAdsReport = defineDataset({
  name: "search_ads_report",
  summary: "Spend, taps, installs and goals of the account's search ads, by level and day or longer period.",
  family: "search_ads",
  stage: "market",
  on: true,
  why: "40 credits per organisation, level and night; about 300 if reports name no day, and more if they have several pages; nothing if no organisation is connected",
  timing: daily,
  // a call may span a month, so at least 28 days; the last day is requested in case the end is exclusive
  longestWindow: daysUntilTotalsCount,
  manyPages:
    "a report has a row for each of its days, countries and campaigns, ad groups or keywords, so a large account takes many times the credits of a report of one page",
  // a call at these levels names this many organisations
  itemsPerCall: 1,
  reportedBy: { column: "date_day" },
  tables: [reportTable, shapeTable, weekTable],
  tablesOtherwise: [weekTable],
  operations: [operation],
  planningSources: [adKeywords, shapes, weekSums],
  plannedFrom: [organisations.name, foundGoals.name, shapes.name, weekSums.name],
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
    const reported = reportedRows(slice, pages).map((one) => ({ one, mismatch: mismatchOf(slice, one) }));
    const apt = reported.filter(({ mismatch }) => mismatch === null).map(({ one }) => one);
    const alike = undatedAlike(slice, apt);
    const isNextDay = (one: ReportedRow) =>
      part(slice.scope, "report_type") === "DAILY" && reportedDay(one) === slice.window.end;
    return {
      rows: {
        [reportTable.name]: reportRows(
          slice,
          apt.filter((one) => !alike.has(one) && !isNextDay(one)),
        ),
        [shapeTable.name]: shapeRows(slice, apt),
        [weekTable.name]: weekRows(slice, apt),
      },
      invalid: reported.flatMap(({ one, mismatch }) => {
        const reason = alike.has(one) ? "several rows about the same thing, none with a day" : mismatch;
        return reason === null ? [] : [{ reason, item: one.row }];
      }),
    };
  },
});

/** A kind of report that is kept. */
type Kind = { readonly type: string; readonly grain: string; readonly timing: Timing };

/** The partitions of one organisation and level: days, and the chosen periods. */
function partitionsOf(who: Scope, portfolio: Portfolio, chosen: Chosen): readonly Partition[] {
  const periodic: readonly Kind[] = [
    ...chosen.reports.map((grain) => ({ type: "REPORT", grain, timing: periods(grain) })),
    ...chosen.summaries.map((grain) => ({ type: "SUMMARY", grain: `${grain}${summary}`, timing: periods(grain) })),
  ];
  return chosen.attributions.flatMap((attribution) =>
    chosen.currencies.flatMap((currency) =>
      [{}, ...goalsOf(portfolio, chosen)].flatMap((goal) => {
        const about = { ...who, attribution, currency, ...goal };
        return [...byDay(about, portfolio, chosen), ...periodic.map((kind) => partitionFor(about, kind))];
      }),
    ),
  );
}

function partitionFor(about: Scope, { type, grain, timing }: Kind): Partition {
  return { scope: { ...about, report_type: type, grain }, items: null, timing };
}

/**
 * How days are requested: many in one report, or one report each. While it is unknown whether the former works, the latter is its
 * `otherwise`.
 */
function byDay(about: Scope, portfolio: Portfolio, { by_day: way, reports }: Chosen): readonly Partition[] {
  if (way === "off") return [];
  const known = way === "auto" ? knownDays(about, portfolio) : way === "report" ? "lack" : "have";
  const apart = [
    { type: "REPORT", grain: "day", timing: withMovedWeeks(dayByDay, about, portfolio) },
    ...(reports.includes("week") ? [] : [{ type: "REPORT", grain: "week", timing: weekByWeek }]),
  ].map((kind) => partitionFor(about, kind));
  if (known === "lack") return apart.map((partition) => ({ ...partition, how: dayByDayWords }));
  const together = partitionFor(about, { type: "DAILY", grain: "day", timing: daily });
  const otherwise = {
    where: "its DAILY reports name no day, so that each day is requested separately",
    partitions: apart,
  };
  return [known === "unknown" ? { ...together, otherwise } : together];
}

const dayByDayWords =
  "its DAILY reports name no day, so each day is requested as a separate report: every night the days since the last whole week began, and older days only if the sums of their week have changed";

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
