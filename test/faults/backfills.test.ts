import { expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { locksOf, wholePlan } from "../../src/planner/shards.ts";
import { lockNumbers } from "../../src/postgres/advisory-lock.ts";
import { backfillCommand, openWithPortfolio, planned, runPlanned } from "../support/backfill-stage.ts";
import { besideWorker } from "../support/beside-worker.ts";
import { startChild } from "../support/ingest-child.ts";
import { gateAfter, today, until, callText } from "../support/ingest-stage.ts";
import { factsOf, statesOf } from "../support/ingest-tables.ts";
import { repeats } from "../support/ingest-witness.ts";

const ranks = ["--dataset", "keyword_rank", "--yes"] as const;
const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0);
const settings = { api: { concurrency: 2 }, datasets: { keyword_rank: { history_days: 5 } } };
const market = { apps: 2, countries: ["US"], keywordsPerApp: 4 };
const oneApp = { ...market, apps: 1 };

test("a worker automatically resumes a backfill that credits stopped, and requests what the plan priced, once", async () => {
  await using calm = await openWithPortfolio({ market: oneApp });
  const made = await planned(calm, {}, { settings });
  await runPlanned(calm, made.planId, { settings });
  const callTexts = calm.requested().map(callText).sort();

  // a period is a few seconds; in one there are credits for the portfolio, and for no more than two thirds of the plan
  const account = { token: "sandbox-token", total: 1_000, periodHours: 4 / 3_600 };
  const floors = { snapshot: 0, daily: 0, lookback: 0, history: 1 - (0.6 * made.credits) / account.total };
  await using stage = await openWithPortfolio({ market: oneApp, accounts: [account] });
  const tight = { ...settings, credits: { floors } };
  const stopped = await backfillCommand(stage, ranks, { settings: tight });
  expect(stopped).toMatchObject({ code: 3, stdout: expect.stringMatching(/reset|credits/) });
  const before = stage.requested().length;
  expect(before).toBeLessThan(callTexts.length);

  const planCallTexts = new Set(callTexts);
  const requested = () =>
    stage
      .requested()
      .map(callText)
      .filter((one) => planCallTexts.has(one));
  await besideWorker(stage, { settings: tight }, () =>
    until(async () => requested().length >= callTexts.length && Object.keys(await statesOf(stage)).join() === "loaded"),
  );
  expect(requested().sort()).toEqual(callTexts);
  expect(repeats(stage.requested())).toEqual([]);
  expect(stage.requested().filter(({ status }) => status !== 200)).toEqual([]);
  const ranksOf = "core.fact_keyword_rank";
  expect((await factsOf(stage))[ranksOf]).toEqual((await factsOf(calm))[ranksOf]);
});

test("a backfill that is killed is taken over at its agreed price, less the calls whose answers were lost", async () => {
  const gate = gateAfter(5);
  await using stage = await openWithPortfolio({ market, clock: gate.clock });
  stage.sandbox.set({ latencyMs: gate.latencyMs });
  await using killed = startChild(stage, ["backfill", "--as-of", today, ...ranks], { settings });
  await until(() => gate.held() > 0);
  const prices = new Map(
    (
      await stage.query<{ slice: string; credits: number }>(
        "select slice_id as slice, planned_credits as credits from ops.slice where plan_id is not null",
      )
    ).map(({ slice, credits }) => [slice, credits]),
  );
  killed.process.kill("SIGKILL");
  await killed.ended;
  gate.open();
  stage.sandbox.set({ latencyMs: 0 });

  // nothing of it is due on its own, so that the ranks that the worker requests are the plan's
  const off = { ...settings, datasets: { keyword_rank: { on: false } } };
  const slices = () => stage.query("select state from ops.slice where plan_id is not null");
  await besideWorker(stage, { settings: off }, () =>
    until(async () => (await slices()).every(({ state }) => state === "loaded")),
  );

  const [plan] = await stage.query<{ slices: number; credits: number }>(
    "select slices, credits::float8 as credits from ops.plan",
  );
  const requests = await stage.query<{ slice: string; cost: number; code: string | null }>(
    "select slice_id as slice, cost, error_code as code from ops.request where dataset = 'keyword_rank'",
  );
  const lost = requests.filter(({ code }) => code === "process_died");
  expect(lost.length).toBeGreaterThan(0);
  const price = plan?.credits ?? 0;
  const paid = stage.requested().filter(({ operation }) => /keyword-(ranking|history)/.test(operation ?? ""));
  expect(sum(paid.map((request) => request.charged))).toBeLessThanOrEqual(price);
  // a lost call counts as charged, and of what the rest pays for nothing is left out: less is left than one slice may cost
  const counted = sum(requests.map(({ cost }) => cost)) + sum(lost.map(({ slice }) => prices.get(slice) ?? Number.NaN));
  expect(counted).toBeLessThanOrEqual(price);
  expect(counted).toBeGreaterThan(price - Math.max(...prices.values()));
  expect((await slices()).length).toBeLessThan(plan?.slices ?? 0);
  const again = await backfillCommand(stage, ["--plan", "1"], { settings: off });
  expect(again).toMatchObject({
    code: 3,
    stdout: expect.stringMatching(/\d+ more were cancelled.*storehouse backfill --dataset keyword_rank/),
  });
});

test("two backfills of days and countries that overlap run at once and fetch nothing twice: the one whose plan the other has queued a part of makes it again", async () => {
  const two = { ...oneApp, countries: ["US", "JP"] };
  const days = { bounds: { start: addDays(today, -4), end: addDays(today, -1) } };
  await using calm = await openWithPortfolio({ market: two });
  for (const part of [{ countries: ["US"] }, days])
    await runPlanned(calm, (await planned(calm, part, { settings })).planId, { settings });

  await using stage = await openWithPortfolio({ market: two });
  await using app = await stage.open();
  const { planId } = await planned(stage, { countries: ["US"] }, { settings });
  const waiting = async () =>
    (
      await stage.query(
        "select distinct pid from pg_locks join pg_database as d on d.oid = database where not granted and datname = current_database()",
      )
    ).length;
  // who waits first is first
  const [first, second] = await app.warehouse.db.transaction().execute(async (holder) => {
    await lockNumbers(holder, "planning", locksOf(wholePlan));
    const one = runPlanned(stage, planId, { settings });
    await until(async () => (await waiting()) === 1);
    const other = backfillCommand(stage, [...ranks, "--from", addDays(today, -4), "--to", addDays(today, -2)], {
      settings,
    });
    await until(async () => (await waiting()) === 2);
    // the first has requests under way while the other plans
    stage.sandbox.set({ latencyMs: 200 });
    return [one, other];
  });
  await until(async () => (await stage.query("select from ops.plan where queued_at is not null")).length === 2);
  stage.sandbox.set({ latencyMs: 5 });
  expect(await first).toMatchObject({ outcome: "loaded" });
  expect(await second).toMatchObject({ code: 0, stderr: expect.stringContaining("the plan is made again") });
  expect(repeats(stage.requested())).toEqual([]);
  // a window that holds other days of a keyword may span one that the other backfill has; a call for a day never requests it again
  const twice = await stage.query(
    `select s.scope, item, day from ops.slice as s join ops.batch as b using (batch_id), unnest(b.items) as item,
            generate_series(s.window_start::timestamp, s.window_end - 1, interval '1 day') as day
     where  s.dataset = 'keyword_rank' and s.attempt > 0 group by 1, 2, 3
     having count(*) > 1 and (array_agg(s.window_end - s.window_start order by s.slice_id desc))[1] = 1`,
  );
  expect(twice).toEqual([]);
  expect(await factsOf(stage)).toEqual(await factsOf(calm));
  const askers = await stage.query("select distinct worker_id from ops.request where dataset = 'keyword_rank'");
  expect(askers).toHaveLength(2);
});
