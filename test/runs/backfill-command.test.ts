import { quietProgram } from "../support/quiet-program.ts";
import { describe, expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { planInForeground } from "../../src/foreground.ts";
import {
  backfillCommand,
  charged,
  openWithPortfolio,
  planned,
  runPlanned,
  progressOf,
} from "../support/backfill-stage.ts";
import { startChild } from "../support/ingest-child.ts";
import { openStage, today, until, callText } from "../support/ingest-stage.ts";
import { factsOf } from "../support/ingest-tables.ts";
import { calmRun } from "../support/ingest-witness.ts";
import { long } from "../support/long.ts";
import { forTests } from "../support/for-tests.ts";

const ranks = ["--dataset", "keyword_rank"] as const;
/** Confirms from the first credit on. */
const confirmsAlways = {
  settings: { credits: { floors: { snapshot: 0, daily: 0, lookback: 0, history: 0 }, ask_above: 0 } },
};

/** Two countries of one app: enough for a plan of which a part is left. */
const small = { market: { apps: 1, keywordsPerApp: 4 } } as const;

describe("storehouse backfill", () => {
  const stage = forTests(() => openWithPortfolio(small));

  test.each([
    ["an unknown plan", ["--plan", "4711"], "unknown_plan"],
    ["no dataset", [], "--dataset is missing"],
    ["no plan to cancel", ["--cancel"], "--plan is missing"],
    ["days the wrong way round", [...ranks, "--from", "2026-08-10", "--to", "2026-08-01"], "--from is after --to"],
    ["a last day to come", [...ranks, "--to", "2027-01-01"], "in the future"],
    ["a country that is not in the portfolio", [...ranks, "--country", "FR"], "the portfolio has JP, US"],
  ])("refuses %s in one line, with 2", async (_, command, words) => {
    const { code, stdout, stderr } = await backfillCommand(stage, command);
    expect(code).toBe(2);
    expect(stderr).toContain(words);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(stdout).toBe("");
    expect(stage.requested()).toEqual([]);
  });

  test.each([
    ["a plan that is no number", ["--plan", "seven"], "not the number of a plan"],
    ["a plan and days", ["--plan", "1", "--from", "2026-08-01"], "cannot be used with"],
    ["a plan and a budget", ["--plan", "1", "--max-credits", "5"], "cannot be used with"],
    ["a day that is none", [...ranks, "--from", "2026-02-30"], "not a calendar day"],
    ["a day of the year 0", [...ranks, "--from", "0000-01-01"], "not a calendar day"],
    ["the last day of four digits", [...ranks, "--to", "9999-12-31"], "not a calendar day"],
    ["a day before all computers", [...ranks, "--from", "0001-01-01"], "not a day between 1970-01-01 and 2199-12-31"],
    ["a day in centuries", [...ranks, "--to", "9998-12-31"], "not a day between 1970-01-01 and 2199-12-31"],
    ["credits in words", [...ranks, "--max-credits", "many"], "not a number of credits"],
    ["another way to reprocess", [...ranks, "--reprocess", "some"], "Allowed choices are missing, failed, all"],
  ])("refuses %s before anything is opened", async (_, command, words) => {
    const printed: string[] = [];
    const program = await quietProgram("backfill", (text) => void printed.push(text));
    await expect(program.parseAsync(["backfill", ...command], { from: "user" })).rejects.toThrow(words);
    expect(printed[0]).toContain(words);
  });

  test("with --dry-run prints the plan with its number and spends nothing", async () => {
    const { code, stdout } = await backfillCommand(stage, [...ranks, "--dry-run", "--country", "us"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^Plan \d+, made .* as of 2026-08-20: storehouse backfill --dataset keyword_rank --country US$/m,
    );
    expect(stdout).toMatch(/keyword_rank +history/);
    expect(stdout).toMatch(/Run it with `storehouse backfill --plan \d+`\. Nothing was spent\./);
    expect(stage.requested()).toEqual([]);
  });

  test("names a dataset of which the portfolio has no cell, where nothing is missing", async () => {
    const { code, stdout } = await backfillCommand(stage, ["--dataset", "bid_change", "--dry-run"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^Nothing to do: .*\nThe portfolio has no such cell of bid_change: it is planned from search_ads_integration, .* `storehouse sync --dataset bid_change`/,
    );
    expect(stage.requested()).toEqual([]);
  });

  test("refuses an app of a dataset that does not distinguish apps, also while it has no cell", async () => {
    const [row] = await stage.query<{ app: string }>(
      "select scope ->> 'app' as app from ops.slice where dataset = 'tracked_keyword' limit 1",
    );
    const { code, stderr } = await backfillCommand(stage, ["--dataset", "bid_change", "--app", row?.app ?? ""]);
    expect(code).toBe(2);
    expect(stderr).toContain("--app cannot be used with bid_change, which does not distinguish apps");
  });

  test("with --json prints the plan whole", async () => {
    const { code, stdout } = await backfillCommand(stage, [...ranks, "--dry-run", "--json"]);
    const reported = JSON.parse(stdout) as { plan: { planId: string; credits: number; lines: unknown[] } };
    expect(code).toBe(0);
    expect(reported.plan.lines.length).toBeGreaterThan(0);
    expect(reported.plan.credits).toBe((await planned(stage)).credits);
  });
});

test("says that `storehouse sync` comes first while the portfolio is unknown", async () => {
  await using stage = await openStage();
  const { code, stderr } = await backfillCommand(stage, [...ranks]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^portfolio_empty: .*storehouse sync/);
  expect(stage.requested()).toEqual([]);
});

test("above the threshold requires --yes where no terminal can confirm, and names the plan that it would run", async () => {
  await using stage = await openWithPortfolio(small);
  const refused = await backfillCommand(stage, [...ranks], confirmsAlways);
  const [, planId = ""] = /--plan (\d+) --yes/.exec(refused.stderr) ?? [];
  expect(refused.code).toBe(2);
  expect(refused.stdout).toContain(`Plan ${planId}, made`);
  expect(stage.requested()).toEqual([]);
  const agreed = await backfillCommand(stage, ["--plan", planId, "--yes"], confirmsAlways);
  expect(agreed).toMatchObject({ code: 0, stdout: expect.stringContaining("slices loaded") });
  expect((await progressOf(stage, planId)).credits).toBe(charged(stage));
  const again = await backfillCommand(stage, ["--plan", planId], confirmsAlways);
  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining(`Plan ${planId} is done`) });
  expect((await progressOf(stage, planId)).credits).toBe(charged(stage));
});

test("cut by --max-credits says what was left out and ends with 3", async () => {
  await using stage = await openWithPortfolio(small);
  const { code, stdout, stderr } = await backfillCommand(stage, [...ranks, "--max-credits", "12"]);
  expect({ code, stderr }).toMatchObject({ code: 3 });
  expect(stdout).toMatch(/slices for [\d,]+ credits are left out: they exceed --max-credits 12/);
  expect(charged(stage)).toBeLessThanOrEqual(12);
  expect(await backfillCommand(stage, [...ranks, "--max-credits", "1"])).toMatchObject({
    code: 3,
    stdout: expect.stringContaining("Nothing fits within --max-credits"),
  });
});

test("shows of a plan that was begun what is left, at the price of today", async () => {
  await using stage = await openWithPortfolio(small);
  const made = await planned(stage);
  {
    await using app = await stage.open();
    const stop = new AbortController().signal;
    await planInForeground(app, { plan: made, maxCredits: 12, stop, progress: () => undefined });
  }
  const shown = async () => {
    const { code, stdout } = await backfillCommand(stage, ["--plan", made.planId, "--dry-run"]);
    expect(code).toBe(0);
    const [, slices, requests, credits] = /^total +([\d,]+) +([\d,]+) +([\d,]+)/m.exec(stdout) ?? [];
    return [slices, requests, credits].map((text) => Number(text?.replaceAll(",", "")));
  };
  const { open } = await progressOf(stage, made.planId);
  const [left] = await stage.query<{ requests: number; credits: number }>(
    "select sum(planned_requests)::int as requests, sum(planned_credits)::int as credits from ops.slice where state = 'deferred'",
  );
  expect(await shown()).toEqual([open, left?.requests, left?.credits]);
  expect(left?.credits).toBeLessThan(made.credits);
  await stage.query("update ops.credit_cost set learned = 40 where operation like '%.keyword-%'");
  await stage.query(
    "insert into ops.credit_cost select distinct operation, 3, 40, now() from ops.slice on conflict (operation) do nothing",
  );
  expect(await shown()).toEqual([open, left?.requests, (left?.requests ?? 0) * 40]);
});

test("reports what changed since, and the command that makes a new plan, with 2", async () => {
  await using stage = await openWithPortfolio(small);
  const made = await planned(stage, { bounds: { start: addDays(today, -3), end: today } });
  const part = await planned(stage, { countries: ["JP"], bounds: { start: addDays(today, -2), end: today } });
  await runPlanned(stage, part.planId);
  stage.sandbox.clearLog();
  const { code, stdout, stderr } = await backfillCommand(stage, ["--plan", made.planId, "--yes"]);
  expect({ code, stderr }).toEqual({ code: 2, stderr: "" });
  expect(stdout).toContain(`Plan ${made.planId} has changed: `);
  expect(stdout).toMatch(/other runs have planned \d+ slices of keyword_rank since, now loaded/);
  expect(stdout).toContain(
    "Make a new plan: storehouse backfill --dataset keyword_rank --from 2026-08-17 --to 2026-08-19 --dry-run",
  );
  expect(stage.requested()).toEqual([]);
});

test("killed while its slices are queued leaves nothing of them, and the plan can be run whole", async () => {
  await using stage = await openWithPortfolio(small);
  const made = await planned(stage);
  const { default: pg } = await import("pg");
  const blocker = new pg.Client({ connectionString: stage.databaseUrl });
  await blocker.connect();
  // the plan is noted as queued and its run is open by then
  await blocker.query(
    `select pg_advisory_lock(1);
     create function public.wait() returns trigger language plpgsql as $$ begin perform pg_advisory_xact_lock(1); return null; end $$;
     create trigger wait before insert on ops.slice for each statement execute function public.wait()`,
  );
  {
    await using child = startChild(stage, ["backfill", "--as-of", today, "--plan", made.planId]);
    await until(async () => {
      const waiting = await stage.query(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%insert into ops.slice%'",
      );
      return waiting.length > 0;
    });
    child.process.kill("SIGKILL");
    await child.ended;
  }
  await blocker.query("select pg_advisory_unlock(1)");
  await blocker.query("drop trigger wait on ops.slice");
  await blocker.end();
  await until(
    async () =>
      (
        await stage.query(
          "select from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())",
        )
      ).length === 0,
  );
  expect(await stage.query("select from ops.slice where plan_id = $1", [made.planId])).toEqual([]);
  expect(await backfillCommand(stage, ["--plan", made.planId])).toMatchObject({ code: 0, stderr: expect.any(String) });
  expect(charged(stage)).toBe(made.credits);
});

test.runIf(long)(
  "killed while it runs continues with the same plan; what was loaded is not requested again",
  async () => {
    await using stage = await openWithPortfolio({ ...small, latencyMs: 20 });
    const made = await planned(stage);
    {
      await using child = startChild(stage, ["backfill", "--as-of", today, "--plan", made.planId]);
      await until(() => stage.requested().length > 3);
      child.process.kill("SIGKILL");
      await child.ended;
    }
    const { code } = await backfillCommand(stage, ["--plan", made.planId]);
    const callTexts = stage.requested().map(callText);
    // what was on its way when it died may have been charged: the price holds, and the rest is left then
    expect([0, 3]).toContain(code);
    expect(charged(stage)).toBeLessThanOrEqual(made.credits + (callTexts.length - new Set(callTexts).size) * 10);
    expect(callTexts.length - new Set(callTexts).size).toBeLessThanOrEqual(4);
    if (code === 3) await stage.sync();
    expect(await factsOf(stage)).toEqual((await calmRun(small)).facts);
  },
);
