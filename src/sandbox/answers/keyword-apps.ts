import * as keyword from "../../api/operations/keyword-apps.ts";
import type { Store } from "../../core/store.ts";
import { addDays } from "../../core/day.ts";
import { appFacts } from "../market/app-facts.ts";
import { stranger } from "../market/charts.ts";
import { hashOf } from "../market/noise.ts";
import { lastRank, type Device } from "../market/ranks.ts";
import { answerTable, answerTo, midnight, type Scene } from "../answer-context.ts";

type Search = {
  readonly store: Store;
  readonly country: string;
  readonly keyword: string;
  readonly device: Device;
};

/** The results of a search by position: the market's apps where Keyword Ranking has them, strangers between. */
function results(scene: Scene, search: Search): string[] {
  const day = addDays(scene.today, -1);
  const places = new Map<number, string>();
  for (const { store, trackId } of scene.market.apps.filter((app) => app.store === search.store)) {
    let rank = scene.market.latestRank({ ...search, store, trackId, day })?.rank ?? null;
    // two apps of one rank were seen at different hours: the second one has moved down
    while (rank !== null && places.has(rank)) rank += 1;
    if (rank !== null && rank <= lastRank) places.set(rank, trackId);
  }
  const facts = scene.market.facts(search.store, search.country, search.keyword);
  const found = search.device === "IPAD" ? facts.numberOfIpadApps : facts.numberOfApps;
  const seed = hashOf("search", search.keyword, search.country) % 1_000;
  return Array.from(
    { length: Math.max(found, ...places.keys()) },
    (_, index) => places.get(index + 1) ?? stranger(search.store, seed, index),
  );
}

/** Parts that halve from one item to the next and stay below one in all. */
function parts<T>(items: readonly T[], most: number): { item: T; share: number }[] {
  return items.slice(0, most).map((item, index) => ({ item, share: Math.round(5_000 / 2 ** index) / 10_000 }));
}

function impressions(scene: Scene, search: Search) {
  return parts(results(scene, search), 10).map(({ item, share }) => ({
    shareParameterId: search.store === "ios" ? Number(item) : item,
    share,
  }));
}

/** The categories of the market's apps that are found: by id on iOS, by name on Android. */
function categoryShares(scene: Scene, search: Search) {
  const found = results(scene, search).flatMap((trackId) => scene.market.app(search.store, trackId) ?? []);
  const categories = found
    .map((app) => appFacts(app))
    .map(({ categoryId, categoryName }) => (search.store === "ios" ? categoryId : categoryName));
  return parts([...new Set<number | string>(categories)], 5).map(({ item, share }) => ({
    shareParameterId: item,
    share,
  }));
}

type Share = { readonly shareParameterId: number | string; readonly share: number };

function shares(scene: Scene, { store, country, keyword: word, device }: Search, told: readonly Share[]) {
  const date = addDays(scene.today, -1);
  return {
    keyword: word,
    countryCode: country,
    ...(store === "ios" ? { device: device === "IPAD" ? ("IPAD" as const) : ("IPHONE" as const) } : {}),
    date,
    keywordShares: told.map((share) => ({ ...share, date })),
  };
}

const android = { store: "android", device: "ALL" } as const;

/** Answers about what a search shows and who gets its impressions. */
export const keywordAppsAnswers = answerTable([
  answerTo(keyword.iosKeywordApps, ({ countryCode, keyword: word }, scene) => {
    const on = (device: Device) => results(scene, { store: "ios", country: countryCode, keyword: word, device });
    return {
      keyword: word,
      countryCode,
      lastUpdateDate: scene.instant(midnight(scene.today) - 3_600_000),
      iphoneApps: on("IPHONE").map(Number),
      ipadApps: on("IPAD").map(Number),
    };
  }),
  answerTo(keyword.androidKeywordApps, ({ countryCode, keyword: word }, scene) => ({
    keyword: word,
    countryCode,
    lastUpdateDate: scene.instant(midnight(scene.today) - 3_600_000),
    apps: results(scene, { ...android, country: countryCode, keyword: word }),
  })),
  answerTo(keyword.iosOrganicImpressionShare, ({ keyword: word, countryCode, device }, scene) => {
    const search = { store: "ios", country: countryCode, keyword: word, device } as const;
    return shares(scene, search, impressions(scene, search));
  }),
  answerTo(keyword.androidOrganicImpressionShare, ({ keyword: word, countryCode }, scene) => {
    const search = { ...android, country: countryCode, keyword: word };
    return shares(scene, search, impressions(scene, search));
  }),
  answerTo(keyword.iosShareOfCategory, ({ keyword: word, countryCode, device }, scene) => {
    const search = { store: "ios", country: countryCode, keyword: word, device } as const;
    return shares(scene, search, categoryShares(scene, search));
  }),
  answerTo(keyword.androidShareOfCategory, ({ keyword: word, countryCode }, scene) => {
    const search = { ...android, country: countryCode, keyword: word };
    return shares(scene, search, categoryShares(scene, search));
  }),
]);
