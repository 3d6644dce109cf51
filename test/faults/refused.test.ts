import { expect, test } from "vitest";
import { createLog } from "../../src/core/log.ts";
import type { Intervals } from "../../src/runs/heartbeat.ts";
import type { Fault } from "../../src/sandbox/sandbox.ts";
import type { WorkerState } from "../../src/health/worker-state.ts";
import { runWorker } from "../support/agreed-worker.ts";
import { openProxy } from "../support/ingest-proxy.ts";
import { openStage, until, type RunOptions, type Stage } from "../support/ingest-stage.ts";
import { statesOf } from "../support/ingest-tables.ts";
import { openNights, openSyncedNights } from "../support/nights.ts";
import { long } from "../support/long.ts";

/** An iOS and an Android app in a country: calls enough for what happens in their middle. */
const market = { apps: 2, countries: ["US"], keywordsPerApp: 6 };
const intervals: Intervals = { beatMs: 100, deadAfterMs: 60_000, firstCheckMs: 100, longestCheckMs: 400 };
/** A refused operation is tried again half a second after the others. */
const settings = { api: { concurrency: 2 }, notify: { check_seconds: 0.1 } };
/** Calls of two datasets of the market, one after the other. */
const oneAtATime: RunOptions = {
  settings: { api: { concurrency: 1 }, datasets: { keyword_rank: { history_days: 1 }, app_rating: { on: true } } },
};
const refused = (operation: string, status: number): Fault => ({ operation, times: 1_000_000, kind: "status", status });
const balance = "account.remaining-credits";

type Working = AsyncDisposable & { readonly states: readonly WorkerState[]; readonly says: (event: string) => number };

/** A worker in this process, the states that it reported, and how often it logged an event. */
async function startWorker(stage: Stage, options: RunOptions = { settings }): Promise<Working> {
  const app = await stage.open(options);
  const stop = new AbortController();
  const states: WorkerState[] = [];
  const events: unknown[] = [];
  const write = (line: string) => void events.push((JSON.parse(line) as { msg: unknown }).msg);
  const log = createLog({ level: "info", secrets: [], to: { write } });
  const running = runWorker({ ...app, log, intervals }, stop.signal, { onState: (state) => states.push(state) });
  return {
    states,
    says: (event) => events.filter((one) => one === event).length,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      expect(await running).toBeNull();
      await app[Symbol.asyncDispose]();
    },
  };
}

const isNow = (worker: Working, is: WorkerState["is"]) => () => worker.states.at(-1)?.is === is;

async function allIsLoaded(stage: Stage): Promise<boolean> {
  const [row] = await stage.query<{ count: number }>("select count(*)::int as count from core.fact_keyword_rank");
  // of six keywords in a country on four days: iPhone, iPad and Android
  return row?.count === 3 * 6 * 4;
}

test("a worker whose token is refused stays up, requests nothing but whether it is accepted, and continues when it is", async () => {
  await using stage = await openStage({ market, faults: [refused(balance, 401)] });
  await using worker = await startWorker(stage);
  await until(isNow(worker, "aborted"));
  expect(worker.states.map(({ is }) => is)).toEqual(["starting", "aborted"]);
  expect(worker.states.at(-1)?.error).toMatchObject({ code: "unauthorised" });
  const checks = () => stage.sandbox.log().length;
  await until(() => checks() >= 4);
  expect(stage.requested()).toEqual([]);
  stage.sandbox.set({ faults: [] });
  await until(() => allIsLoaded(stage));
  expect(worker.states.at(-1)?.is).toBe("running");
  expect(await stage.query("select code, operation, lifted_at is null as stopped from ops.account_stop")).toEqual([
    { code: "unauthorised", operation: balance, stopped: false },
  ]);
});

test("a stop says what refuses the account now, where that is something else than what stopped it", async () => {
  await using stage = await openStage({ market, faults: [refused("ios.keyword-ranking", 403)] });
  const newest = "select code, operation from ops.account_stop order by stopped_at desc limit 1";
  const reason = async () => (await stage.query(newest))[0];
  await using _worker = await startWorker(stage);
  await until(async () => (await reason()) !== undefined);
  expect(await reason()).toEqual({ code: "forbidden", operation: "ios.keyword-ranking" });
  stage.sandbox.set({ faults: [refused(balance, 401)] });
  await until(async () => (await stage.query("select from ops.account_stop where code = 'unauthorised'")).length > 0);
  expect(await reason()).toEqual({ code: "unauthorised", operation: balance });
});

test("checks of a refused account grow rarer, and of several workers one checks", async () => {
  await using stage = await openStage({ market, faults: [refused(balance, 403)] });
  await using first = await startWorker(stage);
  await using second = await startWorker(stage);
  await until(() => isNow(first, "aborted")() && isNow(second, "aborted")());
  const starts = 2;
  await until(() => stage.sandbox.log().length >= starts + 4);
  const [stop] = await stage.query<{ checks: number; gap: number }>(
    "select check_count as checks, extract(epoch from next_check_at - clock_timestamp()) * 1000 as gap from ops.account_stop",
  );
  expect(stop?.checks).toBeGreaterThanOrEqual(4);
  expect(stop?.checks).toBeLessThanOrEqual(stage.sandbox.log().length);
});

test("a refused operation stops every worker of the account, names the operation and the dataset to switch off, and spends no attempt", async () => {
  await using stage = await openStage({ market, latencyMs: 2 });
  await using first = await startWorker(stage);
  await using second = await startWorker(stage);
  await until(() => stage.requested().length > 0);
  stage.sandbox.set({ faults: [refused("ios.keyword-ranking", 403)] });
  await until(
    () => first.states.some(({ is }) => is === "aborted") && second.states.some(({ is }) => is === "aborted"),
  );
  const reported = first.states.find(({ is }) => is === "aborted")?.error;
  expect(reported).toMatchObject({ code: "forbidden" });
  expect(reported?.message).toMatch(/ios\.keyword-ranking.*keyword_rank.*switch the dataset off/);
  expect(await stage.query("select from ops.slice where failures > 0 or state in ('failed', 'skipped')")).toEqual([]);
  stage.sandbox.set({ faults: [] });
  await until(() => allIsLoaded(stage));
});

test("an operation that stays refused is sent after all others, which are loaded, also where some of it is left of the night before", async () => {
  const operation = "ios.app-simple";
  const others = ["android.app-simple", "android.keyword-ranking", "ios.keyword-ranking"];
  await using nights = await openNights({ market, faults: [refused(operation, 403)] }, oneAtATime);
  const { stage } = nights;
  const allOthersAreLoaded = async () => {
    const text =
      "select distinct operation from ops.slice where state = 'loaded' and as_of = $1 and operation = any ($2)";
    return (await stage.query(text, [nights.today(), others])).length === others.length;
  };
  for (let night = 1; night <= 2; night += 1) {
    await using _ = await startWorker(stage, nights.run());
    await until(allOthersAreLoaded);
    const refusals = () => stage.requested().filter((one) => one.operation === operation);
    await until(() => refusals().length >= night);
    expect(refusals()).toHaveLength(night);
    nights.next();
  }
  const left = await stage.query("select state, error_code from ops.slice where operation = $1 order by 1", [
    operation,
  ]);
  expect(left).toContainEqual({ state: "pending", error_code: "forbidden" });
});

/** A stage whose first night's sync was ended by the refusal of an operation, which stays refused. */
const openRefused = (operation: string) => {
  const faults = [refused(operation, 403)];
  return openSyncedNights({ market, faults }, oneAtATime, faults);
};

test("a sync sends an operation that was refused the night before after all others, and has their answers when it is refused again", async () => {
  const operation = "ios.app-simple";
  await using nights = await openRefused(operation);
  const { stage } = nights;
  nights.next();
  expect(await stage.sync(nights.run())).toMatchObject({ outcome: "aborted", error: { code: "forbidden" } });
  expect(stage.requested().at(-1)?.operation).toBe(operation);
  const [run] = await stage.query(
    "select outcome, error_code, error_message from ops.run order by run_id desc limit 1",
  );
  expect(run).toEqual({
    outcome: "aborted",
    error_code: "forbidden",
    error_message: expect.stringContaining(operation),
  });
  const loaded = "select distinct dataset from ops.slice where state = 'loaded' and as_of = $1 order by 1";
  expect(await stage.query(loaded, [nights.today()])).toEqual(
    ["app_rating", "keyword_rank", "tracked_app", "tracked_country"].map((dataset) => ({ dataset })),
  );
});

test("a list of the account that stays refused ends a sync after all that is planned without it", async () => {
  const operation = "dashboard.number-of-keywords";
  await using nights = await openSyncedNights({ market, faults: [refused(operation, 403)] }, oneAtATime);
  const { stage } = nights;
  for (const _ of ["the first night", "the second"]) {
    nights.next();
    stage.sandbox.clearLog();
    expect(await stage.sync(nights.run())).toMatchObject({ outcome: "aborted", error: { code: "forbidden" } });
    expect(stage.requested().at(-1)?.operation).toBe(operation);
  }
  const loaded = "select distinct dataset from ops.slice where state = 'loaded' and as_of = $1 order by 1";
  expect(await stage.query(loaded, [nights.today()])).toEqual(
    ["app_rating", "keyword_rank", "tracked_app"].map((dataset) => ({ dataset })),
  );
});

test("a limit of credits goes to what is answered before it goes to an operation that was refused the night before", async () => {
  const operation = "ios.app-simple";
  await using nights = await openRefused(operation);
  const { stage } = nights;
  nights.next();
  // lists of the account take seven, the ratings of an app one, and ranks three
  await stage.sync(nights.run({ maxCredits: 11 }));
  const loaded =
    "select operation from ops.slice where state = 'loaded' and as_of = $1 and dataset in ('app_rating', 'keyword_rank') order by 1";
  expect(await stage.query(loaded, [nights.today()])).toEqual([
    { operation: "android.app-simple" },
    { operation: "ios.keyword-ranking" },
  ]);
});

test("each of two operations that stay refused is sent after all others, and one of them a night", async () => {
  const operations = ["ios.app-simple", "android.app-simple"];
  const faults = operations.map((operation) => refused(operation, 403));
  await using nights = await openNights({ market, faults }, oneAtATime);
  const { stage } = nights;
  for (let night = 1; night <= 3; night += 1) {
    nights.next();
    stage.sandbox.clearLog();
    expect(await stage.sync(nights.run())).toMatchObject({ outcome: "aborted", error: { code: "forbidden" } });
    expect(stage.requested().filter(({ operation }) => operations.includes(operation ?? ""))).toHaveLength(1);
  }
  const loaded = "select from ops.slice where state = 'loaded' and dataset = 'keyword_rank' and as_of = $1";
  expect(await stage.query(loaded, [nights.today()])).not.toEqual([]);
  const stops = await stage.query("select operation, lifted_at is null as stopped from ops.account_stop order by 1");
  expect(stops).toEqual(operations.toSorted().map((operation) => ({ operation, stopped: true })));
});

test("says so once in the log, however often it is refused", async () => {
  await using stage = await openStage({ market, faults: [refused("ios.keyword-ranking", 401)] });
  await using opened = new AsyncDisposableStack();
  const worker = opened.use(await startWorker(stage));
  await until(() => stage.requested().filter(({ status }) => status === 401).length >= 4);
  await opened.disposeAsync();
  expect([worker.says("api.refused"), worker.says("slice.attempt_failed")]).toEqual([1, 0]);
  expect(Object.keys(await statesOf(stage)).sort()).toEqual(["loaded", "pending"]);
});

test("a worker that starts while the account is refused says so as well", async () => {
  await using stage = await openStage({ market, faults: [refused(balance, 401)] });
  for (const _ of ["first", "started again"]) {
    await using worker = await startWorker(stage);
    await until(isNow(worker, "aborted"));
    expect(worker.says("api.refused")).toBe(1);
  }
});

test.each(long ? [401, 403] : [403])("requests have stopped before an answer of %i is written down", async (status) => {
  await using stage = await openStage({ market, faults: [refused("ios.keyword-ranking", status)] });
  const isRefused = async () => (await stage.query("select from ops.request where status = $1", [status])).length > 0;
  const hasStopped = async () => (await stage.query("select from ops.account_stop")).length > 0;
  const result = await stage.sync({
    settings,
    crashPoint: async (place) => {
      if (place === "after landing" && (await isRefused())) await until(hasStopped);
    },
  });
  expect(result).toMatchObject({ outcome: "aborted" });
});

test("a refusal without a balance is decided once: no call leaves while the balance is checked, and a check that fails leaves it in force", async () => {
  await using stage = await openStage({ market });
  await stage.sync({ request: { datasets: ["tracked_keyword"] } });
  // of both stores: an answer that comes after a refusal has the balance, and then no check is made
  stage.sandbox.set({ faults: [refused("ios.keyword-ranking", 403), refused("android.keyword-ranking", 403)] });
  stage.sandbox.clearLog();
  let refusals = 0;
  let checks = 0;
  await using proxy = await openProxy(stage.sandbox, async (passing) => {
    if (passing.status === 403) {
      refusals += 1;
      delete passing.headers["x-credit-remaining"];
    } else if (passing.target.includes("/api-key") && refusals > 0) {
      checks += 1;
      // calls that are not held back would be made within this time
      const held = Date.now() + 300;
      await until(() => stage.requested().length > 2 || Date.now() > held);
      passing.status = 500;
    }
  });
  const result = await stage.sync({ settings, environment: { API_BASE_URL: proxy.url } });
  expect(result).toMatchObject({ outcome: "aborted", error: { code: "forbidden" } });
  expect(stage.requested().length).toBeLessThanOrEqual(2);
  expect(checks).toBe(1);
});

test("another token is another account: it starts clean beside one that is refused", async () => {
  const accounts = [{ token: "sandbox-token", total: 1_000_000, periodHours: 24 }];
  await using stage = await openStage({ market, accounts });
  await using wrong = await startWorker(stage, { settings, environment: { API_TOKEN: "no-token-at-all-here" } });
  await until(isNow(wrong, "aborted"));
  await using right = await startWorker(stage);
  await until(() => allIsLoaded(stage));
  expect(right.states.map(({ is }) => is)).toEqual(["starting", "running"]);
  expect(wrong.states.at(-1)?.is).toBe("aborted");
});
