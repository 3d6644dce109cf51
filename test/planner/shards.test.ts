import { beforeAll, describe, expect, test } from "vitest";
import type { Portfolio } from "../../src/core/portfolio.ts";
import { scopeKey, type SliceDraft } from "../../src/core/slice.ts";
import { Settings } from "../../src/config/settings.ts";
import { datasets } from "../../src/datasets/shared/all.ts";
import { everythingOn } from "../../src/demo/shows.ts";
import { examplePortfolio } from "../../src/planner/example-portfolio.ts";
import { partitionsOf } from "../../src/planner/plan-chunks.ts";
import { planChunks, planStarts, startsOf } from "../../src/planner/plan-stream.ts";
import { hasApp, hasDataset, locksOf, shardsFor, wholePlan } from "../../src/planner/shards.ts";
import { openLedgerStage, today } from "../support/ledger-stage.ts";
import { forTests } from "../support/for-tests.ts";

const app = (index: number) => ({ store: "ios", trackId: String(1_000_000 + index) }) as const;
const many = Array.from({ length: 1_000 }, (_, index) => app(index));

describe("the shards of a portfolio", () => {
  test("are one up to 64 apps, then a power of two of them and one for what belongs to no single app, 64 at most", () => {
    expect(shardsFor(64)).toEqual([wholePlan]);
    expect([65, 128, 129, 1_000, 1_000_000].map((apps) => shardsFor(apps).length - 1)).toEqual([2, 2, 4, 16, 64]);
  });

  test("have each app once, about as many of them in each, and each dataset once for it", () => {
    const shards = shardsFor(many.length);
    const [whole, ...byApp] = shards;
    const counts = byApp.map((shard) => many.filter((one) => hasApp(shard, one)).length);
    expect(counts.reduce((sum, count) => sum + count)).toBe(many.length);
    expect(Math.max(...counts)).toBeLessThan(2 * Math.min(...counts));
    expect(many.every((one) => whole !== undefined && hasApp(whole, one))).toBe(true);
    for (const dataset of datasets)
      expect(shards.map((shard) => hasDataset(shard, dataset))).toEqual(
        shards.map((shard) => (shard.number === 0) !== (dataset.byApp === true)),
      );
  });

  test("lock an app by the same number however many there are, and what belongs to none by another", () => {
    const lockOf = (apps: number, one: (typeof many)[number]) =>
      new Set(shardsFor(apps).flatMap((shard, index) => (index > 0 && hasApp(shard, one) ? locksOf(shard) : [])));
    for (const one of many.slice(0, 50)) {
      const [finest, ...none] = lockOf(1_000_000, one);
      expect(none).toEqual([]);
      for (const apps of [65, 1_000]) expect(lockOf(apps, one)).toContain(finest);
    }
    const all = shardsFor(1_000)
      .flatMap(locksOf)
      .toSorted((a, b) => a - b);
    expect(all).toEqual(locksOf(wholePlan));
    expect(new Set(all).size).toBe(65);
  });
});

/** Apps of both stores that share their countries and keywords. */
function sharing(): Portfolio {
  const { apps, ...rest } = examplePortfolio({ apps: 6, countries: ["US", "JP"], keywords: 3 }, datasets);
  const words = ["one", "three", "two"];
  const countries = ["JP", "US"].map((country) => ({ country, keywords: words, tracked: words, keywordCount: 3 }));
  return { ...rest, apps: apps.map((one) => ({ ...one, countries })) };
}

describe.each(datasets)("$name", (dataset) => {
  const portfolio = sharing();
  const settings = everythingOn.datasets[dataset.name] ?? {};
  const partitions = (of: Portfolio) =>
    partitionsOf({ dataset, portfolio: of, request: { datasets: [], bounds: {}, today }, settings });

  test("is planned the same some apps at a time, where it says so", () => {
    if (dataset.byApp !== true) return;
    const apart = portfolio.apps.flatMap((one) => partitions({ ...portfolio, apps: [one] }));
    const byScope = (a: { scope: SliceDraft["scope"] }, b: { scope: SliceDraft["scope"] }) =>
      scopeKey(a.scope) < scopeKey(b.scope) ? -1 : 1;
    expect(apart.toSorted(byScope)).toEqual(partitions(portfolio));
  });

  test("is planned the same from one keyword a country, unless it says that it is planned from keywords", () => {
    const first = portfolio.apps.map((one) => ({
      ...one,
      countries: one.countries.map((country) => ({
        ...country,
        keywords: country.keywords.slice(0, 1),
        tracked: country.keywords.slice(0, 1),
      })),
    }));
    const same = JSON.stringify(partitions({ ...portfolio, apps: first })) === JSON.stringify(partitions(portfolio));
    expect(same).toBe(dataset.fromKeywords !== true);
  });
});

describe("a plan in shards", () => {
  const stage = forTests(openLedgerStage);
  beforeAll(async () => {
    await stage.pool.query(`
      insert into core.dim_app (store, track_id, fetched_at) select 'ios', (1000000 + n)::text, now() from generate_series(0, 129) as n;
      insert into core.dim_keyword (keyword) values ('one'), ('two'), ('three');
      insert into core.tracked_app (app_key, valid_from, is_current, is_store_account_connected, slice_id, fetched_at)
      select app_key, '2026-01-01', true, app_key % 2 = 0, 0, now() from core.dim_app;
      insert into core.tracked_country (app_key, country_key, valid_from, is_current, keyword_count, slice_id, fetched_at)
      select app_key, country_key, '2026-01-01', true, app_key % 3, 0, now()
      from   core.dim_app cross join core.dim_country where country_code in ('US', 'JP');
      insert into core.tracked_keyword (app_key, country_key, keyword_key, valid_from, is_current, slice_id, fetched_at)
      select app_key, country_key, keyword_key, '2026-01-01', true, 0, now()
      from   core.tracked_country join core.dim_keyword on keyword_key % 3 <= keyword_count`);
  });

  test("has the same slices as one of everything at once", async () => {
    const request = { datasets: [], bounds: {}, today };
    const settings = Settings.parse({
      datasets: { keyword_metadata: { on: true }, paying_app: { on: true }, keyword_rank: { history_days: 3 } },
      portfolio: { source: "both", apps: [{ id: "1000001", countries: ["DE"], keywords: ["four"] }] },
    });
    const slicesIn = async (chunks: AsyncIterable<{ readonly slices: readonly SliceDraft[] }>) => {
      const found: string[] = [];
      for await (const { slices } of chunks) for (const slice of slices) found.push(JSON.stringify(slice));
      return found.sort();
    };
    const whole = await slicesIn(planStarts(stage.db, await startsOf(stage.db, request, settings), true));
    expect(await slicesIn(planChunks(stage.db, request, settings, true))).toEqual(whole);
    expect(whole.length).toBeGreaterThan(500);
  });
});
