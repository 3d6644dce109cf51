import { expect, test } from "vitest";
import type { App } from "../../src/app.ts";
import { hourMs } from "../../src/core/day.ts";
import { accountIdOf } from "../../src/config/config.ts";
import { createLog } from "../../src/core/log.ts";
import { liftStop, recordStop } from "../../src/credits/account-stop.ts";
import type { WorkerState } from "../../src/health/worker-state.ts";
import type { Intervals } from "../../src/runs/heartbeat.ts";
import { runWorker } from "../support/agreed-worker.ts";
import { gateAfter, openStage, until, type Stage } from "../support/ingest-stage.ts";

const market = { apps: 1, countries: ["US"], keywordsPerApp: 2 };
const intervals: Intervals = { beatMs: 20, deadAfterMs: 60_000, firstCheckMs: 40, longestCheckMs: 160 };
const balance = "account.remaining-credits";
const busy = { operation: balance, times: 1_000_000, kind: "status", status: 429 } as const;

/** A worker in this process, and the states that it reported. */
async function startWorker(
  stage: Stage,
  changed: (app: App) => Partial<App> = () => ({}),
): Promise<AsyncDisposable & { readonly states: readonly WorkerState["is"][] }> {
  const opened = await stage.open();
  const app = { ...opened, ...changed(opened) };
  const stop = new AbortController();
  const states: WorkerState["is"][] = [];
  const running = runWorker({ ...app, intervals }, stop.signal, { onState: ({ is }) => states.push(is) });
  return {
    states,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      expect(await running).toBeNull();
      await opened[Symbol.asyncDispose]();
    },
  };
}

/** Another process of the account was refused the ranks. */
async function refuseRanks(stage: Stage): Promise<void> {
  await using app = await stage.open();
  const stop = { code: "forbidden", operation: "ios.keyword-ranking", dataset: "keyword_rank", message: "no" };
  const distances = { firstMs: intervals.firstCheckMs, longestMs: intervals.longestCheckMs };
  await recordStop(app.warehouse.db, accountIdOf("sandbox-token"), stop, distances);
}

const isStopped = async (stage: Stage) =>
  (await stage.query("select from ops.account_stop where lifted_at is null")).length > 0;

test("a stop of the account stands until the API has accepted a balance check, also where a worker starts", async () => {
  await using stage = await openStage({ market, faults: [busy] });
  await refuseRanks(stage);
  await using worker = await startWorker(stage);
  await until(() => worker.states.includes("aborted") || worker.states.includes("running"));
  expect(worker.states).not.toContain("running");
  expect(await isStopped(stage)).toBe(true);
  expect(stage.requested()).toEqual([]);
  stage.sandbox.set({ faults: [] });
  await until(() => worker.states.at(-1) === "running");
  expect(await isStopped(stage)).toBe(false);
});

test("a refusal shows in the state of a worker while answers that are paid for are still under way", async () => {
  // after the balance
  const gate = gateAfter(1);
  await using stage = await openStage({ market, clock: gate.clock, latencyMs: gate.latencyMs });
  await using worker = await startWorker(stage);
  await until(() => gate.held() > 0);
  await refuseRanks(stage);
  await until(() => worker.states.includes("aborted"));
  expect(await stage.query("select stopped_at from ops.worker where kind = 'worker'")).toEqual([{ stopped_at: null }]);
  gate.open();
});

test("a worker that waits for the API sends heartbeats while a balance check takes long", async () => {
  // after the refusal
  const gate = gateAfter(1);
  const refusal = { operation: balance, times: 1, kind: "status", status: 401 } as const;
  await using stage = await openStage({ market, clock: gate.clock, latencyMs: gate.latencyMs, faults: [refusal] });
  await using _ = await startWorker(stage);
  await until(() => gate.held() > 0);
  const beatAt = async () => (await stage.query("select heartbeat_at from ops.worker"))[0]?.["heartbeat_at"] as Date;
  const from = await beatAt();
  await until(async () => (await beatAt()) > from);
  expect(gate.held()).toBe(1);
  gate.open();
});

test("an unexpected error while a worker waits for the API is logged, and the next session begins after a wait", async () => {
  await using stage = await openStage({ market, faults: [{ ...busy, status: 401 }] });
  const lines: string[] = [];
  let isWaiting = (): boolean => false;
  await using worker = await startWorker(stage, ({ warehouse }) => {
    const run: typeof warehouse.db.run = (text, values) =>
      isWaiting() ? Promise.reject(new TypeError("no such thing")) : warehouse.db.run(text, values);
    const log = createLog({ level: "error", secrets: [], to: { write: (line: string) => void lines.push(line) } });
    return { log, warehouse: { ...warehouse, db: { ...warehouse.db, run } } };
  });
  isWaiting = () => worker.states.at(-1) === "aborted";
  const failed = () => lines.find((line) => line.includes('"worker.session_failed"'));
  await until(() => failed() !== undefined);
  expect(JSON.parse(failed() ?? "")).toMatchObject({
    code: "unexpected",
    problem: expect.stringContaining("TypeError: no such thing") as string,
    wait_ms: 1_000,
  });
});

test("waits between failing sessions grow although the clock of the machine is set forward during each", async () => {
  await using stage = await openStage({ market });
  const waits: number[] = [];
  let [isBroken, ahead] = [false, 0];
  await using _ = await startWorker(stage, ({ clock, warehouse }) => {
    const run: typeof warehouse.db.run = (text, values) => {
      if (!isBroken) return warehouse.db.run(text, values);
      ahead += hourMs;
      return Promise.reject(new TypeError("no such thing"));
    };
    const write = (line: string) => {
      const { msg, wait_ms: waitMs } = JSON.parse(line) as { readonly msg: string; readonly wait_ms?: number };
      if (msg === "worker.session_failed") waits.push(waitMs ?? 0);
    };
    return {
      log: createLog({ level: "error", secrets: [], to: { write } }),
      clock: { ...clock, now: () => clock.now() + ahead, sleep: (_ms, signal) => clock.sleep(1, signal) },
      warehouse: { ...warehouse, db: { ...warehouse.db, run } },
    };
  });
  isBroken = true;
  await until(() => waits.length >= 3);
  expect(waits.slice(0, 3)).toEqual([1_000, 2_000, 4_000]);
});

test("a stop that another process lifts while a starting worker repeats its balance check is not recorded again", async () => {
  await using stage = await openStage({ market, faults: [busy] });
  await refuseRanks(stage);
  let lifted: Promise<void> = Promise.resolve();
  await using worker = await startWorker(stage, ({ clock, warehouse }) => {
    const to = {
      write: (line: string) => {
        if (line.includes('"api.call_retried"')) lifted = liftStop(warehouse.db, accountIdOf("sandbox-token"));
      },
    };
    const sleep = async (ms: number, signal?: AbortSignal) => {
      await lifted;
      await clock.sleep(ms, signal);
    };
    return { log: createLog({ level: "warn", secrets: [], to }), clock: { ...clock, sleep } };
  });
  await until(() => worker.states.includes("aborted") || worker.states.includes("running"));
  expect(worker.states).not.toContain("aborted");
  expect(await isStopped(stage)).toBe(false);
});

test("a worker of a stopped account that starts while the API does not respond runs as soon as it does", async () => {
  await using stage = await openStage({ market, faults: [{ operation: balance, times: 4, kind: "cut" }] });
  await refuseRanks(stage);
  await using worker = await startWorker(stage);
  await until(() => worker.states.includes("running"));
  expect(worker.states).not.toContain("aborted");
  expect(await isStopped(stage)).toBe(false);
});

test("a worker of an account without a stop runs although the API is too busy for its balance check", async () => {
  await using stage = await openStage({ market, faults: [busy] });
  await using worker = await startWorker(stage);
  await until(() => worker.states.includes("running"));
  expect(worker.states).not.toContain("aborted");
});
