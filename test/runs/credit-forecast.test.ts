import { expect, test } from "vitest";
import { accountIdOf } from "../../src/config/config.ts";
import { budgetsOf } from "../../src/config/credit-budgets.ts";
import { addDays, addMonths, dayOf, monthStart } from "../../src/core/day.ts";
import { readBudgets } from "../../src/credits/budgets.ts";
import { readForecast } from "../../src/credits/forecast-days.ts";
import { readCreditForecast } from "../../src/incidents/credit-forecast.ts";
import { createPriceForecaster } from "../../src/planner/price-schedule.ts";
import { announceRuns, forecastBeforeHistory } from "../../src/worker/announce-runs.ts";
import { currentForecast } from "../../src/worker/forecast-credits.ts";
import { today as firstDay, type RunOptions } from "../support/ingest-stage.ts";
import { long, monthMs } from "../support/long.ts";
import { openNights, type Nights } from "../support/nights.ts";
import { openSynced } from "../support/synced-stage.ts";

const floors = { snapshot: 0, daily: 0, lookback: 0, history: 0 };
const budgets = { ranks: { datasets: ["keyword_rank"], credits_a_month: 100 } };
const settings = { datasets: { app_rating: { on: true } }, credits: { floors, budgets } };
const nightsAfter = long ? 30 : 2;
const accounts = [{ token: "sandbox-token", total: 100_000, periodHours: 24 * (long ? 30 : 8) }];

async function made(nights: Nights, more: RunOptions = {}) {
  await using app = await nights.stage.open(nights.run(more));
  return await currentForecast(app);
}

async function forecastOf(nights: Nights) {
  await using app = await nights.stage.open(nights.run());
  const { db } = app.warehouse;
  const accountId = accountIdOf(nights.stage.sandbox.token);
  const of = { accountId, budgets: budgetsOf(app.config.settings), day: dayOf(app.clock.now()) };
  const parts = { db, settings: app.config.settings, clock: app.clock, accountId };
  return await readCreditForecast(parts, await readBudgets(db, of));
}

/** Credits of the day that it is, as the ledger has them. */
async function chargedToday({ stage, today }: Nights): Promise<number> {
  const [row] = await stage.query<{ credits: number }>(
    "select coalesce(sum(cost), 0)::int as credits from ops.request where (received_at at time zone 'UTC')::date = $1",
    [today()],
  );
  return row?.credits ?? 0;
}

test(
  "nights are forecast to the end of the period and of the month, and the error is what came of it",
  { timeout: monthMs },
  async () => {
    const market = { apps: long ? 2 : 1, countries: ["US"], keywordsPerApp: 3, organicKeywords: 3 };
    await using nights = await openNights({ accounts, market }, { settings });
    const { stage } = nights;
    await stage.sync(nights.run());
    const first = await made(nights);
    const before = await forecastOf(nights);
    expect(first?.days.at(0)?.day).toBe(nights.today());
    const ends = [before.resetsAt ?? 0, Date.parse(addMonths(monthStart(nights.today()), 1))];
    expect(first?.days.at(-1)?.day).toBe(dayOf(Math.max(...ends) - 1));
    const ahead = first?.days.filter(({ startsAt }) => startsAt < (before.resetsAt ?? 0)) ?? [];
    expect(before.outlook).toMatchObject({
      nights: ahead.length,
      wanted: ahead.reduce((sum, { planned }) => sum + planned, 0),
    });
    expect(before.error).toMatchObject({ nights: 0, percent: null });
    const [budget] = before.budgets;
    expect(budget).toMatchObject({ taken: expect.any(Number), forecastCost: expect.any(Number) });
    const perNight = (Object.values(first?.days[1]?.budgets ?? {})[0] ?? 0) > 0;
    expect({ perNight, isFull: budget?.fullOn !== null }).toEqual({
      perNight: true,
      isFull: (budget?.taken ?? 0) + (budget?.forecastCost ?? 0) > 100,
    });

    let charged = 0;
    for (let night = 1; night <= nightsAfter; night += 1) {
      nights.next();
      await stage.sync(nights.run());
      charged += await chargedToday(nights);
      // what an early forecast says of a day holds until a newer one does
      if (night % 2 === 0) await made(nights);
    }
    nights.next();
    const { error } = await forecastOf(nights);
    expect(error).toMatchObject({ nights: nightsAfter, charged, others: 0 });
    expect(charged).toBeGreaterThan(0);
    expect(Math.abs(error.percent ?? 100)).toBeLessThan(1);
    if (long) process.stdout.write(`forecast the day before and charged: ${JSON.stringify(error)}\n`);
  },
);

test("a forecast stands until something is planned, a worker makes it after it has planned, and old ones go", async () => {
  await using nights = await openNights(
    { accounts, market: { apps: 1, countries: ["US"], keywordsPerApp: 2 } },
    { settings },
  );
  const { stage } = nights;
  const accountId = accountIdOf(stage.sandbox.token);
  await using app = await stage.open(nights.run());
  const { db } = app.warehouse;
  const read = () => readForecast(db, accountId, dayOf(app.clock.now()));
  await announceRuns(app, new AbortController().signal);
  const known = await read();
  expect(known?.days.length).toBeGreaterThan(1);
  expect(await currentForecast(app)).toEqual(known);
  await stage.sync(nights.run());
  expect((await currentForecast(app))?.madeAt).toBeGreaterThan(known?.madeAt ?? 0);
  await stage.query("update ops.credit_forecast set made_on = made_on - 91");
  nights.next();
  await using next = await stage.open(nights.run());
  expect((await currentForecast(next))?.days.at(0)?.day).toBe(nights.today());
  expect(await stage.query("select distinct made_on::text as day from ops.credit_forecast")).toEqual([
    { day: nights.today() },
  ]);
});

test("a worker makes a forecast before history starts if the one there is does not know its budgets", async () => {
  const market = { apps: 1, countries: ["US"], keywordsPerApp: 2 };
  const history = { keyword_rank: { history_days: 60 } };
  await using nights = await openNights({ accounts, market }, { settings: { datasets: history } });
  const { stage } = nights;
  await stage.sync(nights.run());
  await stage.query(
    "update ops.slice set state = 'pending' where slice_id = (select max(slice_id) from ops.slice where class = 'history')",
  );
  const accountId = accountIdOf(stage.sandbox.token);
  const madeWith = async (limits: Partial<typeof budgets>) => {
    await using app = await stage.open(nights.run({ settings: { datasets: history, credits: { budgets: limits } } }));
    await forecastBeforeHistory(app, accountId, new AbortController().signal);
    return await readForecast(app.warehouse.db, accountId, dayOf(app.clock.now()));
  };
  const first = await madeWith({});
  expect(first?.days[1]?.budgets).toEqual({});
  expect(await madeWith({})).toEqual(first);
  const second = await madeWith(budgets);
  expect(Object.values(second?.days[1]?.budgets ?? {})).toEqual([expect.any(Number)]);
  // a limit may change; other datasets are another demand
  expect(await madeWith({ ranks: { ...budgets.ranks, credits_a_month: 200 } })).toEqual(second);
  const third = await madeWith({ ranks: { datasets: ["app_rating"], credits_a_month: 200 } });
  expect(third?.days[1]?.budgets).not.toEqual(second?.days[1]?.budgets);
});

test("between two rounds of a night the forecast from before it stays: the next round is not planned yet", async () => {
  await using nights = await openNights(
    { accounts, market: { apps: 1, countries: ["US"], keywordsPerApp: 2 } },
    { settings },
  );
  const { stage } = nights;
  const before = await made(nights);
  await stage.sync(nights.run());
  const last = "(select max(slice_id) from ops.slice where dataset = 'tracked_keyword')";
  await stage.query(`update ops.slice set state = 'pending', queue_id = 0 where slice_id = ${last}`);
  expect(await made(nights)).toEqual(before);
  // a list that is tried again later on this day, and one that is tried again tomorrow
  const failed = (due: string) =>
    stage.query(
      `update ops.slice set state = 'failed', queue_id = 0, due_at = $1::timestamp at time zone 'UTC' where slice_id = ${last}`,
      [due],
    );
  await failed(`${nights.today()} 23:59`);
  expect(await made(nights)).toEqual(before);
  await stage.query(`update ops.slice set state = 'loaded', class = 'daily', due_at = null where slice_id = ${last}`);
  await stage.query(
    "select graphile_worker.add_job('plan_due', json_build_object('datasets', '{}'::text[], 'collects', true), job_key := 'plan_due after lists')",
  );
  expect(await made(nights)).toEqual(before);
  const job = (change: string) =>
    stage.query(`update graphile_worker._private_jobs set ${change} where key = 'plan_due after lists'`);
  // its last attempt is under way in a worker
  await job("attempts = max_attempts, locked_at = now(), locked_by = 'any'");
  expect(await made(nights)).toEqual(before);
  // it has failed for good, and does not run again; and the list is tried again tomorrow
  await job("locked_at = null, locked_by = null");
  await failed(`${addDays(nights.today(), 1)} 00:01`);
  expect((await made(nights))?.madeAt).toBeGreaterThan(before?.madeAt ?? 0);
});

test("what a night takes of a budget is its work without history, which leaves credits to nights and not to itself", async () => {
  const datasets = { keyword_rank: { history_days: 60 } };
  const usual = { settings: { datasets, credits: { floors, budgets } } };
  await using nights = await openNights({ accounts, market: { apps: 1, countries: ["US"], keywordsPerApp: 2 } }, usual);
  const lists = ["tracked_app", "tracked_country", "tracked_keyword"];
  await nights.stage.sync(nights.run({ request: { datasets: lists } }));
  const [first, second] = (await made(nights))?.days ?? [];
  // one call answers the newest day and 60 days of history
  expect(first?.planned).toBeGreaterThan(0);
  expect(Object.values(first?.budgets ?? {})).toEqual([0]);
  expect(Object.values(second?.budgets ?? {})[0]).toBeGreaterThan(0);
});

test("a forecast shows a week at least, also where the month ends sooner", async () => {
  await using nights = await openNights({ market: { apps: 1, countries: ["US"], keywordsPerApp: 2 } }, { settings });
  while (nights.today() < "2026-08-30") nights.next();
  expect((await made(nights))?.days.at(-1)?.day).toBe("2026-09-06");
});

test("a day is dated by the run that takes most, not by an earlier one that costs little", async () => {
  const market = { apps: 2, countries: ["US"], keywordsPerApp: 3 };
  await using nights = await openNights({ accounts, market }, { settings });
  await nights.stage.sync(nights.run());
  const [, next] = (await made(nights))?.days ?? [];
  // the hourly line runs at 00:15, and the night at four
  expect(new Date(next?.startsAt ?? 0).toISOString().slice(11, 16)).toBe("04:00");
});

test("work that is too dear for its budget is in the price of a night, and is not expected to be charged", async () => {
  await using stage = await openSynced({ market: { apps: 1, countries: ["US"] } });
  const forecastWith = async (credits_a_day: number) => {
    const ranks = { datasets: ["keyword_rank"], credits_a_day };
    await using app = await stage.open({ settings: { credits: { budgets: { ranks } } } });
    const { db } = app.warehouse;
    const forecaster = createPriceForecaster({ db, settings: app.config.settings, accountId: "", today: firstDay });
    return await forecaster.run(["keyword_rank"], addDays(firstDay, 1));
  };
  const [tooSmall, large] = [await forecastWith(1), await forecastWith(100_000)];
  const { credits } = tooSmall.price.overBudget;
  expect(credits).toBeGreaterThan(0);
  expect(tooSmall.price).toMatchObject({ credits: large.price.credits });
  expect(tooSmall.charge.planned).toBe(large.charge.planned - credits);
});

test("a night whose time has passed counts until it is planned: its worker slept, or is about to plan", async () => {
  await using nights = await openNights(
    { accounts, market: { apps: 1, countries: ["US"], keywordsPerApp: 3 } },
    { settings },
  );
  const { stage, clock } = nights;
  await stage.sync(nights.run());
  nights.next();
  // the crontab plans at four
  const late = { ...clock, now: () => clock.now() + 150 * 60_000 };
  const now = late.now();
  const [unplanned] = (await made(nights, { clock: late }))?.days ?? [];
  expect(unplanned?.planned).toBeGreaterThan(0);
  expect(unplanned?.startsAt).toBeGreaterThan(now);
  await stage.sync(nights.run({ clock: late }));
  const [planned] = (await made(nights, { clock: late }))?.days ?? [];
  expect(planned).toMatchObject({ day: nights.today(), planned: 0 });
});
