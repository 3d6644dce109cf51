import { describe, expect, test } from "vitest";
import { benchPlanner } from "../../bench/planner.ts";
import { addDays, day } from "../../src/core/day.ts";
import type { Portfolio } from "../../src/core/portfolio.ts";
import type { Scope } from "../../src/core/slice.ts";
import { keywordRank } from "../../src/datasets/keyword-rank.ts";
import { planInChunks, type DatasetPlanning } from "../../src/planner/plan-chunks.ts";
import type { DatasetPlan } from "../../src/plan/plan-request.ts";

const today = day("2026-08-20");
const words = Array.from({ length: 500 }, (_, index) => `keyword ${String(index).padStart(4, "0")}`);

/** So many apps in so many countries, each with 500 keywords that the account tracks. */
function account(apps: number, countries: readonly string[]): Portfolio {
  return {
    apps: Array.from({ length: apps }, (_, app) => ({
      store: "ios",
      trackId: String(1_000 + app),
      tracked: true,
      countries: countries.map((country) => ({ country, keywords: words, tracked: words, keywordCount: 500 })),
    })),
  };
}

async function planned(
  portfolio: Portfolio,
  days: number,
  { scopesAtOnce, ...request }: Partial<DatasetPlanning["request"]> & { readonly scopesAtOnce?: number } = {},
) {
  const reads: number[] = [];
  const read = async (scopes: readonly Scope[]) => {
    reads.push(scopes.length);
    return new Map();
  };
  const chunks: DatasetPlan[] = [];
  const planning = {
    dataset: keywordRank,
    request: { datasets: [], bounds: { start: addDays(today, -days) }, today, ...request },
    portfolio,
    learned: new Map(),
    settings: {},
  };
  for await (const { plan } of planInChunks(
    { read, ...(scopesAtOnce === undefined ? {} : { scopesAtOnce }) },
    planning,
  ))
    chunks.push(plan);
  return { reads, chunks, slices: chunks.flatMap((chunk) => chunk.slices) };
}

const countries = ["DE", "JP", "US", "BR", "TR"];

describe("a plan in chunks", () => {
  test("reads coverage of few partitions at a time, each once", async () => {
    const { reads, chunks } = await planned(account(12, countries), 1);
    expect(reads.reduce((sum, read) => sum + read, 0)).toBe(60);
    expect(Math.max(...reads)).toBeLessThanOrEqual(16);
    expect(chunks).toHaveLength(reads.length);
  });

  test("is the same chunk by chunk where coverage is read for several at once", async () => {
    const [single, together] = [
      await planned(account(12, countries), 2),
      await planned(account(12, countries), 2, { scopesAtOnce: 40 }),
    ];
    expect(together.chunks).toEqual(single.chunks);
    expect(together.reads).toEqual([48, 12]);
    expect(single.reads).toEqual([16, 16, 16, 12]);
  });

  test("is the same chunk by chunk for any order of apps, countries and keywords", async () => {
    const portfolio = account(8, countries);
    const mirrored = {
      apps: portfolio.apps.toReversed().map((app) => ({
        ...app,
        countries: app.countries
          .toReversed()
          .map((country) => ({ ...country, keywords: country.keywords.toReversed() })),
      })),
    };
    expect((await planned(mirrored, 3)).chunks).toEqual((await planned(portfolio, 3)).chunks);
  });

  test("holds few lists of keywords however many days are planned", async () => {
    const { slices } = await planned(account(2, countries), 365);
    expect(slices).toHaveLength(10 * 5 * 365);
    expect(new Set(slices.map(({ items }) => items)).size).toBe(10 * 5);
  });

  test("is cut down to the requested apps and countries, and costs no more for it", async () => {
    const { slices } = await planned(account(4, countries), 2, {
      only: { apps: ["ios:1002"], countries: ["de", "us"] },
    });
    expect(slices).toHaveLength(2 * 5 * 2);
    expect(new Set(slices.map(({ scope }) => `${scope["app"]} ${scope["country"]}`))).toEqual(
      new Set(["1002 DE", "1002 US"]),
    );
  });
});

test("a part of a large account is planned within what its days cost, with every share of its cells missing", async () => {
  const scale = { apps: 1, countries: 10, keywords: 500, days: 365 };
  const figures = await benchPlanner(scale);
  const byDay = 10 * 365 * 3;
  expect(figures.map(({ missing }) => missing)).toEqual([0.01, 0.1, 1]);
  expect(figures.map(({ credits }) => credits <= byDay * 5)).toEqual([true, true, true]);
  // where a hundred keywords lack a day at most, one call holds it
  for (const { missing, credits } of figures) if (missing < 1) expect(credits).toBeLessThanOrEqual(byDay);
  for (const { credits, naiveCredits, requests, slices } of figures) {
    expect(credits).toBeLessThan(naiveCredits);
    expect(requests).toBe(slices);
  }
});
