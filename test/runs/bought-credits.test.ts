import { expect, test } from "vitest";
import { openIngest } from "../../src/open-ingest.ts";
import { createRunLimit } from "../../src/credits/run-limit.ts";
import { planDue } from "../../src/runs/scheduled-run.ts";
import { openStage, type RunOptions, type Stage } from "../support/ingest-stage.ts";
import { openNights } from "../support/nights.ts";
import { statesOf } from "../support/ingest-tables.ts";
import { charged } from "../support/ingest-witness.ts";
import { workUntilIdle } from "../support/work-until-idle.ts";

const settings = { api: { concurrency: 2 } } satisfies RunOptions["settings"];

/** Runs a worker until nothing can go on. Returns how many slices wait for credits. */
async function work(stage: Stage): Promise<number> {
  await workUntilIdle(stage, { settings });
  return (await statesOf(stage))["deferred"] ?? 0;
}

/** An hourly trigger that has nothing to plan. */
async function trigger(stage: Stage): Promise<void> {
  await using app = await stage.open({ settings });
  await using ingest = await openIngest(app, "worker", createRunLimit(null));
  await planDue(ingest.parts, app.config.settings, ["tracked_app"]);
}

test("credits that are bought before the reset are found by the next trigger, and wake as much as they pay for", async () => {
  const accounts = [{ token: "sandbox-token", total: 2_000, remaining: 170, periodHours: 24 * 3_650 }];
  await using stage = await openStage({ accounts, market: { countries: ["US"] } });
  const putOff = await work(stage);
  expect(putOff).toBeGreaterThan(4);
  const untouched = async () => stage.query("select slice_id, xmin::text from ops.slice order by 1");
  const before = await untouched();
  // the balance as it was pays for none of them: nothing is written
  await trigger(stage);
  expect(await untouched()).toEqual(before);

  const spent = charged(stage.requested());
  const left = stage.sandbox.account().remaining;
  stage.sandbox.spend(-12);
  await trigger(stage);
  const woken = (await statesOf(stage))["pending"] ?? 0;
  expect(woken).toBeGreaterThan(0);
  expect((await statesOf(stage))["deferred"]).toBe(putOff - woken);
  const [price] = await stage.query<{ credits: number }>(
    "select sum(planned_credits)::int as credits from ops.slice where state = 'pending'",
  );
  expect(price?.credits).toBeLessThanOrEqual(left + 12);
  expect(charged(stage.requested())).toBe(spent);

  stage.sandbox.spend(-2_000);
  expect(await work(stage)).toBe(0);
});

test("what others spend while nothing is requested here is known with the next scheduled run", async () => {
  const accounts = [{ token: "sandbox-token", total: 100_000, periodHours: 24 * 3_650 }];
  await using nights = await openNights({ accounts, market: { apps: 2, countries: ["US"], keywordsPerApp: 2 } });
  const { stage } = nights;
  await stage.sync(nights.run({ request: { datasets: ["tracked_app"] } }));
  const known = () => stage.query("select remaining from ops.credit_balance");
  stage.sandbox.spend(40_000);
  nights.next();
  await using app = await stage.open(nights.run());
  await using ingest = await openIngest(app, "worker", createRunLimit(null));
  await planDue(ingest.parts, app.config.settings, ["tracked_app"]);
  expect(await known()).toEqual([{ remaining: stage.sandbox.account().remaining }]);
});
