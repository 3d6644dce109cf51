import { expect, test } from "vitest";
import { priceSpentWords } from "../../src/cli/backfill-report.ts";
import { readPartitionGroups } from "../../src/planner/gaps.ts";
import { addDays } from "../../src/core/day.ts";
import { backfillCommand, openWithPortfolio, planned, runPlanned } from "../support/backfill-stage.ts";
import { today } from "../support/ingest-stage.ts";

test("a plan of one slice that is one day old reads as one, when it is shown, when it has changed and when it is done", async () => {
  await using stage = await openWithPortfolio({ market: { apps: 1, countries: ["US"], keywordsPerApp: 4 } });
  const on = addDays(today, -1);
  const days = { start: addDays(today, -3), end: addDays(today, -2) };
  const made = await planned(stage, { on, bounds: days });
  expect(made.slices).toBe(1);
  const shown = await backfillCommand(stage, ["--plan", made.planId, "--dry-run"]);
  expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining("The plan is 1 day old and keeps") });

  const same = await planned(stage, { on, bounds: days });
  await runPlanned(stage, same.planId);
  const changed = await backfillCommand(stage, ["--plan", made.planId, "--yes"]);
  expect(changed.stdout).toMatch(/has changed: 1 slice for \d+ credits? then/);
  expect(changed.stdout).toContain("- other runs have planned 1 slice of keyword_rank since, now loaded");
  expect(changed.stdout).toContain(`- 1 day has passed since ${on};`);
  const done = await backfillCommand(stage, ["--plan", same.planId]);
  expect(done.stdout).toContain("is done: 1 of 1 slice loaded, ");
});

test("the one slice that a limit leaves out reads as one", async () => {
  await using stage = await openWithPortfolio({ market: { apps: 1, countries: ["US"], keywordsPerApp: 4 } });
  const days = ["--dataset", "keyword_rank", "--from", addDays(today, -3), "--to", addDays(today, -3)];
  const none = await backfillCommand(stage, [...days, "--max-credits", "1", "--dry-run"]);
  expect(none.stdout).toMatch(/: 1 slice for \d+ credits? is left out\./);
});

test("of a plan of partitions that were chosen in the console, no command is named that covers other partitions", async () => {
  await using stage = await openWithPortfolio({ market: { apps: 2, countries: ["US"], keywordsPerApp: 4 } });
  await using app = await stage.open();
  const request = { datasets: ["keyword_rank"], bounds: {}, today };
  const groups = (await readPartitionGroups(app.warehouse.db, { request, settings: app.config.settings })).slice(0, 1);
  const on = addDays(today, -1);
  const days = { start: addDays(today, -3), end: addDays(today, -2) };
  const made = await planned(stage, { on, bounds: days, groups });
  const shown = await backfillCommand(stage, ["--plan", made.planId, "--dry-run"]);
  expect(shown.stdout).toContain(
    `as of ${on}: 1 partition of keyword_rank, chosen in the console, from ${days.start} to ${days.start}\n`,
  );
  const progress = { own: made.slices, cut: 0, cancelled: 1, open: 0 };
  const spent = priceSpentWords(made, progress, { failed: 0, isMissing: true });
  expect(spent).toContain("cancelled: the console's page Coverage plans what is missing of its partitions");
  const same = await planned(stage, { on, bounds: days, groups });
  await runPlanned(stage, same.planId);
  const changed = await backfillCommand(stage, ["--plan", made.planId, "--yes"]);
  expect(changed.stdout).toContain("Make a new plan: choose its partitions again on the console's page Coverage\n");
  for (const text of [shown.stdout, spent, changed.stdout])
    expect(text).not.toContain("storehouse backfill --dataset keyword_rank");
});

test("a price that only added requests exceed says so", async () => {
  await using stage = await openWithPortfolio({ market: { apps: 1, countries: ["US"], keywordsPerApp: 4 } });
  const plan = await planned(stage, { bounds: { start: addDays(today, -3), end: addDays(today, -2) } });
  const spentBy = (progress: { readonly own: number; readonly cut: number }) =>
    priceSpentWords(plan, { cancelled: 1, open: 0, ...progress }, { failed: 0, isMissing: true });
  const added = "requests were added for days that the service had no data for yet";
  expect(spentBy({ own: plan.slices, cut: 1 })).toContain(`is spent, because ${added}, which it does not include.`);
  expect(spentBy({ own: plan.slices - 1, cut: 1 })).toMatch(new RegExp(`charged more than once.*, or ${added}\\.`));
  expect(spentBy({ own: plan.slices, cut: 0 })).not.toContain(added);
});
