import pg from "pg";
import { expect, test } from "vitest";
import { openIngest, startWork } from "../../src/open-ingest.ts";
import { createRunLimit } from "../../src/credits/run-limit.ts";
import { announceRuns } from "../../src/worker/announce-runs.ts";
import { until } from "../support/ingest-stage.ts";
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
async function runDue({ stage, run }: Nights): Promise<void> {
  await using app = await stage.open(run());
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
