import { describe, expect, test } from "vitest";
import { addressOf } from "../../src/api/address.ts";
import { operationById } from "../../src/api/operations/all.ts";
import { addDays } from "../../src/core/day.ts";
import { callers, openDoor } from "../support/gateway-stage.ts";
import { openProxy, type Passing } from "../support/ingest-proxy.ts";
import { openStage, today, until, type RunOptions } from "../support/ingest-stage.ts";
import { must } from "../support/must.ts";
import { openNights } from "../support/nights.ts";
import { countsRows } from "../support/search-ads.ts";

const market = { apps: 1, countries: ["US"], keywordsPerApp: 2 } as const;
const words = { ios: "iosstore", android: "androidstore" };

/**
 * Makes the calls of a sync through the gateway of an empty warehouse, and then counts what the same sync sends there. `pauseMs`: between
 * the last calls. `isReversed`: the last report first, after the lists.
 */
async function paidAgain(
  datasets: NonNullable<RunOptions["settings"]>["datasets"],
  {
    alter = () => undefined,
    pauseMs = 0,
    isReversed = false,
  }: { readonly alter?: (passing: Passing) => void; readonly pauseMs?: number; readonly isReversed?: boolean } = {},
): Promise<number> {
  const request = { datasets: Object.keys(datasets ?? {}) };
  const settings = { datasets, gateway: { callers } };
  await using nights = await openNights({ market });
  let ahead = 0;
  const clock = {
    ...nights.clock,
    now: () => nights.clock.now() + ahead,
    sleep: (ms: number, signal?: AbortSignal) => nights.clock.sleep(ms / 50, signal),
  };
  await using api = await openProxy(nights.stage.sandbox, alter);
  const environment = { API_BASE_URL: api.url };
  await using example = await openStage({ market });
  await using exampleApi = await openProxy(example.sandbox, alter);
  await example.sync(nights.run({ settings, request, environment: { API_BASE_URL: exampleApi.url } }));
  {
    await using door = await openDoor(nights.stage, nights.run({ settings, environment, clock }));
    const key = await door.key("notebook");
    const reports = example.requested().filter(({ operation }) => operation?.includes("report") === true);
    const lists = example.requested().filter((call) => !reports.includes(call));
    const calls = [...lists, ...(isReversed ? reports.toReversed() : reports)];
    const allLoaded = () =>
      until(async () => (await nights.stage.query("select from raw.answer where slice_id is null")).length === 0);
    for (const [made, { operation: id, params }] of calls.entries()) {
      if (made === lists.length) await allLoaded();
      if (made === calls.length - 2) ahead = pauseMs;
      const operation = operationById(must(id));
      const known = Object.entries(params).filter(([name]) => name in operation.params);
      const { path, method, body } = addressOf(operation, Object.fromEntries(known), words);
      expect((await door.call(path, key, { method, body })).status).toBe(200);
    }
    if (pauseMs === 0) await allLoaded();
  }
  const before = nights.stage.requested().length;
  await nights.stage.sync(nights.run({ settings, request, environment, clock }));
  return nights.stage.requested().length - before;
}

const lists = { search_ads_integration: {}, search_ads_goal: {} };
const campaigns = {
  ...lists,
  search_ads_report: { history_days: 14, lookback_days: 0, options: { levels: ["CAMPAIGN"] } },
};

test("reports from which later calls are planned feed those as well", async () => {
  const datasets = {
    ...lists,
    search_ads_report: { history_days: 40, lookback_days: 0, options: { levels: ["KEYWORD"], reports: ["week"] } },
    search_ads_top_app: { on: true },
  };
  expect(await paidAgain(datasets, { isReversed: true })).toBe(0);
});

describe("a report of a service that counts rows", () => {
  const alter = countsRows(addDays(today, -1));

  test("is loaded from its pages", async () => {
    expect(await paidAgain(campaigns, { alter })).toBe(0);
  });

  test("is requested as a whole again if its last pages came much later, since they may be of another state of it", async () => {
    expect(await paidAgain(campaigns, { alter, pauseMs: 20 * 60_000 })).toBeGreaterThan(1);
  });
});
