import { expect, test } from "vitest";
import { listsPrice, nightsInWords, withChanges } from "../../src/person/keyword-nights.ts";
import { dailyKeywordRankings, dashboardApps, numberOfKeywords } from "../../src/api/operations/dashboard.ts";
import { Settings } from "../../src/config/settings.ts";
import { day } from "../../src/core/day.ts";
import type { PortfolioApp } from "../../src/core/portfolio.ts";
import { portfolioPrice } from "../../src/planner/portfolio-price.ts";
import { portfolioOf } from "../../src/planner/portfolio.ts";

const keywords = (count: number) => Array.from({ length: count }, (_, index) => `keyword ${index}`);
const app = (count: number): PortfolioApp => ({
  store: "ios",
  trackId: "7",
  tracked: true,
  countries: [{ country: "US", keywords: keywords(count), keywordCount: count }],
});
const settings = Settings.parse({});

async function priceOf(apps: readonly PortfolioApp[], given = settings) {
  return portfolioPrice({ apps: portfolioOf(apps, given.portfolio).apps, settings: given, today: day("2026-08-20") });
}

test("changes of keywords give the portfolio that the account then has", () => {
  const [changed] = withChanges([app(2)], { trackId: "7", country: "US" }, { add: ["b"], remove: ["keyword 0"] });
  expect(changed?.countries).toEqual([{ country: "US", keywords: ["b", "keyword 1"], keywordCount: 2 }]);
  const more = withChanges([app(2)], { trackId: "7", country: "JP" }, { add: ["a"], remove: [] });
  expect(more.flatMap(({ countries }) => countries.map(({ country }) => country))).toEqual(["US", "JP"]);
  const another = withChanges([app(2)], { trackId: "com.example", country: "US" }, { add: ["a"], remove: [] });
  expect(another.map(({ store }) => store)).toEqual(["ios", "android"]);
});

test("the price of nights is shown as the difference to that of now", () => {
  expect(nightsInWords({ before: 209, after: 221 })).toBe(
    "A night then costs about 12 credits more than now, 30 nights about 360.",
  );
  expect(nightsInWords({ before: 209, after: 208 })).toBe(
    "A night then costs about 1 credit less than now, 30 nights about 30.",
  );
  expect(nightsInWords({ before: 209, after: 209 })).toBe("A night then costs the same as now.");
  expect(nightsInWords({ before: 209, after: 209, history: 40, lists: 51 })).toBe(
    "A night then costs the same as now. The first night also takes about 40 credits for the history of the added keywords and 51 credits to read the account's lists of keywords again.",
  );
});

test("the first night after additions or removals reads the lists of that app and country again", async () => {
  const account = [app(20), { ...app(5), trackId: "8" }];
  const place = { trackId: "7", country: "US" };
  const priced = (changes: { readonly add: string[]; readonly remove: string[] }, given = settings) =>
    listsPrice(account, place, changes, { settings: given, today: day("2026-08-20") });
  const both = numberOfKeywords.cost + dailyKeywordRankings.cost;
  expect(await priced({ add: ["new"], remove: [] })).toBe(both);
  expect(await priced({ add: [], remove: ["keyword 0"] })).toBe(both);
  // the list of apps does not have an app whose first keywords these are
  const first = { trackId: "com.example", country: "US" };
  const added = { add: ["new"], remove: [] };
  expect(await listsPrice(account, first, added, { settings, today: day("2026-08-20") })).toBe(
    dashboardApps.cost + both,
  );
  // a country without keywords has no list
  expect(await priced({ add: [], remove: keywords(20) })).toBe(numberOfKeywords.cost);
  expect(await priced({ add: ["new"], remove: [] }, Settings.parse({ portfolio: { source: "config" } }))).toBe(0);
});

test("a night costs more with a hundred keywords more, and what is off costs nothing", async () => {
  const [few, many] = await Promise.all([priceOf([app(90)]), priceOf([app(190)])]);
  expect(many.night).toBeGreaterThan(few.night);
  expect(many.first).toBeGreaterThan(few.first);
  const off = Settings.parse({ datasets: { keyword_rank: { on: false } } });
  expect((await priceOf([app(90)], off)).night).toBeLessThan(few.night);
  const narrow = Settings.parse({ datasets: { keyword_rank: { history_days: 1 } } });
  expect((await priceOf([app(90)], narrow)).first).toBeLessThan(few.first);
  // search ads are added where they are connected
  expect(few.connected).toBeGreaterThan(0);
  expect(few.connectedFirst).toBeGreaterThan(few.connected);
});

test("an empty portfolio costs what reading the account costs", async () => {
  expect((await priceOf([])).first).toBeLessThanOrEqual(20);
});
