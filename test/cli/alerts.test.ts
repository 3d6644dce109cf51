import { writeFileSync } from "node:fs";
import path from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCommand } from "../support/command.ts";
import { freshDatabase } from "../support/database.ts";
import { temporaryFolder } from "../support/folder.ts";

let database: Awaited<ReturnType<typeof freshDatabase>>;
let client: pg.Client;

/** A title that changed yesterday, and what a worker has checked and sent. */
const changed = `
  insert into core.dim_app (store, track_id, app_name) values ('ios', '7', 'Theirs');
  insert into core.app_history (app_key, country_key, language_code, app_name, valid_from, valid_to, is_current, slice_id, fetched_at)
  select a.app_key, c.country_key, '', n.title, ops.today() - n.days, case when n.days = 9 then ops.today() - 1 end, n.days = 1, 1, now()
  from   core.dim_app as a, core.dim_country as c, (values ('Plan', 9), ('Plan it', 1)) as n (title, days) where c.country_code = 'US';
  insert into ops.run (kind, as_of, datasets, started_at) values ('sync', ops.today(), '{}', now());
  insert into ops.slice (dataset, operation, scope, window_start, window_end, as_of, fingerprint, class, state, planned_requests, planned_credits, run_id, created_at, ended_at)
  select 'app_history', 'o', '{"store":"ios","app":"7"}', ops.today() - 1, ops.today(), ops.today(), '', 'daily', 'loaded', 1, 5, run_id, now(), now() from ops.run;
  insert into ops.alert values ('title', 'd', ops.today(), '2026-08-08 06:00Z', 'alert_too_broad: too many rows');
  insert into ops.alert_fire (alert_name, digest, mart, subject, date_day, summary, detail, fired_at, due_at)
  values ('title', 'd', 'app_page_change', '', ops.today(), 'Theirs: a title', '{}', now(), now());`;

beforeAll(async () => {
  database = await freshDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(changed);
});
afterAll(async () => {
  await client.end();
  await database[Symbol.asyncDispose]();
});

/** What `storehouse alerts` prints of two alerts. */
async function alerts(...options: readonly string[]): Promise<string> {
  return alertsWith({}, ...options);
}

async function alertsWith(variables: NodeJS.ProcessEnv, ...options: readonly string[]): Promise<string> {
  const behind = { databaseUrl: database.url, sandbox: { url: "", token: "" } };
  const ended = await runCommand(behind, ["alerts", ...options], {
    settings: {
      alerts: { title: { kind: "page_changed", for: { apps: ["7"] } }, chart: { kind: "chart_entered" } },
    },
    variables: { TZ: "UTC", ...variables },
  });
  expect([ended.code, ended.stderr]).toEqual([0, expect.not.stringContaining("error")]);
  return ended.stdout;
}

test("alerts lists what is configured, its last check and its error, what fired, and the switch of a dataset that is off", async () => {
  const printed = await alerts();
  expect(printed).toMatch(/^title .*property is title; change source is page; track id 7 .*2026-08-08 06:00 .*1$/m);
  expect(printed).toContain("title could not be checked: alert_too_broad: too many rows.");
  expect(printed).toContain("chart never fires: set datasets.top_chart.on: true.");
  expect(printed).toMatch(/title +Theirs: a title/);
});

test("alerts test shows what would have fired, and writes nothing", async () => {
  const printed = await alerts("test");
  expect(printed).toMatch(
    /^title: 1 line of 1 day with answers\n- Theirs, US, title: change source page, old value Plan, new value Plan it, on /m,
  );
  expect(printed).toContain("chart: nothing of 0 days with answers: it never fires, set datasets.top_chart.on: true");
  const { rows } = await client.query(
    "select count(*)::int as fires, (select count(*)::int from ops.alert_day) as days from ops.alert_fire",
  );
  expect(rows).toEqual([{ fires: 1, days: 0 }]);
});

test("alerts test goes back from another day, and names it where the last 30 days have no answers", async () => {
  await client.query(
    "update ops.slice set window_start = '2026-01-01', window_end = '2026-01-02' where dataset = 'app_history'",
  );
  expect(await alerts("test")).toContain(
    "title: nothing of 0 days with answers: the newest answer is for 2026-01-01; --as-of 2026-01-02 shows the days up to it",
  );
  expect(await alerts("test", "--as-of", "2026-01-02")).toContain("title: nothing of 1 day with answers\n");
});

test("an alert on a dataset that is off by default is not switched off where the crontab names it", async () => {
  using folder = temporaryFolder();
  const crontab = path.join(folder.path, "crontab");
  writeFileSync(crontab, '0 4 * * * plan_due ?id=nightly {"datasets":["top_chart"]}\n');
  expect(await alertsWith({ STOREHOUSE_CRONTAB: crontab })).not.toContain("chart never fires");
  expect(await alertsWith({ STOREHOUSE_CRONTAB: crontab }, "test")).toContain(
    "chart: nothing of 0 days with answers: nothing is loaded yet",
  );
});
