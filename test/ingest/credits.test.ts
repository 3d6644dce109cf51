import { expect, test } from "vitest";
import { operationById } from "../../src/api/operations/all.ts";
import type { SandboxAccount } from "../../src/sandbox/sandbox.ts";
import { openWithPortfolio } from "../support/backfill-stage.ts";
import { manualClock } from "../sandbox/open.ts";
import { openProxy } from "../support/ingest-proxy.ts";
import { gateAfter, openStage, until, callText, type Stage } from "../support/ingest-stage.ts";
import { factsOf, statesOf } from "../support/ingest-tables.ts";
import { calmRun } from "../support/ingest-witness.ts";

/** Where the number of requests is not the point. */
const small = { market: { apps: 1, countries: ["US"], keywordsPerApp: 4 } } as const;

/** An account with so many credits left; its period is so long that none ends while a test runs. */
function purse(remaining: number): SandboxAccount[] {
  return [{ token: "sandbox-token", total: 2_000, remaining, periodHours: 24 * 3_650 }];
}

function charged(stage: Stage): number {
  return stage.requested().reduce((sum, request) => sum + request.charged, 0);
}

test("never spends more than --max-credits, not even on the lists that the portfolio is read from", async () => {
  await using stage = await openStage();
  const result = await stage.sync({ maxCredits: 4 });
  expect(charged(stage)).toBeLessThanOrEqual(4);
  expect(result).toMatchObject({ outcome: "deferred", progress: { credits: charged(stage) } });
  expect(result.leftOut).toBeGreaterThan(0);
});

test("never spends more than --max-credits in a step, and reaches the same end in steps as at once", async () => {
  const { facts, callTexts, credits } = await calmRun(small);
  await using stage = await openStage(small);
  const step = credits - 10;
  for (let spent = -1; spent !== charged(stage);) {
    spent = charged(stage);
    const result = await stage.sync({ maxCredits: step });
    expect(charged(stage) - spent).toBeLessThanOrEqual(step);
    expect(result.progress.credits).toBe(charged(stage) - spent);
    const isDone = charged(stage) === credits;
    expect([result.outcome, result.leftOut > 0]).toEqual([isDone ? "loaded" : "deferred", !isDone]);
  }
  expect(await factsOf(stage)).toEqual(facts);
  expect(stage.requested().map(callText).sort()).toEqual(callTexts);
});

test("keeps to --max-credits although answers are lost and requested again", async () => {
  await using stage = await openWithPortfolio(small);
  stage.sandbox.set({ faults: [{ operation: "ios.keyword-ranking", times: 2, kind: "half" }] });
  const result = await stage.sync({ maxCredits: 12 });
  expect(charged(stage)).toBeLessThanOrEqual(12);
  // no hour brings the limit of a run back
  expect(result).toMatchObject({ outcome: "deferred", progress: { nextDueAt: null } });
  expect(await stage.sync()).toMatchObject({ outcome: "loaded" });
  expect(await factsOf(stage)).toEqual((await calmRun(small)).facts);
});

test("puts off what the credits do not reach, sends nothing that would be refused, and goes on after the reset", async () => {
  const clock = manualClock(Date.now());
  const { facts, callTexts, credits } = await calmRun(small);
  await using stage = await openStage({ ...small, clock, accounts: purse(credits - 10) });
  const first = await stage.sync();
  expect(first).toMatchObject({ outcome: "deferred", progress: { failed: 0 } });
  expect(first.progress.deferred).toBeGreaterThan(0);
  const resetsAt = clock.now() + stage.sandbox.account().resetSeconds * 1000;
  expect(Math.abs((first.progress.nextDueAt ?? 0) - resetsAt)).toBeLessThan(60_000);
  expect(await statesOf(stage)).toMatchObject({ deferred: first.progress.deferred });
  const failures = await stage.query("select from ops.slice where failures > 0 or state = 'failed'");
  expect(failures).toEqual([]);
  const sent = stage.requested().length;
  expect(await stage.sync()).toMatchObject({ outcome: "deferred" });
  expect(stage.requested()).toHaveLength(sent);

  clock.move(stage.sandbox.account().resetSeconds * 1000);
  expect(await stage.sync()).toMatchObject({ outcome: "loaded", progress: { deferred: 0 } });
  expect(await factsOf(stage)).toEqual(facts);
  expect(stage.requested().map(callText).sort()).toEqual(callTexts);
  expect(charged(stage)).toBe(credits);
});

test("says that something is left when the credits of a run do not reach what an earlier one left unfinished", async () => {
  const { facts, credits } = await calmRun(small);
  await using stage = await openStage({ ...small, accounts: purse(credits - 10) });
  const { deferred } = (await stage.sync()).progress;
  await using rich = await openStage({ ...small, database: stage.databaseUrl });
  const result = await rich.sync({ maxCredits: 4 });
  expect(charged(rich)).toBeLessThanOrEqual(4);
  expect(result).toMatchObject({ outcome: "deferred", leftOut: deferred - result.progress.total });
  expect((await rich.sync()).outcome).toBe("loaded");
  expect(await factsOf(rich)).toEqual(facts);
});

test("accepts a refusal when another consumer spends the credits in the middle", async () => {
  const gate = gateAfter(5);
  const accounts = purse(1_000);
  await using stage = await openStage({ ...small, accounts, clock: gate.clock, latencyMs: gate.latencyMs });
  const running = stage.sync({ settings: { api: { concurrency: 1 } } });
  await until(() => gate.held() > 0);
  stage.sandbox.spend(stage.sandbox.account().remaining - 2);
  gate.open();
  const result = await running;
  expect(result).toMatchObject({ outcome: "deferred", progress: { failed: 0 } });
  expect(stage.requested().filter(({ status }) => status === 429)).toHaveLength(1);
  expect(await stage.query("select from ops.slice where failures > 0")).toEqual([]);
  const dues = await stage.query<{ due_at: Date }>("select due_at from ops.slice where state = 'deferred'");
  const resetsAt = Date.now() + stage.sandbox.account().resetSeconds * 1000;
  expect(dues.length).toBeGreaterThan(0);
  for (const { due_at: dueAt } of dues) expect(Math.abs(dueAt.getTime() - resetsAt)).toBeLessThan(60_000);
});

test("waits for the reset as well where the service says in an answer that the call failed, and books nothing for that", async () => {
  const gate = gateAfter(5);
  const accounts = purse(1_000);
  await using stage = await openStage({ ...small, accounts, clock: gate.clock, latencyMs: gate.latencyMs });
  let failed = 0;
  await using proxy = await openProxy(stage.sandbox, (passing) => {
    if (passing.status !== 429) return;
    failed += 1;
    passing.status = 200;
    passing.headers = { "content-type": "application/json" };
    passing.body = '{"success":false,"message":"no credits left"}';
  });
  const environment = { API_BASE_URL: proxy.url };
  const running = stage.sync({ settings: { api: { concurrency: 1 } }, environment });
  await until(() => gate.held() > 0);
  stage.sandbox.spend(stage.sandbox.account().remaining - 2);
  gate.open();
  expect(await running).toMatchObject({ outcome: "deferred", progress: { failed: 0 } });
  expect(failed).toBeGreaterThan(0);
  expect(await stage.query("select from ops.slice where failures > 0")).toEqual([]);
  const [booked] = await stage.query<{ cost: number }>("select sum(cost)::int as cost from ops.request");
  expect(booked?.cost).toBe(charged(stage));
});

test("takes a 429 for a refused pace where just what the call costs is left, and requests it again", async () => {
  const request = { datasets: ["tracked_app"] };
  const market = { apps: 1, countries: ["US"] };
  await using stage = await openStage({
    market,
    accounts: purse(operationById("dashboard.apps").cost),
    faults: [{ operation: "dashboard.apps", times: 1, kind: "status", status: 429 }],
  });
  expect(await stage.sync({ request })).toMatchObject({ outcome: "loaded", progress: { deferred: 0 } });
  expect(stage.requested().map(({ status }) => status)).toEqual([429, 200]);
});

test("leaves each class's floor untouched", async () => {
  const accounts = purse(2_000);
  await using stage = await openStage({ ...small, accounts });
  const floors = { snapshot: 0, daily: 0.8, lookback: 1, history: 1 };
  const result = await stage.sync({ settings: { credits: { floors } } });
  expect(result.outcome).toBe("deferred");
  const classes = await stage.query<{ class: string }>(
    "select distinct class from ops.request where slice_id is not null order by class",
  );
  expect(classes.map((row) => row.class)).toEqual(["daily", "snapshot"]);
  expect(stage.sandbox.account().remaining).toBeGreaterThanOrEqual(1_600);
});

test("books what the service charges, not what it documents", async () => {
  const accounts = [{ token: "sandbox-token", total: 5_000, periodHours: 24, costs: { "ios.keyword-ranking": 4 } }];
  await using stage = await openStage({ accounts, ...small });
  await stage.sync();
  const [cost] = await stage.query("select documented, learned from ops.credit_cost where operation = $1", [
    "ios.keyword-ranking",
  ]);
  expect(cost).toEqual({ documented: 3, learned: 4 });
  const [booked] = await stage.query<{ cost: number }>("select sum(cost)::int as cost from ops.request");
  expect(booked?.cost).toBe(charged(stage));
});
