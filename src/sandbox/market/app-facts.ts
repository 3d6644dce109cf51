import { androidCategories, iosCategories } from "../../api/categories.ts";
import type { Day } from "../../core/day.ts";
import type { MarketApp } from "./apps.ts";
import { hashOf, mix, unit } from "./noise.ts";
import { dayNumber } from "./ranks.ts";
import type { Topic } from "./words.ts";

/** What the stores show about an app, apart from its texts. */
export type AppFacts = {
  readonly categoryId: number;
  /** As the store spells it: `Productivity` on iOS, `PRODUCTIVITY` on Android. */
  readonly categoryName: string;
  readonly developerId: string;
  /** US dollars; 0 for a free app. */
  readonly price: number;
};

/** An app's ratings on a day. */
export type Ratings = {
  readonly average: number;
  readonly count: number;
  /** How many gave five, four, three, two and one star; they add up to `count`. */
  readonly stars: readonly [number, number, number, number, number];
};

const categoryIds = {
  productivity: { ios: 6007, android: 17 },
  finance: { ios: 6015, android: 6 },
  mindfulness: { ios: 6013, android: 7 },
  // books and reference: an id of 0 is valid
  developer: { ios: 6026, android: 0 },
  travel: { ios: 6003, android: 22 },
  food: { ios: 6023, android: 56 },
} as const satisfies Record<Topic, { ios: number; android: number }>;

// cached: charts read them hundreds of times per call
const known = new WeakMap<MarketApp, AppFacts>();

/** The facts about an app that do not change. */
export function appFacts(app: MarketApp): AppFacts {
  const facts = known.get(app) ?? drawnFacts(app);
  known.set(app, facts);
  return facts;
}

function drawnFacts(app: MarketApp): AppFacts {
  const hash = hashOf(app.store, app.trackId);
  const categoryId = categoryIds[app.topic][app.store];
  const names = app.store === "ios" ? iosCategories : androidCategories;
  return {
    categoryId,
    categoryName: names.get(categoryId) ?? "",
    developerId: String(100_000_000 + (hashOf(app.store, app.developer) % 900_000_000)),
    price: unit(mix(hash, 2)) < 0.8 ? 0 : 2.99,
  };
}

/** The ratings of an app at the end of a day; their number never falls. */
export function ratingsOn(app: MarketApp, day: Day): Ratings {
  const hash = hashOf(app.store, app.trackId);
  const age = Math.max(0, dayNumber(day) - dayNumber(app.released));
  const count = Math.floor(50 + 90_000 * unit(mix(hash, 4)) ** 3 + age * 3 * app.popularity);
  const five = Math.floor(count * (0.5 + 0.3 * unit(mix(hash, 3))));
  const four = Math.floor((count - five) * 0.5);
  const three = Math.floor((count - five - four) * 0.4);
  const two = Math.floor((count - five - four - three) * 0.4);
  const one = count - five - four - three - two;
  const sum = five * 5 + four * 4 + three * 3 + two * 2 + one;
  return { average: Math.round((sum / count) * 100) / 100, count, stars: [five, four, three, two, one] };
}
