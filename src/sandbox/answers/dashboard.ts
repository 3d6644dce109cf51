import * as dashboard from "../../api/operations/dashboard.ts";
import { addDays, type Day } from "../../core/day.ts";
import type { MarketApp } from "../market/apps.ts";
import type { RankCell } from "../market/market.ts";
import { answerTable, answerTo, isPublished, type AnswerContext, appWithId } from "../answer-context.ts";
import { appInformation } from "./store-page.ts";

/** Days of ranks that are returned with a tracked keyword. */
const historyDays = 7;

/** Whether the account has store data about an app: it does for every second app of the market, including the first. */
export function isStoreConnected({ connected, market }: AnswerContext, app: MarketApp): boolean {
  return connected && market.apps.indexOf(app) % 2 === 0;
}

function trackedApp(context: AnswerContext, app: MarketApp) {
  return {
    ...appInformation(context, app),
    isStoreAccountConnected: isStoreConnected(context, app),
    availableCountries: [...app.countries],
    competitors: context.market.competitors(app).map((one) => appInformation(context, one)),
  };
}

/** A keyword that the account tracks, with its facts and its ranks of the last days. */
export function keywordWithRanks(context: AnswerContext, cell: RankCell) {
  const facts = context.market.facts(cell.store, cell.country, cell.keyword);
  const reported = (day: Day) => (isPublished(context, day) ? context.market.latestRank({ ...cell, day }) : null);
  const now = reported(cell.day);
  const before = reported(addDays(cell.day, -1));
  const history = Array.from({ length: historyDays }, (_, index) => addDays(cell.day, index + 1 - historyDays));
  return {
    keyword: cell.keyword,
    countryCode: cell.country,
    searchVolume: facts.searchVolume,
    chance: facts.chance,
    numberOfApps: facts.numberOfApps,
    ...(facts.brandApp === null ? {} : { brandApp: facts.brandApp }),
    ...(now === null ? {} : { rank: now.rank }),
    ...(typeof now?.rank === "number" && typeof before?.rank === "number" ? { change: before.rank - now.rank } : {}),
    rankingHistory: history.flatMap((date) => {
      const crawl = reported(date);
      return crawl === null ? [] : [{ rank: crawl.rank, date }];
    }),
  };
}

/** Answers about what the account tracks: every app of the market, and its keywords. */
export const dashboardAnswers = answerTable([
  answerTo(dashboard.dashboardApps, (_, context) => context.market.apps.map((app) => trackedApp(context, app))),
  answerTo(dashboard.dailyKeywordRankings, ({ trackId, countryCode, device, date }, context) => {
    const app = appWithId(context, trackId);
    const { store } = app;
    const where = { store, trackId, country: countryCode, day: date ?? context.today } as const;
    const seenOn = store === "android" ? "ALL" : device === "ipad" ? "IPAD" : "IPHONE";
    return context.tracked
      .of(app, countryCode)
      .map((keyword) => keywordWithRanks(context, { ...where, keyword, device: seenOn }));
  }),
  answerTo(dashboard.numberOfKeywords, ({ trackId }, context) => {
    const app = appWithId(context, trackId);
    return Object.fromEntries(app.countries.map((country) => [country, context.tracked.of(app, country).length]));
  }),
]);
