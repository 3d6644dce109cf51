import * as report from "../../api/operations/search-ads-report.ts";
import type { Day } from "../../core/day.ts";
import { bidsOf, resultOn, type Bid, paidShareOver } from "../market/search-ads.ts";
import { answerTable, answerTo, publishedDays, type AnswerContext, type ValuesOf } from "../answer-context.ts";
import { metricsOf, sumOfResults, type Money } from "./report-metrics.ts";
import { identityFields, levelKeys, statusFields, type Level } from "./report-row.ts";

type Requested = ValuesOf<typeof report.searchAdsReports>;

/** Rows per page; small, so that even a short report has several pages. */
const rowsPerPage = 50;

/** The subject of one row: bids on days. */
type RowOf = { readonly group: readonly Bid[]; readonly span: readonly Day[] };

/** How the rows of a report are grouped: by day, and all objects in one row. */
type Cut = { readonly isByDay: boolean; readonly sumsUp: boolean };

function cutOf({ reportType }: Requested, { dailyReports }: AnswerContext): Cut {
  const isByDay = reportType === "DAILY" && dailyReports !== "undated";
  return { isByDay, sumsUp: reportType === "SUMMARY" || (isByDay && dailyReports === "totals") };
}

/** The bids that a report is about. */
function bidsFor(context: AnswerContext, requested: Requested): Bid[] {
  const narrowed = (ids: readonly number[] | null | undefined, id: number) => ids?.includes(id) ?? true;
  return (context.connected ? bidsOf(context.market) : []).filter(
    ({ org, campaignId, adGroupId, app }) =>
      narrowed(requested.orgIds, org.id) &&
      narrowed(requested.campaignIds, campaignId) &&
      narrowed(requested.adGroupIds, adGroupId) &&
      (requested.appId === undefined || Number(app.trackId) === requested.appId),
  );
}

/** One row for each object of the level over all days; by day for DAILY, and a single row for all objects for SUMMARY. */
function rowsOf(context: AnswerContext, requested: Requested, days: readonly Day[]): RowOf[] {
  const bids = bidsFor(context, requested);
  const { isByDay, sumsUp } = cutOf(requested, context);
  const byKey = Map.groupBy(levelKeys(requested.reportLevel, bids), ({ key }) => key);
  const groups = sumsUp ? [bids] : [...byKey.values()].map((same) => same.map(({ bid }) => bid));
  const spans = isByDay ? days.map((day) => [day]) : [days];
  return groups
    .filter((group) => group.length > 0)
    .flatMap((group) => spans.filter((span) => span.length > 0).map((span) => ({ group, span })));
}

function row(context: AnswerContext, requested: Requested, { group, span }: RowOf) {
  const { isByDay, sumsUp } = cutOf(requested, context);
  const level: Level = requested.reportLevel;
  const [first] = group;
  const sum = sumOfResults(
    level === "NEGATIVE" ? [] : group.flatMap((bid) => span.map((day) => resultOn(bid, day, context.today))),
  );
  const withGoals = requested.goalId !== undefined && requested.appId !== undefined;
  const attribution = requested.reAttrType ?? "WITH";
  const own: Money = { rate: first?.org.rate ?? 1, withGoals, attribution };
  const reported: Money = { ...own, rate: rates[requested.currency ?? "USD"] ?? 1 };
  const { spend, ...original } = metricsOf(sum, own);
  const money = Object.fromEntries(
    Object.entries(original).filter(([name]) =>
      /^(cpa|cpt|cpi|arpu|goalRevenue|goalRoas|costPerGoal|revenuePerGoal)/.test(name),
    ),
  );
  return {
    ...(sumsUp || first === undefined ? {} : { ...identityFields(level, first), ...statusFields(first) }),
    currency: requested.currency ?? "USD",
    ...(isByDay ? { date: span[0] } : {}),
    ...metricsOf(sum, reported),
    original: { ...money, spend, dailyBudget: 50 },
  };
}

/** The value of a US dollar in other currencies. */
const rates: Readonly<Record<string, number>> = { USD: 1, EUR: 0.9, GBP: 0.8, JPY: 150, TRY: 40 };

/** Answers that sum up the account's search ads: any level is the sum of the one below. */
export const searchAdsReportAnswers = answerTable([
  answerTo(report.searchAdsReports, (requested, context) => {
    const days = publishedDays(context, report.searchAdsReports, {
      start: requested.startDate,
      end: requested.endDate,
    });
    const all = rowsOf(context, requested, days);
    const offset = (requested.page ?? 0) * rowsPerPage;
    return [
      {
        pagination: { totalRowCount: all.length, limit: rowsPerPage, offset },
        tableData: all.slice(offset, offset + rowsPerPage).map((one) => row(context, requested, one)),
      },
    ];
  }),
  answerTo(report.searchAdsTopApps, ({ keywordList, startDate, endDate }, context) => {
    const days = publishedDays(context, report.searchAdsTopApps, { start: startDate, end: endDate });
    const apps = context.market.apps.filter(({ store }) => store === "ios");
    return (context.connected ? keywordList : []).map(({ keyword, keywordId, country }) => ({
      keywordData: {
        keyword,
        keywordId,
        countryCode: country,
        numberOfApps: context.market.facts("ios", country, keyword).numberOfApps,
        competitors: false,
      },
      appData: apps
        .map((app) => ({
          share: paidShareOver(app, { country, keyword, days }),
          trackId: Number(app.trackId),
          name: app.name,
          iconUrl: `https://icons.example/${app.trackId}.png`,
          removed: false,
        }))
        .filter(({ share }) => share > 0)
        .sort((a, b) => b.share - a.share),
    }));
  }),
]);
