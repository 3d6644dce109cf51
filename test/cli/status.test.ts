import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Settings } from "../../src/config/settings.ts";
import { systemClock } from "../../src/core/clock.ts";
import { statusFacts } from "../../src/cli/status-facts.ts";
import { readNeverRequestedWithin } from "../../src/planner/earlier-gaps.ts";
import { openWarehouse } from "../../src/postgres/database.ts";
import { runCommand } from "../support/command.ts";
import { freshDatabase } from "../support/database.ts";

let database: Awaited<ReturnType<typeof freshDatabase>>;
let client: pg.Client;

/** A dataset that was loaded long ago and is again since yesterday: a sync reaches a month back. */
const history = `
  insert into ops.run (kind, as_of, datasets, started_at) values ('sync', current_date, '{}', now());
  insert into ops.slice (dataset, operation, scope, window_start, window_end, as_of, fingerprint, class, state, planned_requests, planned_credits, run_id, created_at, ended_at)
  select 'keyword_rank', 'any', '{"store": "ios", "app": "1", "country": "JP"}', current_date - i, current_date - i + 1, current_date, '', 'daily', 'loaded', 1, 3, 1, now(), now()
  from   unnest(array[200, 1]) as i`;

beforeAll(async () => {
  database = await freshDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(history);
});
afterAll(async () => {
  await client.end();
  await database[Symbol.asyncDispose]();
});

test("status names days that no sync reaches any more, and the command that goes on from there", async () => {
  const behind = { databaseUrl: database.url, sandbox: { url: "", token: "" } };
  const status = (...more: string[]) => runCommand(behind, ["status", ...more]);
  const { stdout } = await status();
  expect(stdout).toMatch(
    /^Not complete yet: .*days of keyword_rank between [-\d]+ and [-\d]+, which no sync requests any more\.$/m,
  );
  expect(stdout).toMatch(
    /^not requested {2}days of keyword_rank between \d{4}-\d\d-\d\d and \d{4}-\d\d-\d\d, which no sync requests any more; `storehouse gaps` names the backfill/m,
  );
  // which a sync would not fetch
  expect(stdout).not.toContain("storehouse sync");
  expect(JSON.parse((await status("--json")).stdout)).toMatchObject({
    lockWait: null,
    unrequested: [{ dataset: "keyword_rank", partitions: 1, all: 1 }],
  });
});

test("status names the sync that requests what waits where no worker runs", async () => {
  await using waiting = await freshDatabase();
  const db = new pg.Client({ connectionString: waiting.url });
  await db.connect();
  await db.query(history.replaceAll("array[200, 1]", "array[1]"));
  const status = async () =>
    (await runCommand({ databaseUrl: waiting.url, sandbox: { url: "", token: "" } }, ["status"])).stdout;
  const hint = "`storehouse plan` shows what a sync would take, `storehouse sync` fetches it.";
  expect(await status()).not.toContain(hint);
  await db.query("update ops.slice set state = 'pending', ended_at = null");
  await db.end();
  expect(await status()).toContain(hint);
});

test("where reading such days takes long, status says so and waits no longer", async () => {
  await using warehouse = await openWarehouse(database.url, 1);
  await client.query("begin");
  await client.query("lock table ops.slice in access exclusive mode");
  const today = systemClock().today();
  const unrequested = await readNeverRequestedWithin(warehouse.db, { settings: Settings.parse({}), today, ms: 50 });
  await client.query("rollback");
  expect(unrequested).toBeNull();
  expect(factsWith({ unrequested })["not requested"]).toMatch(
    /^not checked here, because it takes long; `storehouse gaps` /,
  );
});

test("status says who holds what a process waits for, and how that ends", () => {
  const lockWait = { table: "core.fact_review", wait_ms: 9_200, held_by: 77, role: "alice", program: "a report" };
  expect(factsWith({ lockWait })["lock"]).toBe(
    "a process has waited for 9 s for core.fact_review, locked by session 77 of alice (a report); wait until it ends, or end it as its role or a superuser: `select pg_terminate_backend(77)`",
  );
  expect(factsWith({})["lock"]).toBeNull();
});

test("status names the account of the last run if it is another one", () => {
  const lastRun = {
    account: "acme",
    runId: "7",
    kind: "sync",
    startedAt: new Date(0),
    endedAt: null,
    outcome: null,
    error: null,
    plannedSlices: 1,
    plannedCredits: 2,
    bookedCredits: 3,
  };
  const text = (own: string) => factsWith({ own, lastRun })["last run"];
  expect(text("acme")).toMatch(/^sync 7 at /);
  expect(text("")).toMatch(/^Of account acme: sync 7 at /);
  const aborted = { ...lastRun, account: "", outcome: "aborted", error: "forbidden: no access" };
  expect(factsWith({ lastRun: aborted })["last run"]).toMatch(/: aborted; 1 slice, .*\nforbidden: no access$/);
});

/** The facts of a warehouse in which nothing else is to say. */
function factsWith(more: Partial<Parameters<typeof statusFacts>[0]>): Record<string, string | null> {
  const workers = { running: 0, late: 0, waiting: 0, beatAt: null, ageSeconds: null, lastEndedAs: null };
  const none = { now: 0, own: "", account: null, budgets: [], nextRuns: [], workers, incidents: [], lastRun: null };
  return Object.fromEntries(
    statusFacts({ ...none, lockWait: null, unrequested: [], notAgreed: null, outdatedWorkers: [], ...more }),
  );
}
