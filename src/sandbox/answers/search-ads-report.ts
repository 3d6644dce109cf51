import * as report from "../../api/operations/search-ads-report.ts";
import type { Day } from "../../core/day.ts";
import { paidShareOn, bidsOf, resultOn, type Bid } from "../market/search-ads.ts";
import { answerTable, answerTo, publishedDays, type Scene, type ValuesOf } from "../scene.ts";
import { metricsOf, sumOf, type Money } from "./report-metrics.ts";
import { identityOf, levelKeys, statusOf, type Level } from "./report-row.ts";

type Asked = ValuesOf<typeof report.searchAdsReports>;

/** Rows a page; small, so that a report of any size has several. */
const rowsPerPage = 25;

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
function rows(scene: Scene, asked: Asked, days: readonly Day[]) {
  const bids = bidsFor(scene, asked);
  const level: Level = asked.reportLevel;
  const groups =
    asked.reportType === "SUMMARY"
      ? bids.length === 0
        ? []
        : [bids]
      : [...Map.groupBy(levelKeys(level, bids), ({ key }) => key).values()].map((same) => same.map(({ bid }) => bid));
  const spans = asked.reportType === "DAILY" ? days.map((day) => [day]) : [days];
  return groups.flatMap((group) =>
    spans.filter((span) => span.length > 0).map((span) => row(scene, asked, { group, span, level })),
  );
}

function row(
  scene: Scene,
  asked: Asked,
  { group, span, level }: { group: readonly Bid[]; span: readonly Day[]; level: Level },
) {
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
    ...(asked.reportType === "SUMMARY" || first === undefined
      ? {}
      : { ...identityOf(level, first), ...statusOf(first) }),
    currency: asked.currency ?? "USD",
    ...(asked.reportType === "DAILY" ? { date: span[0] } : {}),
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
    const all = rows(scene, asked, days);
    const offset = (asked.page ?? 0) * rowsPerPage;
    return [
      {
        pagination: { totalRowCount: all.length, limit: rowsPerPage, offset },
        tableData: all.slice(offset, offset + rowsPerPage),
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
