import { expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { checkTooDear } from "../../src/doctor/ledger-checks.ts";
import { today } from "../support/ingest-stage.ts";
import { openWithPortfolio } from "../support/backfill-stage.ts";
import { runCommand } from "../support/command.ts";

const budgets = { ranks: { datasets: ["keyword_rank"], credits_a_day: 2 } };
const settings = { datasets: { keyword_rank: { history_days: 2 } }, credits: { budgets } };
const too = "until a limit is raised: one call takes 3 credits, more than the whole budget ranks of 2 a day";
const next = "waiting does not help: raise credits.budgets.ranks or switch the dataset off";

test("a budget that never pays for a single call is named with the next step before a run, after it, and by the doctor", async () => {
  await using stage = await openWithPortfolio({ market: { apps: 1, countries: ["US"], keywordsPerApp: 4 } });
  const printed = async (...args: readonly string[]) => {
    const { stdout } = await runCommand(stage, args, { settings });
    return stdout.replaceAll(/\s+/g, " ");
  };
  const days = ["--dataset", "keyword_rank", "--from", addDays(today, -12), "--to", addDays(today, -11)];
  for (const words of [
    await printed("plan", "--dataset", "keyword_rank"),
    await printed("backfill", ...days, "--dry-run"),
  ]) {
    expect(words).toContain(`slices of keyword_rank wait ${too}; ${next}.`);
    expect(words).not.toContain("finishes at");
    expect(words).not.toContain("has 2 credits left");
  }
  const ran = await printed("sync", "--dataset", "keyword_rank", "--yes");
  expect(ran).toContain(`slices of keyword_rank wait ${too}; ${next}.`);
  expect(ran).not.toContain("It can continue at");
  await using app = await stage.open({ settings });
  expect(await checkTooDear(app.warehouse.db)).toMatchObject({
    state: "warn",
    found: expect.stringContaining(`${too}; ${next}`),
  });
});
