import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { textWidth } from "../../src/core/text-width.ts";
import { runCommand } from "../support/command.ts";
import { freshDatabase } from "../support/database.ts";

let database: Awaited<ReturnType<typeof freshDatabase>>;
/** Holds the lock of the worker, as its process would. */
let client: pg.Client;

/** A night after which there is something to say: a worker, an incident, slices of each fate, and triggers that found nothing. */
const night = `
  insert into ops.worker (kind, host, pid, started_at, heartbeat_at) values ('worker', 'any', 1, now() - interval '1 day', now());
  insert into ops.run (kind, as_of, datasets, started_at, ended_at, outcome)
  select 'schedule', '2026-11-22', '{}', timestamptz '2026-11-21 18:00Z' + i * interval '1 hour', timestamptz '2026-11-21 18:00Z' + i * interval '1 hour', 'planned'
  from   generate_series(1, 5) as i;
  update ops.run set planned_slices = 4 where run_id = 1;
  insert into core.dim_app (store, track_id, app_name) values ('ios', '1587204933', 'もふタスク - やることリスト、習慣トラッカー、家計簿');
  insert into ops.slice (dataset, operation, scope, window_start, window_end, as_of, fingerprint, class, state, planned_requests, planned_credits,
                         run_id, attempt, error_code, error_message, due_at, created_at, ended_at)
  select 'keyword_impression_share', 'any', '{"store": "ios", "app": "1587204933", "country": "JP"}', date '2026-11-01' + i, date '2026-11-10' + i,
         '2026-11-22', '', 'daily', (array['loaded', 'failed', 'failed', 'deferred'])[i], 1, 3, 1, 4,
         (array[null, 'server_error', 'unknown_shape', 'credits_exhausted'])[i], (array[null, 'server_error: the API failed (status=500); it is requested again by a worker, or by a later sync',
         'unknown_shape: the answer has none of the documented forms; report it', 'credits_exhausted: no credits are left'])[i],
         (array[null, timestamptz '2126-11-22 02:30Z', null, timestamptz '2126-11-23 00:00Z'])[i], now(), timestamptz '2026-11-21 18:05:12.345Z'
  from   generate_series(1, 4) as i;
  insert into ops.next_run values ('hourly', '{tracked_app}', timestamptz '2126-11-21 20:15Z', 0, 0, 0, now()), ('nightly', '{}', timestamptz '2126-11-22 04:00Z', 30, 35, 1234, now());
  insert into ops.incident (kind, subject, account_id, summary, detail, opened_at, last_seen_at)
  values ('dataset_stale', 'retention', '', 'retention is late: its newest day is 2026-11-18, since the API has not answered; \`storehouse gaps\` shows what is missing', '{}', now() - interval '3 hours', now());`;

beforeAll(async () => {
  database = await freshDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(night);
  await client.query("select pg_advisory_lock(x'53544f52'::integer, 1)");
});
afterAll(async () => {
  await client.end();
  await database[Symbol.asyncDispose]();
});

/** What a reader in Tokyo is shown in so many columns. */
async function shown(command: readonly string[], columns = "80", stderr = ""): Promise<string> {
  const behind = { databaseUrl: database.url, sandbox: { url: "", token: "" } };
  const variables = { TZ: "Asia/Tokyo", COLUMNS: columns };
  const ended = await runCommand(behind, command, { variables });
  expect(ended).toMatchObject({ code: 0, stderr });
  return ended.stdout;
}

const widest = (text: string) => Math.max(...text.split("\n").map(textWidth));

test("status begins with the verdict, then says what a morning needs: credits, next run, workers, incidents", async () => {
  const page = await shown(["status"], "");
  expect(page.split("\n").slice(0, 2)).toEqual([
    "Needs attention: 1 incident is open; 1 slice failed and is not requested again automatically; 1 failed slice is requested again by a worker, or by a sync after 2126-11-22 02:30 UTC; 1 slice waits for credits.",
    "",
  ]);
  expect(page).toMatch(/^credits {4}not reported yet; /m);
  expect(page).toMatch(/^next run {3}hourly at 2126-11-22 05:15 GMT\+9, in \d+ days: nothing is due then$/m);
  expect(page).toMatch(/^ {11}nightly at 2126-11-22 13:00 GMT\+9, in \d+ days: about 1,234 credits for 30 slices$/m);
  expect(page).toMatch(/^workers {4}1 running, latest heartbeat \d+ s ago$/m);
  expect(page).toMatch(/^incidents {2}retention is late: .* \(open for 3 h\)$/m);
  expect(page).toMatch(
    /^last run {3}schedule 1 at 2026-11-22 04:00 GMT\+9: deferred; 4 slices, [\d,]+ credits planned, 0 spent$/m,
  );
  expect(page).toMatch(/^keyword_impression_share +1 +1 +2 /m);
  expect(page.indexOf("credits ")).toBeLessThan(page.indexOf("keyword_impression_share"));
});

test("status as JSON is the same in any zone and width, with times in UTC", async () => {
  const page = JSON.parse(await shown(["status", "--json"]));
  expect(JSON.parse(await shown(["status", "--json", "--utc"], ""))).toEqual({ ...page, workers: expect.anything() });
  expect(page).toMatchObject({
    verdict: { state: "bad" },
    credits: null,
    nextRuns: [{ line: "hourly", at: "2126-11-21T20:15:00.000Z" }, { credits: 1234 }],
    workers: { running: 1, late: 0, waiting: 0 },
    incidents: [{ kind: "dataset_stale" }],
    failedForNow: 1,
    datasets: [{ dataset: "keyword_impression_share", failed: 2 }],
  });
});

test("failures lists slices with number, app by name and id, cause and the command that mends them; those for a person first", async () => {
  const [ours, later] = (await shown(["failures"], "")).split("1 slice of keyword_impression_share: server_error");
  expect(ours).toContain(
    "1 slice of keyword_impression_share: unknown_shape\n  the answer has none of the documented forms; report it\n",
  );
  expect(ours).toMatch(
    /^3 +もふタスク - やることリスト、習慣トラッカー、家計簿 \(1587204933\), JP +2026-11-04 to 11-12 +4 +3 +2026-11-22 03:05$/m,
  );
  expect(ours).toContain(
    "`storehouse retry --dataset keyword_impression_share --code unknown_shape` requests it again; `storehouse show 3`",
  );
  expect(later).toMatch(/^2 .* 2126-11-22 11:30$/m);
  expect(later).toContain(
    "-> requested again by a worker, or by a sync after 2126-11-22 11:30 GMT+9; `storehouse retry --dataset keyword_impression_share --code server_error` does so now.",
  );
  expect(JSON.parse(await shown(["failures", "--json"]))).toMatchObject([
    { sliceId: "3" },
    { sliceId: "2", code: "server_error" },
  ]);
  const cut = "The first 1 of 2: use --dataset or --limit to see others.\n";
  expect(JSON.parse(await shown(["failures", "--json", "--limit", "1"], "", cut))).toMatchObject([{ sliceId: "3" }]);
  expect(await shown(["failures", "--dataset", "retention"])).toMatch(/^No slices are failed\./);
});

test("failures names another account, and gives it to the command: a retry requests only what its account requested", async () => {
  await client.query("update ops.run set account = 'acme' where run_id = 1");
  try {
    const page = await shown(["failures"], "");
    expect(page).toContain("1 slice of keyword_impression_share of account acme: unknown_shape\n");
    expect(page).toContain(
      "-> `STOREHOUSE_ACCOUNT=acme storehouse retry --dataset keyword_impression_share --code unknown_shape` requests it again",
    );
    expect(page).toContain("; `STOREHOUSE_ACCOUNT=acme storehouse retry --dataset");
    expect(JSON.parse(await shown(["failures", "--json"]))).toMatchObject([{ account: "acme" }, { account: "acme" }]);
  } finally {
    await client.query("update ops.run set account = '' where run_id = 1");
  }
});

test("runs folds triggers that found nothing, and calls no run loaded while a slice of it is open", async () => {
  const [headings, , idle, busy, note] = (await shown(["runs"], "")).split("\n");
  // the words of status and of the console
  expect(headings).toMatch(/ credits planned +credits spent$/);
  expect(idle).toMatch(/^2-5 +schedule, 4 runs +2026-11-22 05:00 +- +nothing due /);
  expect(busy).toMatch(/^1 +schedule +2026-11-22 04:00 +- +deferred /);
  expect(note).toBe("Times are in Asia/Tokyo; --utc adds UTC.");
  expect(await shown(["runs", "--utc"], "")).toContain("2026-11-22 04:00 (11-21 19:00 UTC)");
});

test.each([
  [["status"]],
  [["failures"]],
  [["failures", "--utc"]],
  [["runs"]],
  [["show", "2"]],
  [["runs", "--utc"]],
  [["--help"]],
  [["backfill", "--help"]],
])("%j fits 80 columns", async (command) => {
  expect(widest(await shown(command))).toBeLessThanOrEqual(80);
});
