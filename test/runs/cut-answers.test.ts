import { expect, test } from "vitest";
import { addDays, daysBetween, type Day } from "../../src/core/day.ts";
import { backfillCommand, openWithPortfolio, charged, plan, planned, progressOf } from "../support/backfill-stage.ts";
import { today, type RunOptions, type Stage } from "../support/ingest-stage.ts";
import { statesOf } from "../support/ingest-tables.ts";
import { openProxy } from "../support/ingest-proxy.ts";

const back = (days: number) => addDays(today, -days);
const market = { apps: 1, countries: ["US"], keywordsPerApp: 2 } as const;
const datasets = ["retention"];
const run = (bounds = { start: back(75) }): RunOptions => ({
  settings: { datasets: { retention: { on: true } } },
  request: { datasets, bounds },
});

/** A warehouse that knows the portfolio, over a service whose answers end after so many days. */
function openCut(mostRangeDays: number | null): Promise<Stage> {
  return openWithPortfolio({ market, today: addDays(today, 3), mostRangeDays });
}

/** First days of the windows that were requested, as days before today. */
const requested = (stage: Stage) =>
  stage
    .requested()
    .filter(({ operation }) => operation === "dashboard.retention-history")
    .map(({ params }) => daysBetween(params["start"] as Day, today));

async function coverage(stage: Stage): Promise<Record<string, number>> {
  const [counts] = await stage.query<Record<string, number>>(
    `select sum(loaded_count)::int as loaded, sum(empty_count)::int as empty, sum(open_count)::int as open
     from   ops.coverage_daily where dataset = 'retention' and date_day >= $1`,
    [back(75)],
  );
  return counts ?? {};
}

test("75 days of which 30 are answered are requested again from the 31st on, and all of them are loaded in one run", async () => {
  await using stage = await openCut(30);
  expect(await stage.sync(run())).toMatchObject({ outcome: "loaded" });
  expect(requested(stage)).toEqual([75, 45, 15]);
  expect(await coverage(stage)).toEqual({ loaded: 75, empty: 0, open: 0 });
  const [days] = await stage.query("select count(distinct date_day)::int as days from core.fact_retention");
  expect(days).toEqual({ days: 75 });
  const [totals] = await stage.query(
    "select planned_slices, planned_credits::int from ops.run order by run_id desc limit 1",
  );
  expect(totals).toEqual({ planned_slices: 3, planned_credits: 3 });
});

test("the tail is queued in the transaction that loads the rest: a process that dies there leaves both or neither", async () => {
  await using stage = await openCut(30);
  const died = stage.sync({
    ...run(),
    crashPoint: async (point) => {
      if (point === "in the load") throw new Error("the transaction breaks");
    },
  });
  await died;
  expect(await statesOf(stage)).not.toHaveProperty("pending");
  const tails = () => stage.query("select from ops.slice where tail_of is not null");
  expect(await tails()).toEqual([]);
  expect(await stage.retry(run())).toMatchObject({ outcome: "loaded" });
  expect(await tails()).toHaveLength(2);
  expect(await coverage(stage)).toEqual({ loaded: 75, empty: 0, open: 0 });
});

test("a tail that two answers leave out is empty, and is requested neither on that day nor on the next ones", async () => {
  await using stage = await openCut(null);
  // the figures end 45 days ago, for all requested days
  await using proxy = await openProxy(stage.sandbox, (passing) => {
    if (!passing.target.includes("/retention")) return;
    const answer = JSON.parse(passing.body) as { data: { date: number }[] };
    passing.body = JSON.stringify({ ...answer, data: answer.data.filter(({ date }) => date < Date.parse(back(45))) });
  });
  const on = (day: Day) => ({
    ...run(),
    request: { ...run().request, today: day },
    environment: { API_BASE_URL: proxy.url },
  });
  await stage.sync(on(today));
  expect(requested(stage)).toEqual([75, 45]);
  expect(await coverage(stage)).toEqual({ loaded: 30, empty: 45, open: 0 });
  stage.sandbox.clearLog();
  await stage.sync(on(today));
  expect(requested(stage)).toEqual([]);
  // the restated days are requested each night, and that is all; a week later an empty answer of "not connected" would be, too
  for (const days of [1, 2]) await stage.sync(on(addDays(today, days)));
  expect(requested(stage)).toEqual([8, 7]);
});

test("a day that is not published yet costs no second request, and is requested again the next night", async () => {
  await using stage = await openCut(null);
  await using proxy = await openProxy(stage.sandbox, (passing) => {
    const answer = JSON.parse(passing.body) as { data: { date: number }[] };
    if (passing.target.includes("/retention"))
      passing.body = JSON.stringify({ ...answer, data: answer.data.filter(({ date }) => date < Date.parse(back(1))) });
  });
  await stage.sync({ ...run({ start: back(10) }), environment: { API_BASE_URL: proxy.url } });
  expect(requested(stage)).toEqual([10]);
  expect(await coverage(stage)).toEqual({ loaded: 9, empty: 1, open: 0 });
});

test("the agreed price of a plan pays for no tail: it is cancelled, reported, and planned by the next backfill", async () => {
  await using stage = await openCut(30);
  const wanted = { datasets, bounds: { start: back(75), end: today } };
  const settings = run();
  const first = await planned(stage, wanted, settings);
  expect(first.credits).toBe(1);
  const command = ["--plan", first.planId];
  const ran = await backfillCommand(stage, command, { settings: settings.settings ?? {} });
  expect(ran.code).toBe(3);
  expect(ran.stdout).toMatch(/1 slice was cancelled: storehouse backfill .* plans what is missing, at a new price\./);
  expect(charged(stage)).toBe(1);
  expect(await coverage(stage)).toEqual({ loaded: 30, empty: 0, open: 0 });
  expect(await progressOf(stage, first.planId)).toMatchObject({ open: 0, total: 1, credits: 1, cancelled: 1 });
  expect(await backfillCommand(stage, command, { settings: settings.settings ?? {} })).toMatchObject({
    code: 3,
    stdout: expect.stringContaining("1 more was cancelled, because the plan was stopped or its price was spent:"),
  });
  const second = await plan(stage, wanted, settings);
  expect(second.plan).toMatchObject({ credits: 1, slices: 1 });
});
