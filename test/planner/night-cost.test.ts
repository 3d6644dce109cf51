import { describe, expect, test } from "vitest";
import { nightCosts, nightSum } from "../../src/cli/night.ts";
import { addDays, day } from "../../src/core/day.ts";
import type { Portfolio } from "../../src/core/portfolio.ts";
import { scopeKey, type Covered } from "../../src/core/slice.ts";
import { datasetNamed, datasets } from "../../src/datasets/shared/all.ts";
import type { Dataset } from "../../src/datasets/shared/define-dataset.ts";
import { examplePortfolio } from "../../src/planner/example-portfolio.ts";
import { nightCost } from "../../src/planner/night-cost.ts";
import { planInChunks } from "../../src/planner/plan-chunks.ts";

const small = examplePortfolio({ apps: 3, countries: ["US", "JP"], keywords: 4 }, datasets);

/** The same by planning every partition every night, over each of these numbers of nights, which are in order. */
async function plannedWhole(dataset: Dataset, portfolio: Portfolio, spans: readonly number[]): Promise<number[]> {
  const loaded = new Map<string, Covered[]>();
  const costs: number[] = [];
  let credits = 0;
  for (let night = 0; night <= (spans.at(-1) ?? 0); night += 1) {
    const request = { datasets: [], bounds: {}, today: addDays(day("2026-06-15"), night) };
    const planning = { dataset, portfolio, request, learned: new Map<string, number>(), settings: {} };
    const coverage = { read: () => Promise.resolve(loaded) };
    for await (const { plan } of planInChunks(coverage, planning))
      for (const slice of plan.slices) {
        if (night > 0) credits += slice.credits;
        const known = loaded.get(scopeKey(slice.scope)) ?? [];
        loaded.set(scopeKey(slice.scope), [...known, { ...slice, state: "loaded", refused: false }]);
      }
    if (spans.includes(night)) costs.push(credits / night);
  }
  return costs;
}

describe("what a night costs", () => {
  test.each(datasets.map((dataset) => [dataset.name, dataset] as const))(
    "is for %s what planning all of it night by night comes to",
    async (_, dataset) => {
      const cost = await nightCost(dataset, small);
      const costs = await plannedWhole(dataset, small, [30, 35, 42, 60, 70, 84, 90]);
      expect(costs).toContainEqual(expect.closeTo(cost, 6));
      if (dataset.timing.kind !== "snapshot" || dataset.timing.refreshDays <= 90) expect(cost).toBeGreaterThan(0);
    },
  );

  test("is worked out of the documented prices", async () => {
    const portfolio = examplePortfolio(
      { apps: 20, countries: ["US", "GB", "DE", "JP", "BR"], keywords: 200 },
      datasets,
    );
    const cost = (name: string) => nightCost(datasetNamed(name), portfolio);
    expect(await cost("tracked_app")).toBe(5);
    // an app, a country and two batches of 100 keywords at 3 credits
    expect(await cost("keyword_rank")).toBe(20 * 5 * 2 * 3);
    // once a week
    expect(await cost("tracked_keyword")).toBeCloseTo((20 * 5 * 50) / 7, 6);
    // iOS knows two devices
    expect(await cost("top_keyword")).toBe((10 * 2 + 10) * 5 * 20);
    expect(await cost("app_match")).toBe(0);
  });

  test("counts each partition as it is, however unlike the others", async () => {
    const country = (code: string, count: number) => {
      const keywords = Array.from({ length: count }, (_, index) => `keyword ${index}`);
      return { country: code, keywords, tracked: [], keywordCount: null };
    };
    const countries = [country("US", 3), country("JP", 101), country("DE", 250), country("GB", 0)];
    const portfolio = { apps: [{ store: "ios", trackId: "1", tracked: false, countries }] } as const;
    expect(await nightCost(datasetNamed("keyword_rank"), portfolio)).toBe((1 + 2 + 3) * 3);
  });

  test("counts a keyword with a comma, which takes a call of its own, where it is and nowhere else", async () => {
    const country = (code: string, ...keywords: string[]) => ({ country: code, keywords, keywordCount: 2 });
    const countries = [
      country("US", "notes", "to-do, list"),
      country("JP", "habits", "notes"),
      country("DE", "a", "b"),
    ];
    const portfolio = { apps: [{ store: "ios", trackId: "1", tracked: false, countries }] } as const;
    expect(await nightCost(datasetNamed("keyword_rank"), portfolio)).toBe(3 + 10 + 3 + 3);
  });

  // that it is the same each time is seen by the pages of docs that have it
  test("is affordable for those that are on by default", async () => {
    const costs = await nightCosts();
    expect([...costs.keys()]).toEqual(datasets.map(({ name }) => name));
    const on = datasets.filter((dataset) => dataset.on).map(({ name }) => name);
    expect(nightSum(costs, on)).toBeLessThan(2_500);
  });
});
