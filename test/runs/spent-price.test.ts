import { expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { queueLeftOver } from "../../src/runs/orphans.ts";
import {
  backfillCommand,
  charged,
  openWithPortfolio,
  planned,
  progressOf,
  runPlanned,
} from "../support/backfill-stage.ts";
import { landLast } from "../support/landed-slice.ts";
import { gateAfter, today, until } from "../support/ingest-stage.ts";
import { long } from "../support/long.ts";

/** Days that no sync requests, of a dataset that is off. */
const request = ["--dataset", "keyword_rank", "--from", addDays(today, -12), "--to", addDays(today, -9)];
const off = { settings: { datasets: { keyword_rank: { on: false } } } } as const;

/** What a command printed, with each run of white space as one space. */
const words = ({ stdout }: { readonly stdout: string }) => stdout.replaceAll(/\s+/g, " ");

const small = { market: { apps: 1, keywordsPerApp: 4 } } as const;

// what workers look for is in the tests below every day
test.each(
  (
    [
      ["no worker runs", false],
      ["a worker has looked for what is left over", true],
    ] as const
  ).filter(([, isWorked]) => long || !isWorked),
)("what the price of a plan did not pay for is loaded by the command that it names, where %s", async (_, isWorked) => {
  await using stage = await openWithPortfolio(small);
  stage.sandbox.set({ faults: [{ operation: "ios.keyword-ranking", times: 2, kind: "half" }] });
  const first = await backfillCommand(stage, request, off);
  const [, planId = ""] = /^Plan (\d+), made/.exec(first.stdout) ?? [];
  const command = `storehouse backfill ${request.join(" ")}`;
  const spent = charged(stage);
  expect(first.code).toBe(3);
  expect(words(first)).toContain(
    `The price of plan ${planId} is spent, because some calls were charged more than once, or had a higher price or more pages than planned. 2 slices were cancelled: ${command} plans what is missing, at a new price.`,
  );
  if (isWorked) {
    await using app = await stage.open(off);
    await queueLeftOver({ ...app, db: app.warehouse.db, accountId: "any" }, app.config.settings);
  }
  expect(await stage.sync(off)).toMatchObject({ outcome: "loaded", progress: { total: 0 } });
  const shown = await backfillCommand(stage, ["--plan", planId], off);
  expect(shown.code).toBe(3);
  expect(words(shown)).toContain(`2 more were cancelled`);
  expect(words(shown)).toContain(`${command} plans what is missing.`);
  expect(charged(stage)).toBe(spent);
  expect(await backfillCommand(stage, request, off)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("2 of 2 slices loaded, 6 credits spent."),
  });
  expect(await progressOf(stage, planId)).toMatchObject({ total: 6, open: 0, failed: 0 });
  expect(await backfillCommand(stage, request, off)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("Nothing to do"),
  });
  const whole = await backfillCommand(stage, ["--plan", planId], off);
  expect(whole.code).toBe(0);
  expect(words(whole)).toContain(
    "2 more were cancelled, because the plan was stopped or its price was spent: what they would have fetched has been requested since.",
  );
});

/** Few in flight, so that most of the plan is left. */
const slow = { settings: { api: { concurrency: 2 } } } as const;

/** A plan of which a run was stopped after a few calls. */
async function openStopped() {
  const gate = gateAfter(4);
  const stage = await openWithPortfolio({ ...small, clock: gate.clock, latencyMs: gate.latencyMs });
  const plan = await planned(stage);
  const stop = new AbortController();
  const first = runPlanned(stage, plan.planId, { ...slow, stop: stop.signal });
  await until(() => gate.held() > 0);
  stop.abort();
  gate.open();
  expect(await first).toMatchObject({ outcome: "interrupted" });
  return { stage, ...plan };
}

test("a plan of which another process has cancelled a part is not reported as loaded whole", async () => {
  const { planId, slices, stage: opened } = await openStopped();
  await using stage = opened;
  // one more than planned: another slice was split in two
  await stage.query(
    `with cancelled as (
       delete from ops.slice
       where  slice_id = (select max(slice_id) from ops.slice where state = 'pending' and plan_id = $1) returning plan_id)
     update ops.plan as p set slices = p.slices - 1, cancelled_slice_count = 1 from cancelled as c where p.plan_id = c.plan_id`,
    [planId],
  );
  const rest = await backfillCommand(stage, ["--plan", planId]);
  expect(await progressOf(stage, planId)).toMatchObject({ total: slices - 1, open: 0, cancelled: 1 });
  expect(words(rest)).toContain(
    "1 more was cancelled, because the plan was stopped or its price was spent: storehouse backfill --dataset keyword_rank plans what is missing.",
  );
  expect(rest.code).toBe(3);
});

test("what waits for a worker at a spent price is cancelled by the plan's own command, and planned again", async () => {
  const { planId, stage: opened } = await openStopped();
  await using stage = opened;
  await using app = await stage.open();
  await queueLeftOver({ ...app, db: app.warehouse.db, accountId: "any" }, app.config.settings);
  await stage.query("update ops.plan set taken_credits = credits where plan_id = $1", [planId]);
  const { open } = await progressOf(stage, planId);
  const rest = await backfillCommand(stage, ["--plan", planId]);
  expect(rest.code).toBe(3);
  expect(words(rest)).toContain(`${open} slices were cancelled: storehouse backfill --dataset`);
  expect(words(rest)).not.toContain("continues");
  const again = await backfillCommand(stage, ["--dataset", "keyword_rank"]);
  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining(`${open} of ${open} slices loaded`) });
});

test("what workers could not pay for from the price of a plan is loaded by the same backfill, at a new price", async () => {
  const { planId, slices, stage: opened } = await openStopped();
  await using stage = opened;
  await using app = await stage.open();
  await queueLeftOver({ ...app, db: app.warehouse.db, accountId: "any" }, app.config.settings);
  await stage.query("update ops.plan set taken_credits = credits where plan_id = $1", [planId]);
  await stage.query(
    "update ops.slice set state = 'deferred', error_code = 'plan_spent' where plan_id = $1 and state = 'pending'",
    [planId],
  );
  // the first of two pages
  await landLast(stage, planId);
  await stage.query(
    "update ops.slice set planned_requests = 2 where slice_id in (select slice_id from raw.answer) and state = 'deferred'",
  );
  const { total, open } = await progressOf(stage, planId);
  expect({ total, isLeft: open > 2 }).toEqual({ total: slices, isLeft: true });
  const shown = await backfillCommand(stage, ["--dataset", "keyword_rank", "--dry-run"]);
  expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining("Nothing was spent.") });
  expect(words(shown)).toContain(
    `Prices of earlier plans are spent. ${open - 1} slices of earlier plans are cancelled, and missing again. 1 slice of earlier plans with stored pages is failed now: \`storehouse retry\` fetches pages that are missing or could not be read. A new plan includes those of its datasets and days.`,
  );
  const again = await backfillCommand(stage, ["--dataset", "keyword_rank"]);
  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining(`${open - 1} of ${open - 1} slices loaded`) });
});

test("what a person pays for a retry does not count as spent from the price of the plan", async () => {
  await using stage = await openWithPortfolio(small);
  const plan = await planned(stage);
  stage.sandbox.set({
    faults: [{ operation: "ios.keyword-ranking", times: 1, kind: "status", status: 200, body: "[[]]", charge: true }],
  });
  expect(await runPlanned(stage, plan.planId)).toMatchObject({ outcome: "failed", progress: { failed: 1 } });
  const before = await progressOf(stage, plan.planId);
  const spent = charged(stage);
  expect(before.credits).toBe(spent);
  expect(await stage.retry()).toMatchObject({ outcome: "loaded" });
  expect(charged(stage)).toBeGreaterThan(spent);
  expect(await progressOf(stage, plan.planId)).toMatchObject({ failed: 0, credits: spent });
});
