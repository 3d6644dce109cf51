import { expect, test } from "vitest";
import type { CheckParts } from "../../src/incidents/check-parts.ts";
import { checks } from "../../src/incidents/checks.ts";
import { openProxy } from "../support/ingest-proxy.ts";
import type { RunOptions } from "../support/ingest-stage.ts";
import { openWithPortfolio } from "../support/backfill-stage.ts";
import { long } from "../support/long.ts";

const ranking = "ios.keyword-ranking";

async function wrongPricesIn(parts: CheckParts) {
  const check = checks.find(({ kinds }) => kinds.includes("price_wrong"));
  return (await check?.find(parts))?.map(({ subject, facts }) => ({ subject, facts }));
}

type Priced = { readonly cost: string; readonly concurrency: number; readonly times?: number };

/** Fetches ranks through a server that names another price for them, and reads what was booked, learned and reported. */
async function fetchPriced({ cost, concurrency, times = Number.POSITIVE_INFINITY }: Priced) {
  await using stage = await openWithPortfolio({ market: { apps: 1, countries: ["US"], keywordsPerApp: 4 } });
  const before = stage.sandbox.account().remaining;
  let priced = 0;
  await using proxy = await openProxy(stage.sandbox, (passing) => {
    if (!passing.target.includes("/keywordrankings") || priced >= times) return;
    priced += 1;
    passing.headers["x-credit-cost"] = cost;
  });
  const run: RunOptions = { request: { datasets: ["keyword_rank"] }, settings: { api: { concurrency } } };
  const { progress, outcome } = await stage.sync({ ...run, environment: { API_BASE_URL: proxy.url } });
  await using app = await stage.open(run);
  const { clock, config, warehouse } = app;
  const parts = { db: warehouse.db, clock, settings: config.settings, accountId: "", scheduled: new Map() };
  const [learned] = await stage.query("select documented, learned from ops.credit_cost where operation = $1", [
    ranking,
  ]);
  return {
    outcome,
    calls: stage.requested().filter(({ operation }) => operation === ranking).length,
    booked: progress.credits,
    spent: before - stage.sandbox.account().remaining,
    learned,
    reported: await wrongPricesIn(parts),
  };
}

/** What no service takes, and what may be a price; the others are as the first. */
const prices = [
  ["-3", 4],
  // of calls one after the other the balance shows what each took
  ["1", 1],
  ["0", 1],
  ["2000000000", 4],
] as const;

test.each(long ? prices : prices.slice(0, 2))(
  "a price of %s for a call of 3 is booked as 3, is an incident, and is learned from no answer",
  async (cost, concurrency) => {
    const seen = await fetchPriced({ cost, concurrency });
    expect(seen).toMatchObject({ outcome: "loaded", learned: { documented: 3, learned: 3 } });
    expect(seen.calls).toBeGreaterThan(1);
    expect(seen.booked).toBe(seen.spent);
    const facts = expect.objectContaining({ header: Math.min(Number(cost), 1e9), documented: 3 });
    expect(seen.reported).toContainEqual({ subject: ranking, facts });
  },
);

test("another price that may be right is booked as it is named, and one answer alone teaches no plan", async () => {
  const seen = await fetchPriced({ cost: "9", concurrency: 4, times: 1 });
  expect(seen).toMatchObject({ outcome: "loaded", learned: { documented: 3, learned: 3 } });
});

test.each(long ? [1, 4] : [4])(
  "an empty answer for nothing is booked so, and is no price, with %i calls at a time",
  async (concurrency) => {
    await using stage = await openWithPortfolio({ market: { apps: 1, countries: ["US"], keywordsPerApp: 4 } });
    const before = stage.sandbox.account().remaining;
    const faults = [{ operation: ranking, times: 2, kind: "status", status: 204, body: "" }] as const;
    stage.sandbox.set({ faults });
    await using proxy = await openProxy(stage.sandbox, (passing) => {
      if (passing.status === 204) passing.headers["x-credit-cost"] = "0";
    });
    const run: RunOptions = { request: { datasets: ["keyword_rank"] }, settings: { api: { concurrency } } };
    const { progress } = await stage.sync({ ...run, environment: { API_BASE_URL: proxy.url } });
    const empty = await stage.query("select cost from ops.request where status = 204");
    expect([empty, progress.credits]).toEqual([[{ cost: 0 }, { cost: 0 }], before - stage.sandbox.account().remaining]);
    expect(await stage.query("select operation from ops.credit_cost where wrong_at is not null")).toEqual([]);
  },
);
