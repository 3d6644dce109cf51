import * as dashboard from "../../api/operations/dashboard.ts";
import { addDays, type Day } from "../../core/day.ts";
import { storeOf } from "../../core/store.ts";
import { hashOf, mix, unit } from "../market/noise.ts";
import type { MarketApp } from "../market/apps.ts";
import type { RankCell } from "../market/market.ts";
import type { Topic } from "../market/words.ts";
import { answerTable, answerTo, isPublished, knownApp, type Scene } from "../scene.ts";

const categories = {
  productivity: { name: "Productivity", ios: 6007, android: 16 },
  finance: { name: "Finance", ios: 6015, android: 6 },
  mindfulness: { name: "Health & Fitness", ios: 6013, android: 7 },
  developer: { name: "Developer Tools", ios: 6026, android: 23 },
  travel: { name: "Travel", ios: 6003, android: 22 },
  food: { name: "Food & Drink", ios: 6023, android: 56 },
} as const satisfies Record<Topic, { name: string; ios: number; android: number }>;

/** Days of ranks that come along with a tracked keyword. */
const historyDays = 7;

function trackedApp(scene: Scene, app: MarketApp) {
  const hash = hashOf(app.store, app.trackId);
  const category = categories[app.topic];
  return {
    trackId: app.trackId,
    name: app.name,
    isStoreAccountConnected: unit(mix(hash, 1)) < 0.5,
    availableCountries: [...app.countries],
    competitors: scene.market.competitors(app).map(({ trackId, name }) => ({ trackId, name })),
    categoryName: category.name,
    categoryId: category[app.store],
    iconUrl: `https://icons.example/${app.trackId}.png`,
    price: unit(mix(hash, 2)) < 0.8 ? "0.00" : "2.99",
    developerId: String(100_000_000 + (hash % 900_000_000)),
    developerName: app.developer,
    rating: Math.round((3.6 + unit(mix(hash, 3)) * 1.3) * 10) / 10,
    ratingCount: Math.floor(50 + 90_000 * unit(mix(hash, 4)) ** 3),
  };
}

function trackedKeyword(scene: Scene, cell: RankCell) {
  const facts = scene.market.facts(cell.store, cell.country, cell.keyword);
  const told = (day: Day) => (isPublished(scene, day) ? scene.market.latestRank({ ...cell, day }) : null);
  const now = told(cell.day);
  const before = told(addDays(cell.day, -1));
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
      const crawl = told(date);
      return crawl === null ? [] : [{ rank: crawl.rank, date }];
    }),
  };
}

/** Answers about what the account tracks: every app of the market, and its keywords. */
export const dashboardAnswers = answerTable([
  answerTo(dashboard.dashboardApps, (_, scene) => scene.market.apps.map((app) => trackedApp(scene, app))),
  answerTo(dashboard.dailyKeywordRankings, ({ trackId, countryCode, device, date }, scene) => {
    const store = storeOf(trackId);
    const app = knownApp(scene, store, trackId);
    const where = { store, trackId, country: countryCode, day: date ?? scene.today } as const;
    const seenOn = store === "android" ? "ALL" : device === "ipad" ? "IPAD" : "IPHONE";
    return scene.market
      .trackedKeywords(app, countryCode)
      .map((keyword) => trackedKeyword(scene, { ...where, keyword, device: seenOn }));
  }),
  answerTo(dashboard.numberOfKeywords, ({ trackId }, scene) => {
    const app = knownApp(scene, storeOf(trackId), trackId);
    return Object.fromEntries(
      app.countries.map((country) => [country, scene.market.trackedKeywords(app, country).length]),
    );
  }),
]);
