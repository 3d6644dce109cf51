import fc from "fast-check";
import { beforeAll, expect, test, vi } from "vitest";
import { addDays } from "../../src/core/day.ts";
import type { Fault } from "../../src/sandbox/sandbox.ts";
import { besideWorker } from "../support/beside-worker.ts";
import { startChild, startDoomed, syncCommand, type Child } from "../support/ingest-child.ts";
import { openProxy, type Proxy } from "../support/ingest-proxy.ts";
import { openStage, today, until, type RunOptions, type Stage } from "../support/ingest-stage.ts";
import { statesOf } from "../support/ingest-tables.ts";
import { charged, repeats, torn } from "../support/ingest-witness.ts";
import { long, seed } from "../support/long.ts";

// processes start and stop here: a busy machine takes its time
vi.setConfig({ testTimeout: 240_000 });

const concurrency = 2;
const cost = 3;
/** Pays for one slice and for no second. */
const budget = 2 * cost - 1;
const historyDays = long ? 60 : 6;
const rankings = ["ios.keyword-ranking", "android.keyword-ranking"];

let settings: NonNullable<RunOptions["settings"]>;

/** Ranks alone, of apps that the configuration lists: every request costs the same. */
beforeAll(async () => {
  await using stage = await openStage();
  const { apps } = stage.sandbox.market;
  settings = {
    api: { concurrency },
    datasets: { keyword_rank: { history_days: historyDays } },
    portfolio: {
      source: "config",
      apps: apps.map((app) => ({
        id: app.trackId,
        countries: ["US", "JP"],
        keywords: stage.sandbox.market.trackedKeywords(app, "US").filter((keyword) => !keyword.includes(",")),
      })),
    },
  };
});

/** A process's own connection to the sandbox, which knows whether it requested anything yet and what its calls were charged. */
type Way = Proxy & { readonly isBegun: () => boolean; readonly charged: () => number };

async function openWay(stage: Stage): Promise<Way> {
  let begun = false;
  let sum = 0;
  const proxy = await openProxy(stage.sandbox, ({ status, headers }) => {
    begun = true;
    // a refusal names a cost as well
    if (status === 200) sum += Number(headers["x-credit-cost"] ?? 0);
  });
  return { ...proxy, isBegun: () => begun, charged: () => sum };
}

/** Which command is started so many requests after the one before, and what befalls it and the worker as soon as it knows the balance. */
const moment = fc.record({
  after: fc.integer({ min: 1, max: 8 }),
  command: fc.constantFrom("sync", "backfill"),
  trouble: fc.constantFrom("none", "spoilt", "refused", "killed", "cut off"),
});

/** What is spoilt is paid for and requested again: the one moment at which a plan within the budget is not enough. That a backfill which is killed keeps its price is shown every day as well. */
const spoiltBackfill = { after: 1, command: "backfill", trouble: "spoilt" } as const;

const limit = ["--max-credits", String(budget), "--json"];
const commands = {
  sync: [...syncCommand, ...limit],
  // days that the worker does not want
  backfill: [
    "backfill",
    "--as-of",
    today,
    "--dataset",
    "keyword_rank",
    "--yes",
    "--from",
    addDays(today, -historyDays - (long ? 20 : 6)),
    "--to",
    addDays(today, -historyDays - 3),
    ...limit,
  ],
} as const;

type Cast = { readonly stage: Stage; worker: Child; readonly start: () => Child };

async function befall(cast: Cast, trouble: string): Promise<void> {
  const { stage } = cast;
  const befallsRanks = (fault: Pick<Fault, "kind" | "status">) =>
    stage.sandbox.set({ faults: rankings.map((operation) => ({ ...fault, operation, times: 6 })) });
  if (trouble === "spoilt") befallsRanks({ kind: "not-json" });
  if (trouble === "refused") befallsRanks({ kind: "status", status: 503 });
  if (trouble === "cut off")
    await stage.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'storehouse %' and application_name <> 'storehouse tests' and datname = current_database()",
    );
  if (trouble !== "killed") return;
  cast.worker.process.kill("SIGKILL");
  await cast.worker.ended;
  cast.worker = cast.start();
}

/** True when nothing waits for the worker any more; on a slow machine it is quicker than the commands that are started beside it. */
async function isDone(stage: Stage): Promise<boolean> {
  const states = await statesOf(stage);
  return "loaded" in states && !("pending" in states) && !("running" in states);
}

/** Credits that the ledger has for a process. */
async function bookedBy(stage: Stage, { process }: Child): Promise<number> {
  const [row] = await stage.query<{ credits: number }>(
    "select coalesce(sum(q.cost), 0)::int as credits from ops.request as q join ops.worker as w using (worker_id) where w.pid = $1",
    [process.pid],
  );
  return row?.credits ?? 0;
}

test("no run with --max-credits takes more than that beside a worker that is busy and in trouble, and each reports what it took itself", async () => {
  await using stage = await openStage({ latencyMs: long ? 80 : 400 });
  await using opened = new AsyncDisposableStack();
  const workersWay = opened.use(await openWay(stage));
  const behind = (sandbox: Way) => ({ databaseUrl: stage.databaseUrl, sandbox });
  const start = () => opened.use(startDoomed(behind(workersWay), "worker", { settings }));
  const cast: Cast = { stage, worker: start(), start };
  const runs: { readonly way: Way; readonly child: Child }[] = [];
  const moments = [spoiltBackfill, ...(long ? fc.sample(moment, { seed, numRuns: 11 }) : [])];
  for (const { after, command, trouble } of moments) {
    const from = stage.requested().length;
    await until(async () => stage.requested().length >= from + after || (await isDone(stage)));
    const way = opened.use(await openWay(stage));
    const child = opened.use(startChild(behind(way), commands[command], { settings }));
    runs.push({ way, child });
    await until(() => way.isBegun() || child.process.exitCode !== null);
    await befall(cast, trouble);
  }
  for (const { way, child } of runs) {
    await child.ended;
    const { stdout, stderr } = child.output();
    expect(way.charged()).toBeLessThanOrEqual(budget);
    expect(await bookedBy(stage, child)).toBe(way.charged());
    // a run whose connections broke at the wrong moment says so and no more
    if (stdout === "") expect(stderr).toContain("database_unreachable");
    else expect(JSON.parse(stdout)).toMatchObject({ progress: { credits: way.charged() } });
  }
  expect(runs.map(({ way }) => way.charged())).toContain(cost);
  expect(workersWay.charged()).toBeGreaterThan(budget);
  expect(await torn(stage)).toEqual([]);
  // requested again is only what was refused or spoilt, and what was on its way when a process or its connections went
  const vain = stage.requested().filter(({ fault }) => fault !== undefined);
  expect(repeats(stage.requested()).length).toBeLessThanOrEqual(vain.length + moments.length * concurrency);
});

test("a run with --max-credits says what it left of the work of a worker that is gone", async () => {
  await using stage = await openStage({ latencyMs: 40 });
  await besideWorker(stage, { settings }, () => until(() => stage.requested().length >= 3));
  const { pending } = await statesOf(stage);
  const from = charged(stage.requested());
  const result = await stage.sync({ settings, maxCredits: budget });
  expect(charged(stage.requested()) - from).toBe(cost);
  expect(result).toMatchObject({ outcome: "deferred", leftOut: (pending ?? 0) - 1, progress: { credits: cost } });
});
