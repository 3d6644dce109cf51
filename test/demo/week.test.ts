import { expect, test } from "vitest";
import { continueAllowance, nightClock, runNights, startWorker } from "../../src/demo/week.ts";
import { addDays } from "../../src/core/day.ts";
import { syncInForeground } from "../../src/foreground.ts";
import { openStage, until } from "../support/ingest-stage.ts";

test("a week of nights leaves a failed window to a person and to no later try, and a worker that goes on from there", async () => {
  const clock = nightClock();
  const today = clock.today();
  const market = { apps: 1, countries: ["US"], keywordsPerApp: 2, organicKeywords: 2 };
  const accounts = [{ token: "sandbox-token", total: 30_000, periodHours: 30 * 24 }];
  await using stage = await openStage({ today, clock, market, accounts });
  await using app = await stage.open({ clock, request: { today } });
  const stop = new AbortController().signal;
  const run = async () => {
    const request = { datasets: [], bounds: {}, today: clock.today() };
    await syncInForeground(app, { request, maxCredits: null, stop, progress: () => undefined });
  };
  await runNights(app, { sandbox: stage.sandbox, clock, run });
  const nights = await stage.query("select started_at::date::text as day from ops.run order by run_id");
  expect(nights.map(({ day }) => day)).toEqual([-6, -5, -4, -3, -2, -1, 0].map((away) => addDays(today, away)));
  expect(await stage.query("select error_code, window_start::text as day, next_try_at from ops.failed_slice")).toEqual([
    { error_code: "unknown_shape", day: addDays(today, -2), next_try_at: null },
  ]);
  // what was loaded before is not loaded again
  await runNights(app, { sandbox: stage.sandbox, clock, run });
  expect(await stage.query("select from ops.run")).toHaveLength(8);
  // another sandbox over the same warehouse goes on with what is left
  await using again = await openStage({ today, clock, market, accounts, database: stage.databaseUrl });
  await continueAllowance(app, again.sandbox);
  const left = stage.sandbox.account().remaining;
  expect([left < 30_000, again.sandbox.account().remaining]).toEqual([true, left]);
  await using _ = await startWorker(app);
  const count = async (what: string) => (await stage.query(`select from ${what}`)).length;
  await until(async () => (await count("ops.next_run")) > 0 && (await count("ops.incident_log where is_open")) > 0);
  expect(await stage.retry({ clock, request: { today } })).toMatchObject({ outcome: "loaded" });
});
