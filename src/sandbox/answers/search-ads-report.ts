import * as report from "../../api/operations/search-ads-report.ts";
import type { Day } from "../../core/day.ts";
import { paidShareOn, bidsOf, resultOn, type Bid } from "../market/search-ads.ts";
import { answerTable, answerTo, publishedDays, type Scene, type ValuesOf } from "../answer-context.ts";
import { metricsOf, sumOf, type Money } from "./report-metrics.ts";
import { identityOf, levelKeys, statusOf, type Level } from "./report-row.ts";

type Asked = ValuesOf<typeof report.searchAdsReports>;

/** Rows a page; small, so that a report of any size has several. */
const rowsPerPage = 50;

/** What one row is about: bids on days. */
type RowOf = { readonly group: readonly Bid[]; readonly span: readonly Day[] };

/** How the rows of a report are cut: by day, and all things as one. */
type Cut = { readonly isByDay: boolean; readonly sumsUp: boolean };

function cutOf({ reportType }: Asked, { dailyReports }: Scene): Cut {
  const isByDay = reportType === "DAILY" && dailyReports !== "undated";
  return { isByDay, sumsUp: reportType === "SUMMARY" || (isByDay && dailyReports === "totals") };
}

/** The bids that a report is about. */
function bidsFor(scene: Scene, asked: Asked): Bid[] {
  const narrowed = (ids: readonly number[] | null | undefined, id: number) => ids?.includes(id) ?? true;
  return (scene.connected ? bidsOf(scene.market) : []).filter(
    ({ org, campaignId, adGroupId, app }) =>
      narrowed(asked.orgIds, org.id) &&
      narrowed(asked.campaignIds, campaignId) &&
      narrowed(asked.adGroupIds, adGroupId) &&
      (asked.appId === undefined || Number(app.trackId) === asked.appId),
  );
}

/** One row for each thing of the level: over all days, by day for DAILY, and all things as one for SUMMARY. */
function rowsOf(scene: Scene, asked: Asked, days: readonly Day[]): RowOf[] {
  const bids = bidsFor(scene, asked);
  const { isByDay, sumsUp } = cutOf(asked, scene);
  const byKey = Map.groupBy(levelKeys(asked.reportLevel, bids), ({ key }) => key);
  const groups = sumsUp ? [bids] : [...byKey.values()].map((same) => same.map(({ bid }) => bid));
  const spans = isByDay ? days.map((day) => [day]) : [days];
  return groups
    .filter((group) => group.length > 0)
    .flatMap((group) => spans.filter((span) => span.length > 0).map((span) => ({ group, span })));
}

function row(scene: Scene, asked: Asked, { group, span }: RowOf) {
  const { isByDay, sumsUp } = cutOf(asked, scene);
  const level: Level = asked.reportLevel;
  const [first] = group;
  const sum = sumOf(
    level === "NEGATIVE" ? [] : group.flatMap((bid) => span.map((day) => resultOn(bid, day, scene.today))),
  );
  const withGoals = asked.goalId !== undefined && asked.appId !== undefined;
  const attribution = asked.reAttrType ?? "WITH";
  const own: Money = { rate: first?.org.rate ?? 1, withGoals, attribution };
  const told: Money = { ...own, rate: rates[asked.currency ?? "USD"] ?? 1 };
  const { spend, ...original } = metricsOf(sum, own);
  const money = Object.fromEntries(
    Object.entries(original).filter(([name]) =>
      /^(cpa|cpt|cpi|arpu|goalRevenue|goalRoas|costPerGoal|revenuePerGoal)/.test(name),
    ),
  );
  return {
    ...(sumsUp || first === undefined ? {} : { ...identityOf(level, first), ...statusOf(first) }),
    currency: asked.currency ?? "USD",
    ...(isByDay ? { date: span[0] } : {}),
    ...metricsOf(sum, told),
    original: { ...money, spend, dailyBudget: 50 },
  };
}

/** What a US dollar is in other currencies. */
const rates: Readonly<Record<string, number>> = { USD: 1, EUR: 0.9, GBP: 0.8, JPY: 150, TRY: 40 };

/** Answers that sum up the account's search ads: any level is the sum of the one below. */
export const searchAdsReportAnswers = answerTable([
  answerTo(report.searchAdsReports, (asked, scene) => {
    const days = publishedDays(scene, report.searchAdsReports, { start: asked.startDate, end: asked.endDate });
    const all = rowsOf(scene, asked, days);
    const offset = (asked.page ?? 0) * rowsPerPage;
    return [
      {
        pagination: { totalRowCount: all.length, limit: rowsPerPage, offset },
        tableData: all.slice(offset, offset + rowsPerPage).map((one) => row(scene, asked, one)),
      },
    ];
  }),
  answerTo(report.searchAdsTopApps, ({ keywordList, startDate, endDate }, scene) => {
    const days = publishedDays(scene, report.searchAdsTopApps, { start: startDate, end: endDate });
    const apps = scene.market.apps.filter(({ store }) => store === "ios");
    return (scene.connected ? keywordList : []).map(({ keyword, keywordId, country }) => ({
      keywordData: {
        keyword,
        keywordId,
        countryCode: country,
        numberOfApps: scene.market.facts("ios", country, keyword).numberOfApps,
        competitors: false,
      },
      appData: apps
        .map((app) => ({
          share: average(days.map((day) => paidShareOn(app, { country, keyword, day }))),
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

function average(values: readonly number[]): number {
  return values.length === 0
    ? 0
    : Math.round((values.reduce((sum, value) => sum + value, 0) / values.length) * 1e4) / 1e4;
}
