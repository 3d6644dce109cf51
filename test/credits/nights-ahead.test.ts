import { expect, test } from "vitest";
import { dayMs, dayOf } from "../../src/core/day.ts";
import { writeForecast } from "../../src/credits/forecast-days.ts";
import { createNightsKeeper, readKeptForNights } from "../../src/credits/nights-ahead.ts";
import { hour, minute, openBank } from "../support/credits-account.ts";
import { forTests } from "../support/for-tests.ts";

const bank = forTests(openBank);
const floors = { snapshot: 0, daily: 0.1, lookback: 0, history: 0 };

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
  const kept = async (now: number) => (await readKeptForNights(db, { accountId, floors, now })).credits;
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

test("history leaves nothing for a night of the period before", async () => {
  const { start, forecast, kept } = await open();
  await forecast(start - 3 * hour, start - 2 * hour, 50);
  expect(await kept(start + hour)).toBe(40);
});

test("calls read the account twice a minute while no reset is known", async () => {
  const { db, accountId, clock, observe, periodEnd } = await bank.account({ left: null });
  const kept = createNightsKeeper({ db, accountId, floors, clock });
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
