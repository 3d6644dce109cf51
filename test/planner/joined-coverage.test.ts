import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import type { Portfolio } from "../../src/core/portfolio.ts";
import type { SliceDraft } from "../../src/core/slice.ts";
import { dailyKeywordRankings } from "../../src/api/operations/dashboard.ts";
import { iosKeywordRanking } from "../../src/api/operations/keyword.ts";
import type { DatasetSettings } from "../../src/config/settings.ts";
import { keywordRank } from "../../src/datasets/keyword-rank.ts";
import { coverageFor, planInChunks, type DatasetPlanning } from "../../src/planner/plan-chunks.ts";
import { draft, openLedgerStage, today, type LedgerStage } from "../support/ledger-stage.ts";

const words = Array.from({ length: 8 }, (_, index) => `keyword ${index}`);
const countries = ["BR", "DE", "ES", "FR", "GB", "IT", "JP", "US"];
const portfolio: Portfolio = {
  apps: ["1", "2"].map((trackId) => ({
    store: "ios",
    trackId,
    tracked: true,
    countries: countries.map((country) => ({ country, keywords: words, tracked: words, keywordCount: words.length })),
  })),
};

/** Slices of any lists and days, several of one cell among them. */
const slices = fc.record({
  app: fc.constantFrom("1", "2"),
  country: fc.constantFrom(...countries),
  operation: fc.constantFrom(iosKeywordRanking.id, iosKeywordRanking.id, dailyKeywordRankings.id),
  items: fc.constantFrom(words, words.slice(0, 4), words.slice(4), words.slice(2, 6), words.slice(7)),
  ago: fc.integer({ min: 1, max: 16 }),
  days: fc.integer({ min: 1, max: 9 }),
});

type Drawn = typeof slices extends fc.Arbitrary<infer T> ? T : never;

function draftOf({ app, country, operation, items, ago, days }: Drawn): SliceDraft {
  const start = addDays(today, -ago);
  const window = { start, end: addDays(start, Math.min(days, ago)) };
  return draft({ operation, scope: { store: "ios", app, country }, items, window });
}

let stage: LedgerStage;

beforeAll(async () => {
  stage = await openLedgerStage();
  await stage.insert(await stage.run(), ...fc.sample(slices, { seed: 17, numRuns: 600 }).map(draftOf));
  // most are loaded, planned from the day after their last one to a week later
  await stage.pool.query(`
    update ops.slice
    set    as_of = least(window_end + (slice_id % 8)::int, date '${today}'),
           state = case when slice_id % 11 < 7 then 'loaded'
                        else (array['empty', 'skipped', 'failed', 'pending'])[slice_id % 11 - 6] end,
           error_code = case when slice_id % 22 = 8 then 'bad_request' end`);
});
afterAll(() => stage[Symbol.asyncDispose]());

async function planned(
  settings: DatasetSettings,
  { isJoined, ...request }: Partial<DatasetPlanning["request"]> & { readonly isJoined: boolean },
) {
  const planning = {
    dataset: keywordRank,
    request: { datasets: [], bounds: {}, today, ...request },
    portfolio,
    learned: new Map(),
    settings,
  };
  const covered: number[] = [];
  const plans = [];
  for await (const { plan, ...chunk } of planInChunks(coverageFor(stage.db, planning, { isJoined }), planning)) {
    plans.push(plan);
    covered.push([...chunk.covered.values()].flat().length);
  }
  return { plans, covered };
}

test.each<DatasetSettings>([{ history_days: 20 }, { history_days: 12, lookback_days: 4, settle_days: 2 }])(
  "a plan is the same whether final slices are told apart or come as the days that they cover: %o",
  async (settings) => {
    const [apart, joined] = [await planned(settings, { isJoined: false }), await planned(settings, { isJoined: true })];
    expect(joined.plans).toEqual(apart.plans);
    expect(apart.plans.flatMap((plan) => plan.slices).length).toBeGreaterThan(20);
    expect(joined.covered[0]).toBeLessThan(apart.covered[0] ?? 0);
  },
);

test("what the newest slice of a cell decides is planned from each of them", async () => {
  const failed = { reprocess: "failed" } as const;
  const apart = await planned({}, { ...failed, isJoined: false });
  expect(await planned({}, { ...failed, isJoined: true })).toEqual(apart);
  expect(apart.plans.flatMap((plan) => plan.slices).length).toBeGreaterThan(10);
});
