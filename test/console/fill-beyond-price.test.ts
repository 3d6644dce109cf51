import { expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { queueLeftOver } from "../../src/runs/orphans.ts";
import { planned, runPlanned } from "../support/backfill-stage.ts";
import { clientOf, openConsoleStage } from "../support/console-stage.ts";
import { today } from "../support/ingest-stage.ts";

test("cells that workers could not pay for from the price of a plan are priced again by a fill", async () => {
  await using console = await openConsoleStage();
  const { stage } = console;
  const days = { start: addDays(today, -12), end: addDays(today, -8) };
  const { planId } = await planned(stage, { bounds: days });
  await runPlanned(stage, planId, {
    settings: { credits: { floors: { snapshot: 0, daily: 0, lookback: 0, history: 1 } } },
  });
  await using app = await stage.open();
  await queueLeftOver({ ...app, db: app.warehouse.db, accountId: "any" }, app.config.settings);
  await stage.query("update ops.plan set taken_credits = credits");
  await stage.query("update ops.slice set state = 'deferred', error_code = 'plan_spent' where plan_id is not null");
  const client = clientOf(await console.start());
  const { text } = await client.get("/coverage?dataset=keyword_rank&days=14");
  const key = /data-key="([^"]+)"/.exec(text)?.[1]?.replaceAll("&quot;", '"') ?? "";
  const fields = {
    dataset: "keyword_rank",
    days: "14",
    first: key,
    last: key,
    from: days.start,
    until: days.end,
  };
  // its form, for the one day that the plan left out, has the token
  const selected = await client.get(`/coverage?${new URLSearchParams(fields).toString()}`);
  expect(selected.text).toContain(
    `Slices of plan ${planId} wait at a spent price, and this price does not include them`,
  );
  const asked = await client.post("/actions/fill", { ...fields, credit_limit: "1000" });
  expect([asked.status, asked.text]).toEqual([200, expect.stringContaining("5 slices, 5 requests")]);
});
