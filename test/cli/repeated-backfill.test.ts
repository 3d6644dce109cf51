import { expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { charged, openWithPortfolio } from "../support/backfill-stage.ts";
import { runCommand } from "../support/command.ts";
import { today, type Stage } from "../support/ingest-stage.ts";

const small = { market: { apps: 1, countries: ["US"], keywordsPerApp: 4 } } as const;
const floors = { snapshot: 0, daily: 0, lookback: 0, history: 0 };
const ranks = { keyword_rank: { history_days: 2 } };
/** A budget of keyword ranks of so many credits a day. */
const budgetOf = (credits_a_day: number) => ({
  settings: { datasets: ranks, credits: { floors, budgets: { ranks: { datasets: ["keyword_rank"], credits_a_day } } } },
});
const noBudget = { settings: { datasets: ranks, credits: { floors } } };
const days = ["--from", addDays(today, -12), "--to", addDays(today, -9)];
const command = ["backfill", "--as-of", today, "--dataset", "keyword_rank", ...days, "--yes"];

test.each([
  ["is used up", 4, /It can continue at /],
  ["never pays for a call", 2, /until a limit is raised/],
])(
  "a repeated backfill continues its plan: while a budget %s it ends with 3, and once that is raised it loads the rest",
  async (_, credits, until) => {
    await using stage = await openWithPortfolio(small);
    for (const time of ["first", "second"]) {
      const { code, stdout } = await runCommand(stage, command, budgetOf(credits));
      expect({ time, code }).toEqual({ time, code: 3 });
      expect(stdout).toMatch(until);
    }
    const spent = charged(stage);
    expect(await runCommand(stage, command, noBudget)).toMatchObject({ code: 0 });
    expect(charged(stage)).toBeGreaterThan(spent);
    expect(await stage.query("select plan_id from ops.plan")).toHaveLength(1);
    expect(await openSlices(stage)).toEqual([]);
    expect(await runCommand(stage, command, noBudget)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Nothing to do: everything requested that is available is loaded or under way."),
    });
  },
);

test("a repeated backfill ends with 3 while the allowance is used up", async () => {
  await using stage = await openWithPortfolio(small);
  stage.sandbox.spend(stage.sandbox.account().remaining - 4);
  for (const time of ["first", "second"]) {
    const { code, stdout } = await runCommand(stage, command, noBudget);
    expect({ time, code }).toEqual({ time, code: 3 });
    expect(stdout).toContain("It can continue at ");
  }
});

test("a backfill of days that wait in another plan names the plan, and ends with 3", async () => {
  await using stage = await openWithPortfolio(small);
  await runCommand(stage, command, budgetOf(2));
  const part = ["backfill", "--as-of", today, "--dataset", "keyword_rank", ...days.slice(0, 3), addDays(today, -11)];
  const { code, stdout } = await runCommand(stage, [...part, "--yes"], noBudget);
  expect(code).toBe(3);
  expect(stdout).toMatch(
    /^Nothing new to request\. \d+ slices? of (an earlier run waits|earlier runs wait): `storehouse backfill --plan 1` continues/,
  );
  expect(await runCommand(stage, [...part, "--dry-run"], noBudget)).toMatchObject({ code: 0, stdout });
  const other = ["backfill", "--as-of", today, "--dataset", "keyword_rank", "--from", today, "--yes"];
  expect(await runCommand(stage, other, noBudget)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("Nothing to do: "),
  });
});

test("a repeated backfill that finishes its plan ends with 3 while others of its days wait", async () => {
  await using stage = await openWithPortfolio(small);
  await runCommand(stage, command, budgetOf(2));
  const more = ["backfill", "--as-of", today, "--dataset", "keyword_rank", "--from", addDays(today, -15)];
  const both = [...more, "--to", addDays(today, -9), "--yes"];
  expect(await runCommand(stage, both, budgetOf(2))).toMatchObject({ code: 3 });
  const { code, stdout, stderr } = await runCommand(stage, [...both, "--json"], noBudget);
  expect(stderr).toContain("Plan 2 of the same request is not done: it continues.");
  expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 3, outcome: "loaded", waiting: { plans: ["1"] } });
});

test("a backfill that loads its own days says that others of its days wait, and ends with 3", async () => {
  await using stage = await openWithPortfolio(small);
  await runCommand(stage, command, budgetOf(2));
  const more = ["backfill", "--as-of", today, "--dataset", "keyword_rank", "--from", addDays(today, -20), "--yes"];
  const { code, stdout } = await runCommand(stage, more, noBudget);
  expect({ code, stdout }).toMatchObject({ code: 3, stdout: expect.stringContaining("slices loaded") });
  expect(stdout).toMatch(/^\d+ slices? of .* waits?: `storehouse backfill --plan 1` continues, .*$/m);
});

test("a repeated retry continues what an earlier one left, and says so with 3 while it waits", async () => {
  await using stage = await openWithPortfolio(small);
  expect(await runCommand(stage, command, noBudget)).toMatchObject({ code: 0 });
  await stage.query(
    "update ops.slice set state = 'failed', error_code = 'unknown_shape' where dataset = 'keyword_rank'",
  );
  const [newest] = await stage.query<{ slice: string }>(
    "select max(slice_id)::text as slice from ops.slice where dataset = 'keyword_rank'",
  );
  const slice = newest?.slice ?? "";
  for (const time of ["first", "second"]) {
    const { code, stdout } = await runCommand(stage, ["retry"], budgetOf(2));
    expect({ time, code }).toEqual({ time, code: 3 });
    expect(stdout).toContain("until a limit is raised");
  }
  const waits =
    /^Nothing to retry, but \d+ slices? (is|are) waiting since an earlier retry: `storehouse retry` continues\.$/m;
  const named = await runCommand(stage, ["retry", "--slice", slice], noBudget);
  expect(named).toMatchObject({ code: 3, stdout: expect.stringMatching(waits) });
  const shown = await runCommand(stage, ["retry", "--dry-run", "--slice", slice], noBudget);
  expect(shown).toMatchObject({ code: 0, stdout: expect.stringMatching(waits) });
  expect((await runCommand(stage, ["retry", "--dry-run"], noBudget)).stdout).toMatch(
    /^keyword_rank +waiting +budget_too_small +\d+ +\d+$[^]*\d+ slices?, \d+ credits?\. Nothing was spent; `storehouse retry`/m,
  );
  expect(await runCommand(stage, ["retry"], noBudget)).toMatchObject({ code: 0 });
  expect(await openSlices(stage)).toEqual([]);
  expect(await runCommand(stage, ["retry"], noBudget)).toMatchObject({
    code: 0,
    stdout: "Nothing to retry; no credits spent.\n",
  });
});

function openSlices(stage: Stage) {
  return stage.query<{ slice_id: string }>(
    "select slice_id::text from ops.slice where dataset = 'keyword_rank' and state not in ('loaded', 'empty') order by ops.slice.slice_id",
  );
}
