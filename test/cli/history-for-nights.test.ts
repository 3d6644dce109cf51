import { expect, test } from "vitest";
import { openWithPortfolio } from "../support/backfill-stage.ts";
import { runCommand } from "../support/command.ts";
import { forTests } from "../support/for-tests.ts";

const stage = forTests(() => openWithPortfolio({ market: { apps: 1, countries: ["US"], keywordsPerApp: 4 } }));

/** Ten nights until the reset that take as much each, of an allowance of 1,000 credits that is whole. */
async function forecast(credits: number): Promise<void> {
  await stage.query(
    "update ops.credit_account set total = 1000, remaining = 1000, held = 0, period_hours = 240, resets_at = now() + interval '10 days'",
  );
  await stage.query("delete from ops.credit_forecast");
  await stage.query(
    `insert into ops.credit_forecast (account_id, made_on, date_day, starts_at, planned_credits, waiting_credits, budget_credits, made_at)
     select a.account_id, (now() at time zone 'UTC')::date, (now() at time zone 'UTC')::date + n, now() + n * interval '1 day' - interval '1 hour', $1, 0, '{}', now()
     from   ops.credit_account as a, generate_series(1, 10) as n`,
    [credits],
  );
}

/** What a plan of history says about the time that it takes. */
async function priced(variables: Record<string, string> = {}): Promise<string> {
  const { stdout } = await runCommand(
    stage,
    ["backfill", "--dataset", "keyword_rank", "--from", "2026-09-01", "--dry-run"],
    { variables },
  );
  return stdout;
}

test("a backfill is done in the periods that its nights leave it, and says so if they leave none", async () => {
  await forecast(50);
  expect(await priced()).toMatch(
    /If only the coming nights spend credits besides \(history leaves them 500 until the reset\), this period's credits are enough/,
  );
  await forecast(94);
  expect(await priced()).toMatch(/\(history leaves them 940 until the reset\), it takes 2 allowance periods/);
  await forecast(100);
  expect(await priced()).toMatch(
    /Its history does not finish: the nights need what the allowance has above the floors, .* To let it run, raise the allowance or make nights cheaper/,
  );
});

test("what is held for calls in flight is not there for a backfill", async () => {
  await forecast(50);
  await stage.query("update ops.credit_account set held = 900");
  expect(await priced()).toMatch(/it takes 2 allowance periods/);
});

test("a plan that is priced without a token knows the allowance that the ledger has", async () => {
  await forecast(50);
  expect(await priced({ API_TOKEN: "" })).toMatch(/this period's credits are enough/);
});

test("a backfill that credits stop names the command that shows what they are kept for", async () => {
  const accounts = [{ token: "sandbox-token", total: 1000, remaining: 100, periodHours: 24 * 3650 }];
  await using short = await openWithPortfolio({ accounts, market: { apps: 1, countries: ["US"], keywordsPerApp: 4 } });
  const { code, stdout } = await runCommand(short, ["backfill", "--dataset", "keyword_rank", "--from", "2026-05-01"]);
  expect(code).toBe(3);
  expect(stdout).toMatch(
    /Stopped by credits: \d+ slices wait\..*`storehouse credits` shows what the credits that are left are kept for\./,
  );
});
