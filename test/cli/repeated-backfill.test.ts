import { expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { charged, openWithPortfolio } from "../support/backfill-stage.ts";
import { besideWorker } from "../support/beside-worker.ts";
import { runCommand } from "../support/command.ts";
import { gateAfter, today, until, type SettingsInput, type Stage } from "../support/ingest-stage.ts";
import { repeats } from "../support/ingest-witness.ts";
import { asAcme, openStages } from "../support/two-accounts.ts";

const small = { market: { apps: 1, countries: ["US"], keywordsPerApp: 4 } } as const;
const floors = { snapshot: 0, daily: 0, lookback: 0, history: 0 };
const ranks = { keyword_rank: { history_days: 2 } };
/** A budget of keyword ranks of so many credits a day. */
const budgetOf = (credits_a_day: number) => ({
  settings: { datasets: ranks, credits: { floors, budgets: { ranks: { datasets: ["keyword_rank"], credits_a_day } } } },
});
const noBudget = { settings: { datasets: ranks, credits: { floors } } };
const nothingToDo = "Nothing to do: everything requested that is available is loaded or under way.\n";
const days = ["--from", addDays(today, -12), "--to", addDays(today, -9)];
const command = ["backfill", "--as-of", today, "--dataset", "keyword_rank", ...days, "--yes"];

test.each([
  ["is used up", 4, /It can continue at /],
  ["never pays for a call", 2, /until a limit is raised/],
])(
  "a repeated backfill continues its plan: while a budget %s it ends with 3, and once that is raised it loads the rest",
  async (_, credits, words) => {
    await using stage = await openWithPortfolio(small);
    for (const time of ["first", "second"]) {
      const { code, stdout } = await runCommand(stage, command, budgetOf(credits));
      expect({ time, code }).toEqual({ time, code: 3 });
      expect(stdout).toMatch(words);
      expect(stdout).not.toContain("earlier run");
    }
    const spent = charged(stage);
    expect(await runCommand(stage, command, noBudget)).toMatchObject({ code: 0 });
    expect(charged(stage)).toBeGreaterThan(spent);
    expect(await stage.query("select plan_id from ops.plan")).toHaveLength(1);
    expect(await openSlices(stage)).toEqual([]);
    expect(await runCommand(stage, command, noBudget)).toMatchObject({
      code: 0,
      stdout: nothingToDo,
    });
  },
);

test("a repeated backfill ends with 3 while the allowance is used up", async () => {
  // no reset comes while the test runs
  const accounts = [{ token: "sandbox-token", total: 1_000, periodHours: 24 * 3_650 }];
  await using stage = await openWithPortfolio({ ...small, accounts });
  stage.sandbox.spend(stage.sandbox.account().remaining - 4);
  for (const time of ["first", "second"]) {
    const { code, stdout } = await runCommand(stage, command, noBudget);
    expect({ time, code }).toEqual({ time, code: 3 });
    expect(stdout).toContain("It can continue at ");
  }
});

/** The settings of a worker that requests no ranks of its own. */
const ofWorker = ({ settings }: { readonly settings: SettingsInput }) => ({
  settings: { ...settings, api: { concurrency: 1 }, datasets: { keyword_rank: { on: false } } },
});

test("a repeated backfill continues what waits with a living worker, and no call is paid for twice", async () => {
  await using stage = await openWithPortfolio(small);
  expect(await runCommand(stage, command, budgetOf(4))).toMatchObject({ code: 3 });
  const adopted =
    "select from ops.slice as s join ops.run as r using (run_id) where s.state = 'deferred' and r.worker_id is null";
  await besideWorker(stage, ofWorker(budgetOf(4)), async () => {
    await until(async () => (await stage.query(adopted)).length === 3);
    expect(await runCommand(stage, command, budgetOf(4))).toMatchObject({ code: 3 });
    expect(await runCommand(stage, command, noBudget)).toMatchObject({ code: 0 });
  });
  expect(await openSlices(stage)).toEqual([]);
  expect(repeats(stage.requested())).toEqual([]);
});

test("a repeated backfill leaves to a worker what the worker is fetching, and ends with 0", async () => {
  // after the balance check of the worker
  const gate = gateAfter(1);
  await using stage = await openWithPortfolio({ ...small, clock: gate.clock });
  expect(await runCommand(stage, command, budgetOf(4))).toMatchObject({ code: 3 });
  stage.sandbox.set({ latencyMs: gate.latencyMs });
  await besideWorker(stage, ofWorker(noBudget), async () => {
    await until(() => gate.held() > 0);
    expect(await runCommand(stage, command, noBudget)).toMatchObject({ code: 0, stdout: nothingToDo });
    gate.open();
    await until(async () => (await openSlices(stage)).length === 0);
  });
  expect(repeats(stage.requested())).toEqual([]);
});

test("a backfill of days that wait for another account says so", async () => {
  await using both = await openStages();
  const { first, acme } = both;
  const lists = { request: { datasets: ["tracked_keyword"] } } as const;
  await acme.sync({ ...asAcme(acme), ...lists });
  await first.sync(lists);
  const variables = { STOREHOUSE_ACCOUNT: "acme", API_TOKEN: "token-of-the-first", API_TOKEN_ACME: acme.sandbox.token };
  const ofAcme = { settings: { ...budgetOf(4).settings, accounts: { acme: {} } }, variables };
  const app = ["--app", acme.sandbox.market.apps[0]?.trackId ?? ""];
  for (const time of ["first", "second"]) {
    const { code } = await runCommand(acme, [...command, ...app], ofAcme);
    expect({ time, code }).toEqual({ time, code: 3 });
  }
  const others = /^Other accounts still have \d+ slices? of keyword_rank to fetch, which this account also uses: /m;
  const wanted = [...command, ...app, "--dry-run"];
  expect(await runCommand(first, wanted, noBudget)).toMatchObject({ code: 0, stdout: expect.stringMatching(others) });
  // other days
  const earlier = ["backfill", "--as-of", today, "--dataset", "keyword_rank", "--from", addDays(today, -30), "--to"];
  const { stdout } = await runCommand(first, [...earlier, addDays(today, -29), ...app, "--dry-run"], noBudget);
  expect(stdout).not.toMatch(others);
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
    stdout: expect.stringContaining(nothingToDo),
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

test("a backfill says before and after it loads its own days that others of its days wait, and ends with 3", async () => {
  await using stage = await openWithPortfolio(small);
  await runCommand(stage, command, budgetOf(2));
  const more = ["backfill", "--as-of", today, "--dataset", "keyword_rank", "--from", addDays(today, -20), "--yes"];
  const { code, stdout } = await runCommand(stage, more, noBudget);
  expect({ code, stdout }).toMatchObject({ code: 3, stdout: expect.stringContaining("slices loaded") });
  const waiting =
    /^\d+ slices of earlier runs wait: `storehouse backfill --plan 1` continues, and so does `storehouse worker`\.$/gm;
  expect(stdout.match(waiting)).toHaveLength(2);
});

test("a retry with a limit of credits leaves what an earlier retry left alone", async () => {
  await using stage = await openWithPortfolio(small);
  expect(await runCommand(stage, command, noBudget)).toMatchObject({ code: 0 });
  await failAll(stage);
  expect(await stage.retry(budgetOf(2))).toMatchObject({ outcome: "deferred" });
  const [first, ...others] = (await openSlices(stage)).map(({ slice_id }) => slice_id);
  await stage.query("update ops.slice set state = 'failed' where slice_id = $1", [first]);
  expect(others).not.toEqual([]);
  // more than all of them cost
  expect(await stage.retry({ ...noBudget, maxCredits: 100 })).toMatchObject({
    outcome: "loaded",
    progress: { total: 1 },
  });
  expect((await openSlices(stage)).map(({ slice_id }) => slice_id)).toEqual(others);
});

test("a repeated retry continues what an earlier one left, and says so with 3 while it waits", async () => {
  await using stage = await openWithPortfolio(small);
  expect(await runCommand(stage, command, noBudget)).toMatchObject({ code: 0 });
  await failAll(stage);
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

/** Fails the slices of keyword ranks so that only a person runs them again. */
async function failAll(stage: Stage): Promise<void> {
  await stage.query(
    "update ops.slice set state = 'failed', error_code = 'unknown_shape' where dataset = 'keyword_rank'",
  );
}

function openSlices(stage: Stage) {
  return stage.query<{ slice_id: string }>(
    "select slice_id::text from ops.slice where dataset = 'keyword_rank' and state not in ('loaded', 'empty') order by ops.slice.slice_id",
  );
}
