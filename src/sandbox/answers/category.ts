import { androidCategories } from "../../api/categories.ts";
import * as category from "../../api/operations/category.ts";
import { startOfDay, type Day, hourMs } from "../../core/day.ts";
import { sumBy } from "../../core/sum.ts";
import type { MarketApp } from "../market/apps.ts";
import {
  categoriesOf,
  chartHours,
  chartOf,
  overallCategory,
  placesIn,
  type ChartCell,
  type ChartType,
} from "../market/charts.ts";
import type { RankDevice } from "../market/ranks.ts";
import {
  answerTable,
  answerTo,
  isPublished,
  knownApp,
  localTime,
  publishedDays,
  type AnswerContext,
  yesterday,
} from "../answer-context.ts";

const types = ["FREE", "PAID", "GROSSING"] as const satisfies readonly ChartType[];

type RankAt = { readonly day: Day; readonly hour: number; readonly rank: number };
type Where = Pick<ChartCell, "country" | "categoryId" | "type" | "device">;

/** An app's ranks in one chart, by hour; hours at which it is not in the chart are left out. */
function ranksByHour(context: AnswerContext, app: MarketApp, where: Where, days: readonly Day[]): RankAt[] {
  return days.flatMap((day) =>
    chartHours.flatMap((hour) => {
      const rank = placesIn(context.market.apps, { ...where, store: app.store, day, hour }).get(app.trackId);
      return rank === undefined ? [] : [{ day, hour, rank }];
    }),
  );
}

/** The average rank on each day on which the app was in the chart. */
function daily(ranks: readonly RankAt[]): RankAt[] {
  return [...Map.groupBy(ranks, ({ day }) => day)].map(([day, same]) => ({
    day,
    hour: 0,
    rank: Math.round(sumBy(same, ({ rank }) => rank) / same.length),
  }));
}

const at = ({ day, hour }: RankAt) => startOfDay(day) + hour * hourMs;

function iosCharts(
  context: AnswerContext,
  app: MarketApp,
  requested: { country: string; days: readonly Day[]; devices: readonly RankDevice[]; hourly: boolean },
) {
  const { country, days, devices, hourly } = requested;
  return (categoryId: number) =>
    devices.flatMap((device) =>
      types.flatMap((type) => {
        const ranks = ranksByHour(context, app, { country, categoryId, type, device }, days);
        if (ranks.length === 0) return [];
        return [
          {
            targetDevice: device === "IPAD" ? ("IPAD" as const) : ("IPHONE" as const),
            rankingType: type,
            rankingsByDate: (hourly ? ranks : daily(ranks)).map((one) => ({
              date: localTime(at(one)),
              ranking: one.rank,
            })),
          },
        ];
      }),
    );
}

/** Charts by category, without those that have no rank. */
function byCategory<T>(
  ids: readonly number[],
  name: (id: number) => string,
  charts: (id: number) => T[],
): Record<string, T[]> {
  return Object.fromEntries(
    ids.map((id) => [name(id), charts(id)] as const).filter(([, reported]) => reported.length > 0),
  );
}

const androidName = (id: number) => androidCategories.get(id) ?? String(id);

/** Answers about charts and the ranks in them. */
export const categoryAnswers = answerTable([
  answerTo(category.iosTopCharts, ({ categoryId, countryCode, rankingType, targetDevice, date }, context) => {
    const cell = { store: "ios", country: countryCode, categoryId, type: rankingType, device: targetDevice } as const;
    const shown = isPublished(context, date) ? chartOf(context.market.apps, { ...cell, day: date, hour: 18 }) : [];
    return {
      countryCode,
      categoryId,
      targetDevice,
      rankingType,
      date: localTime(startOfDay(date)),
      trackIds: shown.map(Number),
    };
  }),
  answerTo(category.iosCategoryRanking, ({ version, trackId, countryCode, hourly, startDate, endDate }, context) => {
    const app = knownApp(context, "ios", trackId);
    const days = publishedDays(context, category.iosCategoryRanking, { start: startDate, end: endDate });
    const charts = iosCharts(context, app, { country: countryCode, days, devices: ["IPHONE", "IPAD"], hourly });
    const ids = version === "v2" ? [overallCategory.ios] : categoriesOf(app);
    return { trackId: Number(trackId), ranksByCategory: { [countryCode]: byCategory(ids, String, charts) } };
  }),
  answerTo(category.iosGlobalCategoryRankings, ({ trackId, device }, context) => {
    const app = knownApp(context, "ios", trackId);
    const inCountry = (country: string) =>
      byCategory(
        categoriesOf(app),
        String,
        iosCharts(context, app, { country, days: [yesterday(context)], devices: [device], hourly: false }),
      );
    return {
      trackId: Number(trackId),
      ranksByCategory: Object.fromEntries(app.countries.map((country) => [country, inCountry(country)])),
    };
  }),
  answerTo(category.androidTopCharts, ({ category: name, countryCode, categoryType, date }, context) => {
    const [categoryId = 0] = [...androidCategories].find(([, known]) => known === name) ?? [];
    const cell = { store: "android", country: countryCode, categoryId, type: categoryType, device: "ALL" } as const;
    const shown = isPublished(context, date) ? chartOf(context.market.apps, { ...cell, day: date, hour: 18 }) : [];
    return shown.map((trackId, index) => ({
      trackId,
      category: categoryId,
      rank: index + 1,
      date: context.instant(startOfDay(date)),
      type: types.indexOf(categoryType),
    }));
  }),
  answerTo(category.androidCategoryRanking, ({ trackId, country, startDate, endDate }, context) => {
    const app = knownApp(context, "android", trackId);
    const days = publishedDays(context, category.androidCategoryRanking, { start: startDate, end: endDate });
    const rankings = (categoryId: number) =>
      types.flatMap((type, rankingType) => {
        const ranks = daily(ranksByHour(context, app, { country, categoryId, type, device: "ALL" }, days));
        if (ranks.length === 0) return [];
        return [{ rankingType, ranksByDate: ranks.map((one) => ({ date: context.instant(at(one)), rank: one.rank })) }];
      });
    return {
      trackId,
      countryCode: country,
      ranksByCategoryNames: categoriesOf(app)
        .map((id) => ({ categoryName: androidName(id), rankings: rankings(id) }))
        .filter((reported) => reported.rankings.length > 0),
    };
  }),
  answerTo(category.androidGlobalCategoryRankings, ({ trackId }, context) => {
    const app = knownApp(context, "android", trackId);
    const charts = (country: string) => (categoryId: number) =>
      types.flatMap((type) => {
        const ranks = daily(
          ranksByHour(context, app, { country, categoryId, type, device: "ALL" }, [yesterday(context)]),
        );
        if (ranks.length === 0) return [];
        const rankingsByDate = ranks.map((one) => ({ date: localTime(at(one)), ranking: one.rank }));
        return [{ rankingType: type, rankingsByDate }];
      });
    return {
      trackId,
      ranksByCategory: Object.fromEntries(
        app.countries.map((country) => [country, byCategory(categoriesOf(app), androidName, charts(country))]),
      ),
    };
  }),
]);
