import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { accountIdOf } from "../../src/config/config.ts";
import { systemClock } from "../../src/core/clock.ts";
import { addDays } from "../../src/core/day.ts";
import { recordAgreement } from "../../src/credits/agreement.ts";
import { queueLeftOver } from "../../src/runs/orphans.ts";
import { currentForecast } from "../../src/worker/forecast-credits.ts";
import { runWorker } from "../support/agreed-worker.ts";
import { runCommand } from "../support/command.ts";
import { folderForTests } from "../support/folder.ts";
import { openStage, today, until, type Stage } from "../support/ingest-stage.ts";
import { factsOf, isIdleAfter, lastRunOf, statesOf } from "../support/ingest-tables.ts";
import { calmRun } from "../support/ingest-witness.ts";
import { openSynced } from "../support/synced-stage.ts";

/** Keyword ranks fail with 500 while the balance and the portfolio are served. */
const storm = ["ios", "android"].flatMap((store) =>
  ["keyword-ranking", "keyword-history"].map((name) => ({
    operation: `${store}.${name}`,
    times: 1_000_000,
    kind: "status" as const,
    status: 500,
  })),
);
const charts = ["ios", "android"].map((store) => ({
  operation: `${store}.top-charts`,
  times: 1_000_000,
  kind: "status" as const,
  status: 500,
}));
const market = { apps: 2, countries: ["US"], keywordsPerApp: 6 };
const one = { ...market, apps: 1 };
const ranks = "dataset = 'keyword_rank'";

/** Runs a worker in this process until it has planned and nothing is left to do. */
async function work(stage: Stage, settings = {}): Promise<void> {
  const last = await lastRunOf(stage);
  await using app = await stage.open({ settings });
  const stop = new AbortController();
  const working = runWorker(app, stop.signal);
  const ranked = async () => (await stage.query(`select from ops.slice where ${ranks} limit 1`)).length > 0;
  const isIdle = until(async () => (await ranked()) && (await isIdleAfter(stage, last)));
  await Promise.race([isIdle, working]);
  stop.abort();
  expect(await working).toBeNull();
}

/** A clock at this hour of the day that syncs are of. */
function clockAt(time: string) {
  const machine = systemClock();
  const ahead = Date.parse(`${today}T${time}:00Z`) - machine.now();
  return { ...machine, now: () => machine.now() + ahead, today: () => today };
}

/** As if so many minutes went by. */
const minutesLater = (stage: Stage, minutes: number) =>
  stage.query(
    "update ops.slice set due_at = due_at - make_interval(mins => $1), ended_at = ended_at - make_interval(mins => $1)",
    [minutes],
  );
const waits = async (stage: Stage) =>
  (
    await stage.query<{ minutes: number }>(
      `select distinct round(extract(epoch from due_at - ended_at) / 60)::int as minutes from ops.slice where ${ranks} and state = 'failed'`,
    )
  ).map(({ minutes }) => minutes);

/** A stage whose first sync could have no ranks; its faults are over. */
const openFailed = () => openSynced({ market: one }, { faults: storm });

test("seconds of HTTP 500 lose nothing: failed slices are requested again at growing distances, once each time, until they are loaded", async () => {
  const calm = await calmRun({ market: one });
  await using stage = await openFailed();
  stage.sandbox.set({ faults: storm });
  expect(await waits(stage)).toEqual([5]);
  const [count] = await stage.query<{ slices: number }>(`select count(*)::int as slices from ops.slice where ${ranks}`);
  const slices = count?.slices ?? 0;
  expect(slices).toBeGreaterThan(2);

  await minutesLater(stage, 5);
  await work(stage);
  expect(await waits(stage)).toEqual([30]);
  expect(stage.requested().filter(({ status }) => status === 500)).toHaveLength(slices);

  stage.sandbox.set({ faults: [] });
  await minutesLater(stage, 30);
  await work(stage);
  expect(await factsOf(stage)).toEqual(calm.facts);
  expect(Object.keys(await statesOf(stage))).toEqual(["loaded"]);
});

test("if every list of a night fails, the market is planned once a retry has loaded them", async () => {
  const failing = [
    { operation: "dashboard.number-of-keywords", times: 1_000_000, kind: "status" as const, status: 500 },
  ];
  await using stage = await openStage({ market: one, faults: failing });
  await using app = await stage.open({});
  const stop = new AbortController();
  const working = runWorker(app, stop.signal);
  const failed = "select from ops.slice where dataset = 'tracked_country' and state = 'failed'";
  await until(async () => (await stage.query(failed)).length > 0 && (await isIdleAfter(stage, "0")));
  // a person tries one of them again before that: workers plan the rest after it too
  expect(await stage.retry({ request: { datasets: ["tracked_country"] } })).toMatchObject({ outcome: "failed" });
  const [byHand] = await stage.query<{ datasets: string[]; after: string[] }>(
    "select datasets, plans_after as after from ops.run where kind = 'retry'",
  );
  expect([byHand?.datasets, byHand?.after.includes("keyword_rank")]).toEqual([["tracked_country"], true]);
  stage.sandbox.set({ faults: [] });
  await minutesLater(stage, 5);
  const { db } = app.warehouse;
  const accountId = accountIdOf(stage.sandbox.token);
  await queueLeftOver({ db, clock: app.clock, log: app.log, accountId }, app.config.settings);
  const ranked = async () => (await stage.query(`select from core.fact_keyword_rank limit 1`)).length > 0;
  await Promise.race([until(ranked), working]);
  stop.abort();
  expect(await working).toBeNull();
  expect(await ranked()).toBe(true);
});

test("if a sync of some datasets loads the failed lists of a day, workers plan what the earlier run would have", async () => {
  const failing = [
    { operation: "dashboard.number-of-keywords", times: 1_000_000, kind: "status" as const, status: 500 },
  ];
  await using stage = await openStage({ market: one, faults: failing });
  await stage.sync();
  const planned = async () =>
    stage.query<{ payload: { datasets: string[] } }>(
      "select j.payload from graphile_worker._private_jobs as j where j.payload ->> 'collects' = 'true'",
    );
  expect(await planned()).toEqual([]);
  stage.sandbox.set({ faults: [] });
  await minutesLater(stage, 5);
  const lists = { request: { datasets: ["tracked_country"] } };
  expect(await stage.sync(lists)).toMatchObject({ outcome: "loaded" });
  const [job] = await planned();
  expect(job?.payload.datasets).toContain("keyword_rank");
  // a sync of everything plans that itself
  await stage.query("delete from graphile_worker._private_jobs");
  await stage.query("update ops.slice set state = 'deferred', due_at = ended_at where dataset = 'tracked_country'");
  expect(await stage.sync()).toMatchObject({ outcome: "loaded" });
  expect(await planned()).toEqual([]);
  // unless a limit may keep it from that
  await stage.query("update ops.slice set state = 'deferred', due_at = ended_at where dataset = 'tracked_country'");
  expect(await stage.sync({ maxCredits: 1_000 })).toMatchObject({ outcome: "loaded" });
  expect(await planned()).toHaveLength(1);
});

test("slices whose answers were unusable for seconds are all requested again after 5 minutes, however many attempts each had", async () => {
  const unreadable = storm.map((fault) => ({ ...fault, kind: "not-json" as const }));
  await using stage = await openStage({ market, faults: unreadable });
  await stage.sync();
  const failed = `${ranks} and state = 'failed'`;
  const attempts = await stage.query(`select distinct failures from ops.slice where ${failed}`);
  expect(attempts.length).toBeGreaterThan(1);
  expect(await waits(stage)).toEqual([5]);
  // the next time is one attempt, and the next step
  stage.sandbox.clearLog();
  const [before] = await stage.query<{ slices: number }>(
    `select count(*)::int as slices from ops.slice where ${failed}`,
  );
  await minutesLater(stage, 5);
  await work(stage);
  expect(await waits(stage)).toEqual([30]);
  expect(stage.requested().length).toBeLessThanOrEqual(before?.slices ?? 0);
});

test("failed slices are requested again for no more credits a day than the configuration says, and not where a retry cannot mend them", async () => {
  const settings = { credits: { floors: { snapshot: 0, daily: 0, lookback: 0, history: 0 }, retries_a_day: 6 } };
  const refused = {
    operation: "ios.keyword-ranking",
    kind: "status",
    times: 1_000_000,
    status: 200,
    body: "[{}]",
  } as const;
  await using stage = await openStage({ market, faults: [refused, ...storm] });
  await work(stage, settings);
  stage.sandbox.set({ faults: [] });
  stage.sandbox.clearLog();
  await minutesLater(stage, 10);
  await work(stage, settings);
  const spent = stage.requested().reduce((sum, { charged }) => sum + charged, 0);
  expect([spent > 0, spent <= 6]).toEqual([true, true]);
  const left = await stage.query<{ code: string; dear: boolean; due: boolean }>(
    `select distinct error_code as code, planned_credits > 6 as dear, due_at is not null as due from ops.slice
     where  ${ranks} and state <> 'loaded' order by 1, 2`,
  );
  expect(left).toEqual([
    { code: "server_error", dear: false, due: true },
    // no day pays for it
    { code: "server_error", dear: true, due: false },
    { code: "unknown_shape", dear: false, due: false },
  ]);
});

test("snapshots that failed are requested again on their day though ranks have used the credits of its retries, and those are put off to the next day", async () => {
  const floors = { snapshot: 0, daily: 0, lookback: 0, history: 0 };
  const datasets = { app_rating: { on: true }, keyword_rank: { history_days: 30 } };
  const limitedTo = (credits: number) => ({ credits: { floors, retries_a_day: credits }, datasets });
  const failing = ["ios", "android"].map((store) => `${store}.app-simple`);
  const ratings = failing.map((operation) => ({ operation, times: 1_000_000, kind: "status" as const, status: 500 }));
  await using stage = await openStage({ market, faults: [...storm, ...ratings] });
  await work(stage, limitedTo(12));
  const counts = async () => {
    const [found] = await stage.query<{ ratings: number; ranks: number; putOff: number }>(
      `select count(*) filter (where dataset = 'app_rating')::int as ratings, count(*) filter (where ${ranks} and due_at is not null)::int as ranks,
              count(*) filter (where due_at = (date_trunc('day', now() at time zone 'UTC') + interval '1 day') at time zone 'UTC')::int as "putOff"
       from ops.slice where state = 'failed'`,
    );
    return found ?? { ratings: 0, ranks: 0, putOff: 0 };
  };
  const before = await counts();
  expect([before.ratings > 0, before.ranks > 1]).toEqual([true, true]);
  stage.sandbox.set({ faults: [] });
  stage.sandbox.clearLog();
  await stage.query(`update ops.slice set due_at = due_at - interval '5 minutes' where ${ranks} and state = 'failed'`);
  await work(stage, limitedTo(12));
  const used = stage.requested().reduce((sum, { charged }) => sum + charged, 0);
  const { ratings: stillDue, ranks: left, putOff } = await counts();
  expect([stillDue, putOff]).toEqual([before.ratings, left]);
  expect(left).toBeGreaterThan(0);
  await stage.query(`update ops.slice set due_at = due_at - interval '5 minutes' where dataset = 'app_rating'`);
  await work(stage, limitedTo(used));
  expect(await counts()).toEqual({ ratings: 0, ranks: left, putOff: left });
  const why = /requested again by a worker, or by a sync after .*, when credits.retries_a_day has room again/;
  expect((await runCommand(stage, ["failures"])).stdout).toMatch(why);
  expect((await runCommand(stage, ["status"])).stdout.replaceAll(/\s+/g, " ")).toMatch(why);
  await stage.retry();
  expect((await counts()).ranks).toBe(0);
});

test("a sync requests failed slices again whose time has come, at the price that `plan` shows, and within its limit", async () => {
  await using stage = await openFailed();
  expect(await stage.sync()).toMatchObject({ outcome: "failed", progress: { total: 0 } });
  await minutesLater(stage, 5);
  const priced = await runCommand(stage, ["plan", "--as-of", today, "--json"]);
  expect(priced.code).toBe(0);
  const price = (JSON.parse(priced.stdout) as { totals: { credits: number } }).totals.credits;
  expect(price).toBeGreaterThan(6);
  expect(await stage.sync({ maxCredits: 6 })).toMatchObject({ progress: { credits: 6 } });
  expect(await stage.sync()).toMatchObject({ outcome: "loaded", progress: { credits: price - 6 } });
  expect(stage.requested().reduce((sum, { charged }) => sum + charged, 0)).toBe(price);
});

test("a day that failed with an answer that nobody can read is as of its next try: no lookback of that day requests it once more", async () => {
  const unreadable = storm.map((fault) => ({ ...fault, kind: "not-json" as const }));
  await using stage = await openStage({ market: one, faults: unreadable });
  const settings = { datasets: { keyword_rank: { history_days: 3, lookback_days: 3 } } };
  await stage.sync({ settings, request: { today: addDays(today, -1) } });
  expect(Object.keys(await statesOf(stage))).toEqual(["failed", "loaded"]);
  stage.sandbox.set({ faults: [] });
  stage.sandbox.clearLog();
  await minutesLater(stage, 10 * 60);
  expect(await stage.sync({ settings })).toMatchObject({ outcome: "loaded" });
  const ranked = stage.requested().filter(({ operation }) => storm.some((fault) => fault.operation === operation));
  const calls = ranked.map(({ path, params }) => JSON.stringify([path, params]));
  expect(calls.length).toBeGreaterThan(2);
  expect(calls).toEqual([...new Set(calls)]);
});

test("a snapshot that failed has its next try on its own day or none: the next day's is another; a day of a series has it after midnight", async () => {
  const failing = ["ios.app-simple", "android.app-simple", ...storm.map(({ operation }) => operation)];
  await using stage = await openStage({
    market: one,
    faults: failing.map((operation) => ({ operation, times: 1_000_000, kind: "status", status: 500 })),
  });
  await stage.sync({ clock: clockAt("23:57"), settings: { datasets: { app_rating: { on: true } } } });
  const ends = await stage.query(
    "select distinct dataset, class, due_at is not null as due from ops.slice where state = 'failed' order by 1, 2",
  );
  expect(ends).toEqual([
    { dataset: "app_rating", class: "snapshot", due: false },
    { dataset: "keyword_rank", class: "daily", due: true },
    { dataset: "keyword_rank", class: "history", due: true },
  ]);
});

/** One that goes on: the stages that are copied were synced by it. */
const noon = clockAt("12:00");

test.each([
  { of: "keyword_rank", agreed: ["tracked_app"], isTried: false },
  { of: "keyword_rank", agreed: ["tracked_app", "keyword_rank"], isTried: true },
  { of: "keyword_rank", agreed: [], isTried: true },
  // a dataset that has been renamed since
  { of: "keyword_rank", agreed: ["old_name"], isTried: false },
  { of: "keyword_rank", agreed: ["old_name", "keyword_rank"], isTried: true },
  // this one is off unless it is named
  { of: "top_chart", agreed: ["top_chart"], isTried: true },
  { of: "top_chart", agreed: [], isTried: false },
])(
  "workers request what a person's sync of $of left failed again if someone agreed to it, and the forecast counts just that: $agreed",
  async ({ of, agreed, isTried }) => {
    const crontab = join(folderForTests(), "crontab");
    writeFileSync(crontab, '0 4 * * * plan_due ?id=apps {"datasets":["tracked_app"]}\n');
    const synced = { request: { datasets: [of] }, maxCredits: 1_000, clock: noon, faults: [...charts, ...storm] };
    await using stage = await openSynced({ market: one }, synced);
    const run = { clock: noon, environment: { STOREHOUSE_CRONTAB: crontab } };
    const { failed = 0 } = await statesOf(stage);
    expect(failed).toBeGreaterThan(0);
    await minutesLater(stage, 5);
    await using app = await stage.open(run);
    const { db } = app.warehouse;
    const accountId = accountIdOf(stage.sandbox.token);
    const tryAgain = () => queueLeftOver({ ...app, db, accountId }, app.config.settings);
    // before anyone agrees nothing is retried, and the forecast is for all of it
    await currentForecast(app);
    await tryAgain();
    expect(await statesOf(stage)).toMatchObject({ failed });
    await recordAgreement(db, { accountId, datasets: agreed, credits: 5, by: "terminal" }, app.clock.now());
    const forecast = await currentForecast(app);
    await tryAgain();
    const { pending = 0 } = await statesOf(stage);
    expect({ queued: pending, isCounted: (forecast?.days[0]?.waiting ?? 0) > 0 }).toEqual({
      queued: isTried ? failed : 0,
      isCounted: isTried,
    });
  },
);
