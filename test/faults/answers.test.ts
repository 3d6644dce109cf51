import { beforeAll, expect, test } from "vitest";
import { replay } from "../../src/archive/replay.ts";
import { review } from "../../src/datasets/review.ts";
import { createDimensions } from "../../src/load/dimensions.ts";
import { createPartitions } from "../../src/load/partitions.ts";
import type { Fault } from "../../src/sandbox/sandbox.ts";
import { openWithPortfolio } from "../support/backfill-stage.ts";
import { openStage, callText, type Stage } from "../support/ingest-stage.ts";
import { factsOf } from "../support/ingest-tables.ts";
import { calmRun, type Calm } from "../support/ingest-witness.ts";

/** An iOS and an Android app in a country: calls enough for what happens in their middle. */
const market = { apps: 2, countries: ["US"] };
let calm: Calm;

beforeAll(async () => {
  calm = await calmRun({ market });
});

/** What was requested beyond what an undisturbed run requests. */
function requestedAgain(stage: Stage): number {
  return stage.requested().length - calm.callTexts.length;
}

/** What passes, of each kind: also where all of an operation befall one slice, it is not given up. */
const passing: readonly Fault[] = [
  { operation: "ios.keyword-ranking", times: 1, kind: "status" },
  { operation: "ios.keyword-ranking", times: 1, kind: "not-json" },
  { operation: "android.keyword-ranking", times: 1, kind: "cut" },
  { operation: "android.keyword-ranking", times: 1, kind: "half" },
  { operation: "dashboard.apps", times: 1, kind: "status", status: 503, body: "<html>busy</html>" },
  { operation: "dashboard.number-of-keywords", times: 1, kind: "success-false" },
  { times: 8, kind: "no-credit-headers" },
];

test("requests again after a 500, a 503 of a gateway, a cut connection, half an answer, a page that is no JSON, a 200 that says it failed and answers without credit headers, and no more often than that", async () => {
  await using stage = await openStage({ market, faults: [...passing] });
  expect(await stage.sync()).toMatchObject({ outcome: "loaded", progress: { failed: 0 } });
  expect(await factsOf(stage)).toEqual(calm.facts);
  const kinds = stage.requested().flatMap(({ fault }) => fault ?? []);
  expect([...new Set(kinds)].sort()).toEqual([...new Set(passing.map(({ kind }) => kind))].sort());
  // all but what came without headers, once each
  expect(requestedAgain(stage)).toBe(passing.length - 1);
  expect([...new Set(stage.requested().map(callText))].sort()).toEqual(calm.callTexts);
});

test("where no answer of an operation is of use, each slice is paid for once, the first ones alone once more", async () => {
  const garbage = { operation: "ios.keyword-ranking", times: 1_000, kind: "not-json" } as const;
  await using stage = await openWithPortfolio({ market: { apps: 1 } });
  const run = {
    settings: { datasets: { keyword_rank: { history_days: 4 } } },
    request: { datasets: ["keyword_rank"] },
  };
  const failed = () =>
    stage.query(
      `select extract(epoch from due_at - ended_at)::int / 60 as minutes, count(*)::int as slices from ops.slice where state = 'failed' group by 1 order by 1`,
    );
  const calls = () => stage.requested().filter(({ operation }) => operation === garbage.operation).length;
  stage.sandbox.set({ faults: [garbage] });
  await stage.sync(run);
  expect(calls()).toBe(8 + 4);
  expect(await failed()).toEqual([{ minutes: 5, slices: 8 }]);
  stage.sandbox.clearLog();
  await stage.query("update ops.slice set due_at = now() where state = 'failed'");
  await stage.sync(run);
  expect(calls()).toBe(8);
});

test("finds a pace that the service bears", async () => {
  await using stage = await openStage({ market, rateLimit: { perSecond: 25, burst: 2 } });
  expect(await stage.sync({ settings: { api: { requests_per_second: 100 } } })).toMatchObject({
    outcome: "loaded",
    progress: { failed: 0 },
  });
  const refused = stage.requested().filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  // how many, is a matter of the machine; without a slower pace each is refused until its tries are over
  expect(refused.length).toBeLessThan(2 * calm.callTexts.length);
  expect(requestedAgain(stage)).toBe(refused.length);
  expect(await factsOf(stage)).toEqual(calm.facts);
});

test("gives up after a few tries, names what failed, and goes on beside it", async () => {
  await using stage = await openStage({
    market,
    faults: [{ operation: "android.keyword-ranking", times: 1_000, kind: "status" }],
  });
  const result = await stage.sync();
  expect(result.outcome).toBe("failed");
  const failed = await stage.query<{ failures: number; error_code: string; error_message: string; scope: object }>(
    "select failures, error_code, error_message, scope from ops.slice where state = 'failed'",
  );
  expect(failed).toHaveLength(result.progress.failed);
  for (const slice of failed) {
    expect(slice).toMatchObject({
      failures: 4,
      error_code: "server_error",
      scope: { store: "android", country: "US" },
    });
    expect(slice.error_message).toMatch(/status=500.*storehouse retry/);
  }
  expect(stage.requested().filter(({ status }) => status === 500)).toHaveLength(4 * failed.length);
  expect(requestedAgain(stage)).toBe(3 * failed.length);
  const ranks = calm.facts["core.fact_keyword_rank"]?.length ?? 0;
  const there = (await factsOf(stage))["core.fact_keyword_rank"]?.length ?? 0;
  expect(there).toBeGreaterThan(ranks / 2);
  expect(there).toBeLessThan(ranks);
});

test("loses one bad keyword of a batch and none beside it", async () => {
  await using stage = await openStage({
    market,
    faults: [{ operation: "android.keyword-ranking", contains: "50% off", times: 1_000, kind: "status", status: 400 }],
  });
  expect(await stage.sync()).toMatchObject({ outcome: "loaded", progress: { failed: 0 } });
  const skipped = await stage.query<{ items: string[]; error_code: string }>(
    "select b.items, s.error_code from ops.slice as s join ops.batch as b using (batch_id) where s.state = 'skipped'",
  );
  // one Android app, a country, four days: once it is known, slices that wait are requested without it
  expect(new Set(skipped.map((slice) => JSON.stringify(slice)))).toEqual(
    new Set([JSON.stringify({ items: ["50% off"], error_code: "bad_request" })]),
  );
  expect(skipped.length).toBeLessThanOrEqual(4);
  const lost = (row: string) => row.includes('"android:app.lumi.habit"') && row.includes('"50% off"');
  const expected = calm.facts["core.fact_keyword_rank"]?.filter((row) => !lost(row));
  expect((await factsOf(stage))["core.fact_keyword_rank"]).toEqual(expected);
  stage.sandbox.clearLog();
  await stage.sync();
  expect(stage.requested()).toEqual([]);
});

test("takes a 404 and a 204 for what they say and sends no second request", async () => {
  const reply = { times: 3, kind: "status" } as const;
  await using stage = await openStage({
    market,
    faults: [
      { ...reply, operation: "ios.keyword-ranking", status: 404 },
      { ...reply, operation: "android.keyword-ranking", status: 204, body: "" },
    ],
  });
  expect(await stage.sync()).toMatchObject({ outcome: "loaded" });
  const ends = await stage.query(
    "select state, error_code as code, count(*)::int as slices from ops.slice where state <> 'loaded' group by 1, 2 order by 1",
  );
  expect(ends).toEqual([
    { state: "empty", code: "no_content", slices: 3 },
    { state: "skipped", code: "not_found", slices: 3 },
  ]);
  expect(requestedAgain(stage)).toBe(0);
  await stage.sync();
  expect(requestedAgain(stage)).toBe(0);
});

// a 404 and a 204 for a first page are distinguished above; for a further one both are an end
test("takes a 204 and a 404 for a further page for the end of the list, and loads the pages before it", async () => {
  const full = Array.from({ length: 100 }, (_, id) => ({ id, date: "2026-08-18T10:00:00", rating: 5 }));
  const faults = (
    [
      ["android.reviews", 204],
      ["ios.reviews", 404],
    ] as const
  ).flatMap(([operation, status]): Fault[] => {
    const reply = { operation, times: 1, kind: "status", charge: true } as const;
    return [
      { ...reply, status: 200, body: JSON.stringify(full) },
      { ...reply, status, body: "" },
    ];
  });
  await using stage = await openStage({ market, faults });
  const settings = { datasets: { review: { on: true, history_days: 3, options: { sources: ["plain"] } } } };
  const run = { settings, request: { datasets: ["tracked_app", "tracked_country", "review"] } };
  await stage.sync(run);
  const reviews = () => stage.query("select slice_id, review_id from core.review order by 1, 2");
  const slices = () =>
    stage.query(
      `select operation, state, error_code, rows_loaded, rows_rejected, planned_requests as pages from ops.slice
       where  dataset = 'review' order by operation`,
    );
  const loaded = { state: "loaded", error_code: null, rows_loaded: 100, rows_rejected: 0, pages: 2 };
  const both = [
    { operation: "android.reviews", ...loaded },
    { operation: "ios.reviews", ...loaded },
  ];
  expect(await slices()).toEqual(both);
  const before = await reviews();
  expect(before).toHaveLength(200);
  await using app = await stage.open(run);
  const { db } = app.warehouse;
  const parts = { db, clock: app.clock, dimensions: createDimensions(db), partitions: createPartitions(db) };
  await replay(parts, review, { within: {}, keepPruned: false });
  expect([await slices(), await reviews()]).toEqual([both, before]);
  stage.sandbox.clearLog();
  expect(await stage.sync(run)).toMatchObject({ outcome: "loaded" });
  expect(stage.requested()).toEqual([]);
});
