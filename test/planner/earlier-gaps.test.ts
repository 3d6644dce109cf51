import { expect, test } from "vitest";
import { startConsole } from "../../src/console/server.ts";
import { settingsOfAccount } from "../../src/config/config-of-account.ts";
import { Settings } from "../../src/config/settings.ts";
import { addDays, startOfDay, type Day } from "../../src/core/day.ts";
import { sumBy } from "../../src/core/sum.ts";
import { readNeverRequested } from "../../src/planner/earlier-gaps.ts";
import { checkUnrequestedDays } from "../../src/doctor/ledger-checks.ts";
import { openWithPortfolio, planned, runPlanned } from "../support/backfill-stage.ts";
import { runCommand } from "../support/command.ts";
import { openStage, today, type Stage } from "../support/ingest-stage.ts";
import { clientOf } from "../support/console-stage.ts";
import { openSynced } from "../support/synced-stage.ts";
import { clockAt } from "../support/watch-stage.ts";

const market = { apps: 1, countries: ["US"], keywordsPerApp: 3 } as const;

/** What Today and the doctor say of days that no sync reaches. */
async function shownElsewhere(stage: Stage, on: Day) {
  const clock = clockAt(startOfDay(on));
  await using app = await stage.open({ clock });
  await using served = await startConsole(app, { port: 0 });
  const { text } = await clientOf(served).get("/");
  const words = text.replaceAll(/<[^>]*>/g, "");
  return {
    verdict: /days of [^:.]* requests any more\./.exec(words)?.[0],
    console: /days of [^:.]* requests any more(?=:)/.exec(words)?.[0],
    doctor: (await checkUnrequestedDays(app.warehouse.db, { settings: app.config.settings, clock })).found,
  };
}

/** What `storehouse gaps` shows as earlier days: on a connection that has planned its statements before. */
async function earlier(stage: Stage, on: Day) {
  await using app = await stage.open();
  return await readNeverRequested(app.warehouse.db, app.config.settings, on);
}

test("days on which nothing ran, and that no sync reaches any more, are shown with the backfill that requests them", async () => {
  await using stage = await openSynced({ market: { ...market, countries: ["US", "JP"] }, today: addDays(today, 9) });
  const gaps = (on: number, ...more: string[]) =>
    runCommand(stage, ["gaps", "--dataset", "keyword_rank", "--as-of", addDays(today, on), ...more]);
  expect(await earlier(stage, addDays(today, 3))).toEqual([]);
  await stage.sync({ request: { today: addDays(today, 9) } });
  const { stdout } = await gaps(9);
  expect(await shownElsewhere(stage, addDays(today, 9))).toEqual({
    verdict: `days of keyword_rank between ${today} and ${addDays(today, 4)}, which no sync requests any more.`,
    console: `days of keyword_rank between ${today} and ${addDays(today, 4)}, which no sync requests any more`,
    doctor: `days of keyword_rank between ${today} and ${addDays(today, 4)}, which no sync requests any more`,
  });
  expect(stdout).toContain("Nothing that a sync requests is missing: ");
  expect(stdout).toContain("earlier: keyword_rank: 5 days before those that a sync requests were never requested");
  const [, named = ""] = /`storehouse (backfill [^`]*) --dry-run`/.exec(stdout) ?? [];
  expect(named).toBe(`backfill --dataset keyword_rank --from ${today} --to ${addDays(today, 4)}`);
  expect((await gaps(9, "--from", addDays(today, -4))).stdout).not.toContain("earlier: ");
  expect(await runCommand(stage, [...named.split(" "), "--as-of", addDays(today, 9)])).toMatchObject({ code: 0 });
  // where history begins a backfill of days long past says nothing, nor does a sync of such days
  const past = ["--from", addDays(today, -20), "--to", addDays(today, -19)];
  await runCommand(stage, ["backfill", "--dataset", "keyword_rank", ...past, "--as-of", addDays(today, 9)]);
  const older = { start: addDays(today, -30), end: addDays(today, -28) };
  await stage.sync({ request: { today: addDays(today, 9), datasets: ["keyword_rank"], bounds: older } });
  const ofOlder = "select from ops.slice where dataset = 'keyword_rank' and window_start < $1";
  expect((await stage.query(ofOlder, [addDays(today, -20)])).length).toBeGreaterThan(0);
  expect(await earlier(stage, addDays(today, 9))).toEqual([]);
  // days that one partition lacks and others have
  const [scopes] = await stage.query<{ all: number; one: object }>(
    "select count(distinct scope)::int as all, (array_agg(scope))[1] as one from ops.slice where dataset = 'keyword_rank'",
  );
  await stage.query(
    "delete from ops.slice where dataset = 'keyword_rank' and scope = $1 and window_start >= $2 and window_end <= $3",
    [JSON.stringify(scopes?.one), today, addDays(today, 5)],
  );
  expect((await gaps(9)).stdout).toContain(`earlier: 1 of ${scopes?.all} partitions of keyword_rank: `);
});

test("days long past that a sync requested by hand begin no history where a retry or another sync runs them", async () => {
  const later = addDays(today, 9);
  await using stage = await openSynced({ market, today: later }, { request: { today: later } });
  const failing = ["ios.keyword-ranking", "ios.keyword-history", "android.keyword-ranking", "android.keyword-history"];
  const faults = failing.map((operation) => ({ operation, times: 1_000, kind: "status" }) as const);
  const request = { today: later, datasets: ["keyword_rank"] };
  stage.sandbox.set({ faults });
  await stage.sync({ request: { ...request, bounds: { start: addDays(today, -30), end: addDays(today, -28) } } });
  stage.sandbox.set({ faults: [] });
  expect(await earlier(stage, later)).toEqual([]);
  expect(await stage.retry({ request })).toMatchObject({ outcome: "loaded", progress: { total: 2 } });
  expect(await earlier(stage, later)).toEqual([]);
  // as where the process of the first was killed
  await stage.query("update ops.run set kind = 'sync' where kind = 'retry'");
  expect(await earlier(stage, later)).toEqual([]);
  // a retry of what a sync of that time reached begins one
  await stage.query("update ops.slice set as_of = $1 where window_start < $2", [addDays(today, -26), today]);
  expect(await earlier(stage, later)).toMatchObject([{ dataset: "keyword_rank" }]);
});

test("days before those of a backfill are no gap where no sync has begun, also where rows of some months are kept", async () => {
  const settings = { datasets: { keyword_rank: { keep_months: 3 } } };
  await using stage = await openWithPortfolio({ market });
  const { planId } = await planned(stage, { bounds: { start: addDays(today, -10) } }, { settings });
  await runPlanned(stage, planId, { settings });
  const { stdout } = await runCommand(stage, ["gaps", "--dataset", "keyword_rank", "--as-of", today], { settings });
  expect(stdout).not.toContain("earlier: ");
});

test("days without a snapshot that a series has beside it are no gap, since no backfill can request them", async () => {
  const settings = { datasets: { category_rank: { on: true, options: { resolutions: ["last_day" as const] } } } };
  const later = addDays(today, 60);
  await using stage = await openStage({ market, today: later });
  const datasets = ["tracked_app", "tracked_country", "category_rank"];
  for (const on of [today, later]) await stage.sync({ settings, request: { datasets, today: on } });
  await stage.query("update ops.slice set state = 'loaded' where dataset = 'category_rank'");
  const ended = await runCommand(stage, ["gaps", "--dataset", "category_rank", "--as-of", later], { settings });
  expect(ended.stdout).toMatch(/is missing: \d+ loaded/);
  expect(ended.stdout).not.toContain("earlier: ");
});

test("days of the apps of another account are no gap of this one, whose backfill would request others", async () => {
  await using stage = await openSynced({ market });
  await stage.query(
    "insert into ops.run (kind, account, as_of, datasets, started_at, ended_at, outcome) values ('sync', 'acme', $1, '{}', now(), now(), 'loaded')",
    [today],
  );
  await stage.query(
    `insert into ops.slice (dataset, operation, scope, window_start, window_end, as_of, fingerprint, class, state, planned_requests,
                            planned_credits, run_id, created_at, ended_at)
     select 'keyword_rank', 'any', '{"store": "ios", "app": "77", "country": "US"}', $1::date - i, $1::date - i + 1, $1::date, '', 'daily', 'loaded',
            1, 3, (select max(run_id) from ops.run), now(), now()
     from   unnest(array[200, 1]) as i`,
    [today],
  );
  const { stdout } = await runCommand(stage, ["gaps", "--dataset", "keyword_rank", "--as-of", today]);
  expect(stdout).not.toContain("earlier: ");
  await using app = await stage.open();
  const { db } = app.warehouse;
  expect(await readNeverRequested(db, app.config.settings, today)).toEqual([]);
  const acme = Settings.parse({ accounts: { acme: {} }, datasets: { keyword_rank: { history_days: 4 } } });
  expect(await readNeverRequested(db, settingsOfAccount(acme, "acme"), today)).toMatchObject([
    { dataset: "keyword_rank", window: { start: addDays(today, -199) } },
  ]);
});

test("days that failed, and that no sync reaches any more, are shown with the command that says when they are requested again", async () => {
  const settings = { datasets: { keyword_rank: { history_days: 1 } } };
  await using stage = await openSynced({ market: { ...market, apps: 2 }, today: addDays(today, 3) });
  const operations = [
    "ios.keyword-ranking",
    "android.keyword-ranking",
    "ios.keyword-history",
    "android.keyword-history",
  ];
  stage.sandbox.set({
    faults: operations.map((operation) => ({ operation, times: 1_000, kind: "status", status: 500 })),
  });
  await stage.sync({ settings, request: { today: addDays(today, 1) } });
  stage.sandbox.set({ faults: [] });
  await stage.sync({ settings, request: { today: addDays(today, 3) } });
  const asOf = ["--dataset", "keyword_rank", "--as-of", addDays(today, 3)];
  const { stdout } = await runCommand(stage, ["gaps", ...asOf], { settings });
  expect(stdout).toMatch(
    /earlier: \d+ slices? of keyword_rank failed, for days before those that a sync requests: `storehouse failures --dataset keyword_rank`/,
  );
  // of an app and country only what is theirs
  const count = async (...named: string[]) =>
    Number(
      /earlier: (\d+) slice/.exec((await runCommand(stage, ["gaps", ...asOf, ...named], { settings })).stdout)?.[1],
    );
  const scopes = await stage.query<{ app: string; slices: number }>(
    "select scope ->> 'app' as app, count(*)::int as slices from ops.failed_slice group by 1",
  );
  expect(scopes.length).toBeGreaterThan(1);
  const [{ app, slices } = { app: "", slices: 0 }] = scopes;
  expect(await count("--app", app, "--country", "us")).toBe(slices);
  expect(Number(/earlier: (\d+) slice/.exec(stdout)?.[1])).toBe(sumBy(scopes, (one) => one.slices));
});
