import { expect, test } from "vitest";
import { day, dayMs, dayOf } from "../../src/core/day.ts";
import type { SliceDraft } from "../../src/core/slice.ts";
import { oneDay } from "../../src/core/window.ts";
import { openRun } from "../../src/ledger/runs.ts";
import { insertSlices } from "../../src/ledger/slices.ts";
import { draft } from "../support/slice-draft.ts";
import { forecastKey, writeForecast } from "../../src/credits/forecast-days.ts";
import { createNightsKeeper, keptOfBudget, nightsUntil, readKeptForNights } from "../../src/credits/nights-ahead.ts";
import { hour, minute, openBank } from "../support/credits-account.ts";
import { sql } from "../../src/postgres/sql.ts";
import { until } from "../support/ingest-stage.ts";
import { forTests } from "../support/for-tests.ts";

const bank = forTests(openBank);
const floors = { snapshot: 0, daily: 0.1, lookback: 0, history: 0 };
const retriesADay = 20;

/** An account of 100 credits, to forecast a night and the one a day later for, and to read what history leaves. */
async function open() {
  const { db, accountId, periodEnd } = await bank.account({ total: 100 });
  const forecast = (madeAt: number, startsAt: number, credits: number) =>
    writeForecast(db, accountId, {
      madeAt,
      days: [
        { day: dayOf(madeAt), startsAt, planned: credits, waiting: 0, budgets: {} },
        { day: dayOf(madeAt + dayMs), startsAt: startsAt + dayMs, planned: 30, waiting: 0, budgets: {} },
      ],
    });
  const kept = async (now: number) => (await readKeptForNights(db, { accountId, floors, retriesADay, now })).credits;
  return { start: periodEnd - dayMs, forecast, kept };
}

test("history leaves what a night takes until its plan is made, also while it is late", async () => {
  const { start, forecast, kept } = await open();
  await forecast(start + hour, start + 2 * hour, 30);
  expect(await kept(start + 2 * hour - minute)).toBe(40);
  expect(await kept(start + 2 * hour + minute)).toBe(40);
  expect(await kept(start + 8 * hour)).toBe(40);
  await forecast(start + 8 * hour, start + 2 * hour, 0);
  expect(await kept(start + 8 * hour)).toBe(0);
});

test("a night that starts exactly now is no night ahead, and one that starts a moment later is", () => {
  const now = Date.UTC(2026, 7, 30, 2);
  const nights = [0, 1, 2].map((after) => ({ startsAt: now + after, credits: after }));
  expect(nightsUntil(nights, now, now + hour).map(({ credits }) => credits)).toEqual([1, 2]);
});

test("history leaves nothing for a night of the period before", async () => {
  const { start, forecast, kept } = await open();
  await forecast(start - 3 * hour, start - 2 * hour, 50);
  expect(await kept(start + hour)).toBe(40);
});

test("history leaves what failed slices of nights are tried again for before the reset, up to what retries may cost in a day", async () => {
  const { db, accountId, periodEnd } = await bank.account({ total: 100 });
  const start = periodEnd - dayMs;
  const night = { day: dayOf(start), startsAt: start + 2 * hour, planned: 30, waiting: 0, budgets: {} };
  await writeForecast(db, accountId, { madeAt: start + 3 * hour, days: [night] });
  const now = start + 4 * hour;
  const read = () => readKeptForNights(db, { accountId, floors, retriesADay, now });
  const kept = async () => (await read()).credits;
  expect(await kept()).toBe(0);
  const runId = await openRun(
    db,
    { kind: "sync", workerId: null, account: "", asOf: dayOf(start), datasets: [], maxCredits: null },
    start,
  );
  const planned = (date: string, over: Partial<SliceDraft>) => ({ ...draft(over), window: oneDay(day(date)) });
  const slices = [
    planned("2026-08-01", { credits: 5 }),
    planned("2026-08-02", { credits: 6, dataset: "review" }),
    planned("2026-08-03", { credits: 7, class: "history" }),
    planned("2026-08-04", { credits: 8 }),
  ];
  await insertSlices(db, runId, slices, start);
  const tryAt = (date: string, at: number) =>
    sql`update ops.slice set state = 'failed', due_at = to_timestamp(${at / 1000}::float8) where window_start = ${date}`.execute(
      db,
    );
  await tryAt("2026-08-01", start + 5 * hour);
  await tryAt("2026-08-02", start + 6 * hour);
  await tryAt("2026-08-03", start + 5 * hour);
  await tryAt("2026-08-04", periodEnd + hour);
  expect(await kept()).toBe(11);
  const reviews = { budget: "reviews", period: "day", datasets: ["review"], apps: null } as const;
  expect(keptOfBudget(await read(), reviews, now).credits).toBe(6);
  await tryAt("2026-08-04", start + 7 * hour);
  expect(await kept()).toBe(19);
  await sql`update ops.slice set planned_credits = 10 where window_start = '2026-08-04'`.execute(db);
  expect(await kept()).toBe(11);
  await tryAt("2026-08-01", start + 3 * hour);
  expect(await kept()).toBe(16);
  // a snapshot is tried again in any case, and leaves less to others
  await sql`update ops.slice set class = 'snapshot', as_of = ops.today() where window_start = '2026-08-04'`.execute(db);
  expect(await kept()).toBe(16);
  await sql`update ops.slice set planned_credits = 15 where window_start = '2026-08-04'`.execute(db);
  expect(await kept()).toBe(15);
  await sql`update ops.slice set planned_credits = 30 where window_start = '2026-08-04'`.execute(db);
  expect(await kept()).toBe(30);
  await sql`truncate ops.run, ops.slice cascade`.execute(db);
});

test("calls read the account twice a minute while no reset is known", async () => {
  const { db, accountId, clock, observe, periodEnd } = await bank.account({ left: null });
  const keeper = createNightsKeeper({ db, accountId, floors, retriesADay, clock });
  const kept = async () => (await keeper()).credits;
  expect(await kept()).toBe(0);
  await writeForecast(db, accountId, {
    madeAt: clock.now(),
    days: [{ day: dayOf(periodEnd - dayMs), startsAt: clock.now() + hour, planned: 30, waiting: 0, budgets: {} }],
  });
  await observe({ total: 100, left: 100 });
  expect(await kept()).toBe(0);
  clock.move(minute / 2);
  expect(await kept()).toBe(40);
});

test("a call after a reset does not use what another call began to read before the reset was reported", async () => {
  const { db, accountId, clock, observe, periodEnd } = await bank.account({ total: 100 });
  await writeForecast(db, accountId, {
    madeAt: clock.now(),
    days: [{ day: dayOf(periodEnd), startsAt: periodEnd + hour, planned: 30, waiting: 0, budgets: {} }],
  });
  clock.move(periodEnd + minute - clock.now());
  const keeper = createNightsKeeper({ db, accountId, floors, retriesADay, clock });
  const isBlocked = async () => (await sql`select from pg_locks where not granted`.execute(db)).rows.length > 0;
  const calls = await db.transaction().execute(async (transaction) => {
    await sql`lock ops.credit_forecast`.execute(transaction);
    // it has read the account, and waits for the forecast
    const first = keeper();
    await until(isBlocked);
    await observe({ total: 100, left: 100, resetsAt: periodEnd + dayMs });
    return [first, keeper()];
  });
  const [, second] = await Promise.all(calls);
  expect(second?.credits).toBe(40);
});

test("history leaves of a budget what the nights of its period take of it, and may leave less an hour after the next one", () => {
  const [today, tomorrow] = ["2026-08-30", "2026-08-31"] as const;
  const at = (of: string, hours: number) => Date.parse(of) + hours * hour;
  const budget = (period: "day" | "month", datasets = ["keyword_rank"]) => ({
    budget: "ranks",
    period,
    datasets,
    apps: null,
  });
  const night = (of: string, ranks: number, startsAt = at(of, 4)) => ({
    day: day(of),
    startsAt,
    planned: 100,
    waiting: 0,
    budgets: { [forecastKey(budget("day"))]: ranks, [forecastKey(budget("month"))]: ranks },
  });
  const forecast = { madeAt: at(today, 1), days: [night(today, 7), night(tomorrow, 9), night("2026-09-01", 2)] };
  const kept = (period: "day" | "month", now: number) =>
    keptOfBudget({ forecast, laterTries: [] }, budget(period), now);
  expect(kept("day", at(today, 2))).toEqual({ credits: 7, lessAt: at(today, 5), wholePeriod: 2 });
  // it has begun, and its plan may not be queued yet
  expect(kept("day", at(today, 6))).toMatchObject({ credits: 7, lessAt: at(today, 7) });
  expect(kept("day", at(tomorrow, 2))).toMatchObject({ credits: 9, lessAt: at(tomorrow, 5) });
  expect(kept("month", at(today, 2))).toEqual({
    credits: 16,
    lessAt: at(today, 5),
    wholePeriod: 31 * 2,
  });
  // days after the forecast take as much as those in it
  expect(kept("month", at("2026-09-01", 0)).credits).toBe(30 * 2);
  // a night may start with the day, or at its end
  for (const startsAt of [at(tomorrow, 0), at(tomorrow, 24) - 1]) {
    const days = [night(today, 7), night(tomorrow, 9, startsAt)];
    expect(
      keptOfBudget({ forecast: { ...forecast, days }, laterTries: [] }, budget("day"), at(tomorrow, 0) + 2_000).credits,
    ).toBe(9);
  }
  // a night without calls of the budget changes nothing
  const later = { ...forecast, days: [night(today, 0), night(tomorrow, 9)] };
  expect(keptOfBudget({ forecast: later, laterTries: [] }, budget("month"), at(today, 2)).lessAt).toBe(at(tomorrow, 5));
  // the forecast was made when the budget was for other datasets
  expect(keptOfBudget({ forecast, laterTries: [] }, budget("day", ["review"]), at(today, 2)).credits).toBe(100);
  expect(keptOfBudget({ forecast: null, laterTries: [] }, budget("day"), at(today, 2)).credits).toBe(0);
});

test.each([
  [3, 40],
  [40, 40],
  [41, 0],
])(
  "history leaves what a forecast of %i days ago says of the nights, if that is no older than 40 days",
  async (days, credits) => {
    const { start, forecast, kept } = await open();
    await forecast(start - days * dayMs, start + 2 * hour - dayMs, 50);
    expect(await kept(start + hour)).toBe(credits);
  },
);
