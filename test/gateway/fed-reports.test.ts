import { beforeAll, describe, expect, test } from "vitest";
import { addressOf } from "../../src/api/address.ts";
import { operationById } from "../../src/api/operations/all.ts";
import { addDays } from "../../src/core/day.ts";
import type { SandboxRequest } from "../../src/sandbox/sandbox.ts";
import { callers, openDoor } from "../support/gateway-stage.ts";
import { openProxy, type Passing } from "../support/ingest-proxy.ts";
import { today, until, type RunOptions } from "../support/ingest-stage.ts";
import { must } from "../support/must.ts";
import { openNights } from "../support/nights.ts";
import { countsRows } from "../support/search-ads.ts";

const market = { apps: 1, countries: ["US"], keywordsPerApp: 2 } as const;
const words = { ios: "iosstore", android: "androidstore" };

/** A sync, what `alter` changes in the answers to it, and the calls that it makes. */
type Example = {
  readonly run: RunOptions;
  readonly alter: (passing: Passing) => void;
  readonly calls: readonly SandboxRequest[];
};

async function exampleOf(
  datasets: NonNullable<RunOptions["settings"]>["datasets"],
  alter: Example["alter"] = () => undefined,
): Promise<Example> {
  const run = { request: { datasets: Object.keys(datasets ?? {}) }, settings: { datasets, gateway: { callers } } };
  await using nights = await openNights({ market });
  await using api = await openProxy(nights.stage.sandbox, alter);
  await nights.stage.sync(nights.run({ ...run, environment: { API_BASE_URL: api.url } }));
  return { run, alter, calls: nights.stage.requested() };
}

/**
 * Makes the calls of a sync through the gateway of an empty warehouse, and then counts what the same sync sends there. `pauseMs`: between
 * the last calls. `isReversed`: the last report first, after the lists.
 */
async function paidAgain(
  example: Example,
  { pauseMs = 0, isReversed = false }: { readonly pauseMs?: number; readonly isReversed?: boolean } = {},
): Promise<number> {
  await using nights = await openNights({ market });
  let ahead = 0;
  const clock = {
    ...nights.clock,
    now: () => nights.clock.now() + ahead,
    sleep: (ms: number, signal?: AbortSignal) => nights.clock.sleep(ms / 50, signal),
  };
  await using api = await openProxy(nights.stage.sandbox, example.alter);
  const run = nights.run({ ...example.run, environment: { API_BASE_URL: api.url }, clock });
  {
    await using door = await openDoor(nights.stage, run);
    const key = await door.key("notebook");
    const reports = example.calls.filter(({ operation }) => operation?.includes("report") === true);
    const lists = example.calls.filter((call) => !reports.includes(call));
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
  await nights.stage.sync(run);
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
    search_ads_report: { history_days: 21, lookback_days: 0, options: { levels: ["KEYWORD"], reports: ["week"] } },
    search_ads_top_app: { on: true },
  };
  expect(await paidAgain(await exampleOf(datasets), { isReversed: true })).toBe(0);
});

describe("a report of a service that counts rows", () => {
  let example: Example;

  beforeAll(async () => {
    example = await exampleOf(campaigns, countsRows(addDays(today, -1)));
  });

  test("is loaded from its pages", async () => {
    expect(await paidAgain(example)).toBe(0);
  });

  test("is requested as a whole again if its last pages came much later, since they may be of another state of it", async () => {
    expect(await paidAgain(example, { pauseMs: 20 * 60_000 })).toBeGreaterThan(1);
  });
});
