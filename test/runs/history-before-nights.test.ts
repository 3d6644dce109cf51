import pg from "pg";
import { expect, test } from "vitest";
import { openIngest, startWork } from "../../src/open-ingest.ts";
import { createRunLimit } from "../../src/credits/run-limit.ts";
import { planDue } from "../../src/runs/scheduled-run.ts";
import { announceRuns } from "../../src/worker/announce-runs.ts";
import { until, type RunOptions } from "../support/ingest-stage.ts";
import { long } from "../support/long.ts";
import { openNights, type Nights } from "../support/nights.ts";
import { workUntilIdle } from "../support/work-until-idle.ts";

const floors = { snapshot: 0, daily: 0, lookback: 0, history: 0 };
const settings = {
  datasets: { app_rating: { on: true }, keyword_rank: { history_days: 120 } },
  credits: { floors },
};
const market = { apps: 2, countries: ["US"], keywordsPerApp: 3 };

/** Runs what is due in the queue of the workers, as a worker does between two runs of its crontab. */
async function runDue({ stage, run }: Nights, more: RunOptions = {}): Promise<void> {
  await using app = await stage.open(run(more));
  await using ingest = await openIngest(app, "worker", createRunLimit(null));
  const slices = startWork(app, ingest);
  const open = `select from ops.slice where state in ('pending', 'running') or state = 'deferred' and due_at <= $1`;
  await until(async () => (await stage.query(open, [new Date(app.clock.now()).toISOString()])).length === 0);
  ingest.halt();
  await slices.stop();
}

async function forecast({ stage, run }: Nights): Promise<void> {
  await using app = await stage.open(run());
  await announceRuns(app, new AbortController().signal);
}

test("history that wakes with the reset leaves the credits of the night that comes later in the period; a worker that finds no forecast makes one before it requests history", async () => {
  const accounts = [{ token: "a-token-of-few-credits", total: 145, periodHours: 24 }];
  await using nights = await openNights({ market, accounts }, { settings });
  const { stage } = nights;
  await workUntilIdle(stage, nights.run());
  await forecast(nights);
  for (let count = 0; count < (long ? 2 : 1); count += 1) {
    nights.next();
    stage.sandbox.clearLog();
    // the reset was two hours ago, and the night is at four
    await runDue(nights);
    const [next] = await stage.query<{ credits: number }>(
      "select planned_credits as credits from ops.credit_forecast where date_day = $1 and made_on = $1::date - 1",
      [nights.today()],
    );
    expect(next?.credits).toBeGreaterThan(0);
    expect(stage.requested().length).toBeGreaterThan(0);
    expect(stage.sandbox.account().remaining).toBeGreaterThanOrEqual(next?.credits ?? 0);
    expect(stage.sandbox.account().remaining).toBeLessThan((next?.credits ?? 0) + 30);
    await workUntilIdle(stage, nights.run());
    await forecast(nights);
  }
  expect(await stage.query("select from ops.slice where state = 'lost'")).toEqual([]);

  nights.next();
  const left = "select from ops.slice where class = 'history' and state in ('pending', 'deferred')";
  expect(await stage.query(left)).not.toEqual([]);
  await stage.query("delete from ops.credit_forecast");
  stage.sandbox.clearLog();
  const blocker = new pg.Client({ connectionString: stage.databaseUrl });
  await blocker.connect();
  try {
    const { rows } = await blocker.query<{ pid: number }>("select pg_backend_pid() as pid");
    await blocker.query("begin; lock table ops.credit_forecast in exclusive mode");
    const working = workUntilIdle(stage, nights.run());
    const blocked = "select from pg_stat_activity where pg_blocking_pids(pid) @> array[$1::integer]";
    await until(async () => (await stage.query(blocked, [rows[0]?.pid])).length > 0);
    expect(stage.requested()).toEqual([]);
    await blocker.query("rollback");
    await working;
  } finally {
    await blocker.end();
  }
  expect(stage.requested().length).toBeGreaterThan(0);
});

const pending = "select from ops.slice where class = 'history' and state = 'pending'";

/** Plans the ratings, as the hourly line of the crontab does, while the budget of ranks has this limit. */
async function planRatings({ stage, run }: Nights, credits_a_day: number): Promise<void> {
  const budgets = { ranks: { datasets: ["keyword_rank"], credits_a_day } };
  await using app = await stage.open(run({ settings: { ...settings, credits: { floors, budgets } } }));
  await using ingest = await openIngest(app, "worker", createRunLimit(null));
  await planDue(ingest.parts, app.config.settings, ["app_rating"]);
}

test("history leaves of a budget what the night of its day takes, and says so; only then is the budget used up", async () => {
  const budgets = { ranks: { datasets: ["keyword_rank"], credits_a_day: 20 } };
  await using nights = await openNights({ market }, { settings: { ...settings, credits: { floors, budgets } } });
  const { stage, clock } = nights;
  const spent = async () => {
    const [row] = await stage.query<{ credits: number }>(
      "select coalesce(sum(cost), 0)::int as credits from ops.request where dataset = 'keyword_rank' and received_at >= $1::date",
      [nights.today()],
    );
    return row?.credits ?? 0;
  };
  await workUntilIdle(stage, nights.run());
  await forecast(nights);
  nights.next();
  const [night] = await stage.query<{ credits: number }>(
    "select value::int as credits from ops.credit_forecast cross join jsonb_each(budget_credits) where date_day = $1",
    [nights.today()],
  );
  const credits = night?.credits ?? 0;
  expect(credits).toBeGreaterThan(0);
  expect(credits).toBeLessThan(20);
  // what waits since yesterday goes on at midnight, and the run of ranks is at four
  await runDue(nights);
  const beforeNight = await spent();
  expect(beforeNight).toBeGreaterThan(0);
  expect(beforeNight).toBeLessThanOrEqual(20 - credits);
  const waiting =
    "select distinct error_message as why, date_trunc('hour', due_at) as due from ops.slice where state = 'deferred'";
  expect(await stage.query(waiting)).toEqual([
    {
      why: expect.stringContaining(
        `has already used ${beforeNight} of 20 a day, and history leaves ${credits} of it to the nights of this day`,
      ),
      due: new Date(`${nights.today()}T05:00:00Z`),
    },
  ]);
  await planRatings(nights, 20);
  expect(await stage.query(pending)).toEqual([]);
  const refusals = "select from ops.credit_budget where refused_at is not null and starts_on = $1";
  expect(await stage.query(refusals, [nights.today()])).toEqual([]);

  await workUntilIdle(stage, nights.run());
  expect(await stage.query("select from ops.slice where class <> 'history' and state <> 'loaded'")).toEqual([]);
  await forecast(nights);
  // nothing is kept any more, and what is left pays for no more history
  await runDue(nights, { clock: { ...clock, now: () => clock.now() + 4 * 3_600_000 } });
  expect(await spent()).toBe(beforeNight + credits);
  const [after] = await stage.query<{ why: string }>(waiting);
  expect(after?.why).toMatch(
    new RegExp(
      `has already used ${beforeNight + credits} of 20 a day; it continues automatically at 2026-08-22 00:00 UTC`,
    ),
  );
  expect(await stage.query(refusals, [nights.today()])).toHaveLength(1);
  await planRatings(nights, 40);
  expect(await stage.query(pending)).not.toEqual([]);
});
