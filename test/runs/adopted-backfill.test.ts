import { expect, test } from "vitest";
import { accountIdOf } from "../../src/config/config.ts";
import { addDays } from "../../src/core/day.ts";
import { readNightOutcomes } from "../../src/credits/forecast-days.ts";
import { planned, progressOf, runPlanned } from "../support/backfill-stage.ts";
import { openSyncedNights } from "../support/nights.ts";
import { workUntilIdle } from "../support/work-until-idle.ts";

const settings = { api: { concurrency: 2 }, datasets: { keyword_rank: { history_days: 4 } } };
const market = { apps: 1, countries: ["US", "JP"], keywordsPerApp: 6 };

test("what workers pay for a backfill that they took over counts as a backfill, not as a night whose forecast was wrong", async () => {
  await using nights = await openSyncedNights({ market }, { settings });
  const { stage } = nights;
  nights.next();
  const on = nights.today();
  const { planId } = await planned(
    stage,
    { on, bounds: { start: addDays(on, -60), end: addDays(on, -6) } },
    nights.run(),
  );
  const stop = new AbortController();
  const crashPoint = async () => stop.abort();
  await runPlanned(stage, planId, { ...nights.run(), on, stop: stop.signal, crashPoint });
  const before = (await progressOf(stage, planId)).credits;
  await workUntilIdle(stage, nights.run());
  const { credits, open } = await progressOf(stage, planId);
  expect(open).toBe(0);
  expect(credits).toBeGreaterThan(before);

  await stage.query(
    `insert into ops.credit_forecast
     values ($1, $2::date - 1, $2::date, now(), 0, 0, '{}'::jsonb, now())`,
    [accountIdOf(stage.sandbox.token), on],
  );
  const [day] = await stage.query<{ all: number }>(
    "select sum(cost)::int as all from ops.request where (received_at at time zone 'UTC')::date = $1",
    [on],
  );
  await using app = await stage.open(nights.run());
  const of = { accountId: accountIdOf(stage.sandbox.token), from: on, before: addDays(on, 1) };
  expect(await readNightOutcomes(app.warehouse.db, of)).toEqual([
    { day: on, forecastCost: 0, charged: (day?.all ?? 0) - credits, others: credits },
  ]);
});
