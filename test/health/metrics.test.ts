import { beforeEach, describe, expect, test } from "vitest";
import { Settings } from "../../src/config/settings.ts";
import { everyDataset } from "../../src/incidents/lateness.ts";
import { fleetMetrics } from "../../src/health/metric-list.ts";
import { createMetrics, type Metrics } from "../../src/health/metrics.ts";
import { readExposition } from "../support/exposition.ts";
import { draft, now, openLedgerStage } from "../support/ledger-stage.ts";
import { clockAt } from "../support/watch-stage.ts";
import { forTests } from "../support/for-tests.ts";

const stage = forTests(openLedgerStage);
let metrics: Metrics;
let isUp: boolean;

beforeEach(async () => {
  await stage.reset();
  isUp = true;
  metrics = metricsOf(Settings.parse({}));
});

function metricsOf(settings: Settings): Metrics {
  return createMetrics({
    db: () => stage.db,
    settings,
    clock: clockAt(now),
    log: { warn: () => undefined },
    accountId: "a1",
    scheduled: new Map([[everyDataset, 86_400_000]]),
    isDatabaseUp: () => Promise.resolve(isUp),
    state: () => ({ is: "running", error: null, workerId: "1" }),
  });
}

/** The values of a metric in a scrape, by their labels. */
async function valuesOf(name: string): Promise<Record<string, number>> {
  const family = readExposition((await metrics.scrape()).text).find((one) => one.name === name);
  if (family === undefined) throw new Error(`${name} is not exported`);
  return Object.fromEntries(family.samples.map(({ labels, value }) => [Object.values(labels).join(" "), value]));
}

describe("a scrape", () => {
  test("exports the ledger's figures by dataset, state and class", async () => {
    const worker = await stage.alive();
    const run = await stage.run();
    await stage.inState(run, "loaded", worker, draft(), draft({ scope: { app: "2" } }));
    await stage.insert(run, draft({ scope: { app: "3" } }), draft({ dataset: "review", class: "history" }));
    await stage.pool.query("update ops.slice set rows_loaded = 10, rows_rejected = 1, created_at = $1", [
      new Date(now - 90_000).toISOString(),
    ]);
    expect(await valuesOf("storehouse_slices")).toEqual({
      "keyword_rank loaded": 2,
      "keyword_rank pending": 1,
      "review pending": 1,
    });
    expect(await valuesOf("storehouse_rows")).toEqual({ keyword_rank: 30, review: 10 });
    expect(await valuesOf("storehouse_rejects")).toEqual({ keyword_rank: 3, review: 1 });
    expect(await valuesOf("storehouse_queue_slices")).toEqual({ snapshot: 0, daily: 1, lookback: 0, history: 1 });
    expect(await valuesOf("storehouse_queue_age_seconds")).toEqual({
      snapshot: 0,
      daily: 90,
      lookback: 0,
      history: 90,
    });
    expect((await valuesOf("storehouse_freshness_seconds"))["keyword_rank"]).toBe(6 * 3_600);
    expect((await valuesOf("storehouse_freshness_limit_seconds"))["keyword_rank"]).toBe(54 * 3_600);
    expect(await valuesOf("storehouse_workers")).toEqual({ worker: 0, foreground: 1, command: 0, gateway: 0 });
  });

  test("counts as a queue what workers may take, also what waited until now, and nothing of a run in the foreground", async () => {
    const worker = await stage.alive();
    const run = await stage.run();
    await stage.insert(await stage.run({ workerId: worker }), draft({ scope: { app: "1" } }));
    await stage.insert(await stage.run({ account: "acme" }), draft({ scope: { app: "2" }, class: "lookback" }));
    await stage.inState(run, "deferred", worker, draft({ scope: { app: "3" } }));
    await stage.pool.query("update ops.slice set due_at = $1 where state = 'deferred'", [new Date(now - 30_000)]);
    await stage.inState(run, "deferred", worker, draft({ scope: { app: "4" } }));
    await stage.pool.query("update ops.slice set due_at = $1 where state = 'deferred' and due_at is null", [
      new Date(now + 30_000),
    ]);
    expect(await valuesOf("storehouse_queue_slices")).toEqual({ snapshot: 0, daily: 1, lookback: 1, history: 0 });
    expect((await valuesOf("storehouse_queue_age_seconds"))["daily"]).toBe(30);
  });

  test("exports the credits of the process's account, with its name where it has one", async () => {
    await stage.pool.query(
      "insert into ops.credit_account (account_id, total, remaining, pace_per_second, next_start_at) values ('a1', 100, 60, 1, now()) on conflict do nothing",
    );
    expect(await valuesOf("storehouse_credits_left")).toEqual({ "": 60 });
    const settings = Settings.parse({});
    metrics = metricsOf({ ...settings, portfolio: { ...settings.portfolio, account: "acme" } });
    expect(await valuesOf("storehouse_credits_left")).toEqual({ acme: 60 });
  });

  test("exports no value of the fleet while the database does not respond, not even the last one", async () => {
    await stage.insert(await stage.run(), draft());
    expect(await valuesOf("storehouse_slices")).toEqual({ "keyword_rank pending": 1 });
    expect((await valuesOf("storehouse_database_bytes"))[""]).toBeGreaterThan(0);
    isUp = false;
    expect(await valuesOf("storehouse_database_up")).toEqual({ "": 0 });
    expect(await valuesOf("storehouse_slices")).toEqual({});
    expect(await valuesOf("storehouse_database_bytes")).toEqual({});
    isUp = true;
    expect(await valuesOf("storehouse_slices")).toEqual({ "keyword_rank pending": 1 });
  });

  test("exports figures as the ledger has them, however often it is scraped, and none that may fall as a counter", async () => {
    const worker = await stage.alive();
    await stage.inState(await stage.run(), "failed", worker, draft());
    await stage.pool.query("update ops.slice set rows_rejected = 10");
    for (let scrape = 0; scrape < 3; scrape += 1)
      expect(await valuesOf("storehouse_rejects")).toEqual({ keyword_rank: 10 });
    // the next try of the slice loads all of its rows
    await stage.pool.query("update ops.slice set state = 'loaded', rows_rejected = 0");
    metrics = metricsOf(Settings.parse({}));
    expect(await valuesOf("storehouse_rejects")).toEqual({ keyword_rank: 0 });
    const families = readExposition((await metrics.scrape()).text);
    expect(families.filter(({ name, type }) => name in fleetMetrics && type !== "gauge")).toEqual([]);
  });

  test("counts requests by outcome, and times them by operation and status", async () => {
    const request = { operation: "ios.a", status: 200, outcome: "ok", durationMs: 300 };
    for (const one of [request, request, { ...request, status: null, outcome: "timeout", durationMs: 60_000 }])
      metrics.recordRequest(one);
    expect(await valuesOf("storehouse_requests_total")).toEqual({ "ios.a ok": 2, "ios.a timeout": 1 });
    const families = readExposition((await metrics.scrape()).text);
    const timed = families.find(({ name }) => name === "storehouse_request_duration_seconds")?.samples ?? [];
    const of = (name: string, labels: Record<string, string>) =>
      timed.find((one) => one.name.endsWith(name) && JSON.stringify(one.labels) === JSON.stringify(labels))?.value;
    expect(of("_sum", { operation: "ios.a", status: "200" })).toBeCloseTo(0.6);
    expect(of("_bucket", { le: "0.25", operation: "ios.a", status: "200" })).toBe(0);
    expect(of("_bucket", { le: "0.5", operation: "ios.a", status: "200" })).toBe(2);
    expect(of("_count", { operation: "ios.a", status: "none" })).toBe(1);
  });

  test("stays readable with any names", async () => {
    const odd = 'a"b\\c\nd}é';
    await stage.insert(await stage.run(), draft({ dataset: odd }));
    expect(await valuesOf("storehouse_slices")).toEqual({ [`${odd} pending`]: 1 });
  });

  test("that comes while another is under way disturbs neither", async () => {
    await stage.insert(await stage.run(), draft());
    const both = await Promise.all([metrics.scrape(), metrics.scrape(), metrics.scrape()]);
    expect(
      both.map(({ text }) => text.includes('storehouse_slices{dataset="keyword_rank",state="pending"} 1')),
    ).toEqual([true, true, true]);
  });
});
