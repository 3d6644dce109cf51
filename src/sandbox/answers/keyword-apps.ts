import * as keyword from "../../api/operations/keyword-apps.ts";
import type { Store } from "../../core/store.ts";
import { startOfDay, hourMs } from "../../core/day.ts";
import { appFacts } from "../market/app-facts.ts";
import { unlistedApp } from "../market/charts.ts";
import { hashOf } from "../market/noise.ts";
import { lastRank, type RankDevice } from "../market/ranks.ts";
import { answerTable, answerTo, type AnswerContext, yesterday } from "../answer-context.ts";

type Search = {
  readonly store: Store;
  readonly country: string;
  readonly keyword: string;
  readonly device: RankDevice;
};

/**
 * The results of a search by position: the apps of the market at the positions in Keyword Ranking, with apps outside the market between
 * them.
 */
function results(context: AnswerContext, search: Search): string[] {
  const day = yesterday(context);
  const places = new Map<number, string>();
  for (const { store, trackId } of context.market.apps.filter((app) => app.store === search.store)) {
    let rank = context.market.latestRank({ ...search, store, trackId, day })?.rank ?? null;
    // two apps with the same rank were seen at different hours: the second one has moved down
    while (rank !== null && places.has(rank)) rank += 1;
    if (rank !== null && rank <= lastRank) places.set(rank, trackId);
  }
  const facts = context.market.facts(search.store, search.country, search.keyword);
  const found = search.device === "IPAD" ? facts.numberOfIpadApps : facts.numberOfApps;
  const seed = hashOf("search", search.keyword, search.country) % 1_000;
  return Array.from(
    { length: Math.max(found, ...places.keys()) },
    (_, index) => places.get(index + 1) ?? unlistedApp(search.store, seed, index),
  );
}

/** Shares that halve from one item to the next, with a total below one. */
function parts<T>(items: readonly T[], most: number): { item: T; share: number }[] {
  return items.slice(0, most).map((item, index) => ({ item, share: Math.round(5_000 / 2 ** index) / 10_000 }));
}

function impressions(context: AnswerContext, search: Search) {
  return parts(results(context, search), 10).map(({ item, share }) => ({
    shareParameterId: search.store === "ios" ? Number(item) : item,
    share,
  }));
}

/** The categories of the found apps of the market: by id on iOS, by name on Android. */
function categoryShares(context: AnswerContext, search: Search) {
  const found = results(context, search).flatMap((trackId) => context.market.app(search.store, trackId) ?? []);
  const categories = found
    .map((app) => appFacts(app))
    .map(({ categoryId, categoryName }) => (search.store === "ios" ? categoryId : categoryName));
  return parts([...new Set<number | string>(categories)], 5).map(({ item, share }) => ({
    shareParameterId: item,
    share,
  }));
}

type Share = { readonly shareParameterId: number | string; readonly share: number };

function shares(
  context: AnswerContext,
  search: Search,
  of: (context: AnswerContext, search: Search) => readonly Share[],
) {
  const { store, country, keyword: word, device } = search;
  const date = yesterday(context);
  return {
    keyword: word,
    countryCode: country,
    ...(store === "ios" ? { device: device === "IPAD" ? ("IPAD" as const) : ("IPHONE" as const) } : {}),
    date,
    keywordShares: of(context, search).map((share) => ({ ...share, date })),
  };
}

const android = { store: "android", device: "ALL" } as const;

/** Answers about what a search shows and who gets its impressions. */
export const keywordAppsAnswers = answerTable([
  answerTo(keyword.iosKeywordApps, ({ countryCode, keyword: word }, context) => {
    const on = (device: RankDevice) => results(context, { store: "ios", country: countryCode, keyword: word, device });
    return {
      keyword: word,
      countryCode,
      lastUpdateDate: context.instant(startOfDay(context.today) - hourMs),
      iphoneApps: on("IPHONE").map(Number),
      ipadApps: on("IPAD").map(Number),
    };
  }),
  answerTo(keyword.androidKeywordApps, ({ countryCode, keyword: word }, context) => ({
    keyword: word,
    countryCode,
    lastUpdateDate: context.instant(startOfDay(context.today) - hourMs),
    apps: results(context, { ...android, country: countryCode, keyword: word }),
  })),
  answerTo(keyword.iosOrganicImpressionShare, ({ keyword: word, countryCode, device }, context) =>
    shares(context, { store: "ios", country: countryCode, keyword: word, device }, impressions),
  ),
  answerTo(keyword.androidOrganicImpressionShare, ({ keyword: word, countryCode }, context) =>
    shares(context, { ...android, country: countryCode, keyword: word }, impressions),
  ),
  answerTo(keyword.iosShareOfCategory, ({ keyword: word, countryCode, device }, context) =>
    shares(context, { store: "ios", country: countryCode, keyword: word, device }, categoryShares),
  ),
  answerTo(keyword.androidShareOfCategory, ({ keyword: word, countryCode }, context) =>
    shares(context, { ...android, country: countryCode, keyword: word }, categoryShares),
  ),
]);
