import { expect, test } from "vitest";
import { startConsole } from "../../src/console/server.ts";
import { settingsOfAccount } from "../../src/config/config-of-account.ts";
import { Settings } from "../../src/config/settings.ts";
import { addDays, startOfDay, type Day } from "../../src/core/day.ts";
import { sumBy } from "../../src/core/sum.ts";
import type { Window } from "../../src/core/window.ts";
import { readNeverRequested } from "../../src/planner/earlier-gaps.ts";
import { readScopeCoverage, type ScopeCoverage } from "../../src/planner/gaps.ts";
import { sumOfCells } from "../../src/plan/cell-states.ts";
import { checkUnrequestedDays } from "../../src/doctor/ledger-checks.ts";
import { openWithPortfolio, planned, runPlanned } from "../support/backfill-stage.ts";
import { runCommand } from "../support/command.ts";
import { openStage, today, type RunOptions, type Stage } from "../support/ingest-stage.ts";
import { clientOf } from "../support/console-stage.ts";
import { openSynced } from "../support/synced-stage.ts";
import { clockAt } from "../support/watch-stage.ts";

const market = { apps: 1, countries: ["US"], keywordsPerApp: 3 } as const;

async function coverageOn(stage: Stage, on = today, run: RunOptions = {}): Promise<readonly ScopeCoverage[]> {
  await using app = await stage.open(run);
  const request = { datasets: ["keyword_rank"], bounds: { start: addDays(today, -4) }, today: on };
  return await readScopeCoverage(app.warehouse.db, { request, settings: app.config.settings });
}

/** Cells of all scopes by day, counted from the stage's day. */
function cells(all: readonly ScopeCoverage[]): Record<string, unknown> {
  const days = Map.groupBy(
    all.flatMap(({ days: own }) => [...own]),
    ([day]) => day,
  );
  return Object.fromEntries([...days].map(([day, counts]) => [day, sumOfCells(counts.map(([, count]) => count))]));
}

test("days that were never requested are gaps, and so are those that are due again", async () => {
  await using stage = await openSynced({ market });
  const loaded = await coverageOn(stage);
  expect(loaded.map(({ dataset, country }) => [dataset, country])).toEqual([["keyword_rank", "US"]]);
  const [count] = Object.values(cells(loaded)).map((states) => (states as { loaded: number }).loaded);
  expect(Object.keys(cells(loaded))).toEqual([4, 3, 2, 1].map((back) => addDays(today, -back)));
  const later = cells(
    await coverageOn(stage, addDays(today, 2), { settings: { datasets: { keyword_rank: { lookback_days: 1 } } } }),
  );
  expect(later).toMatchObject({
    [today]: { missing: count },
    [addDays(today, 1)]: { missing: count },
    [addDays(today, -4)]: { loaded: count },
  });
  // the lookback reaches behind what was not settled when it was requested
  expect(later[addDays(today, -1)]).toEqual({ stale: count });
});

test("what failed and what waits for credits are distinguished", async () => {
  await using stage = await openSynced({ market });
  await stage.query("update ops.slice set state = 'deferred' where window_start = $1", [addDays(today, -2)]);
  await stage.query("update ops.slice set state = 'failed' where window_start = $1", [addDays(today, -3)]);
  const seen = cells(await coverageOn(stage));
  expect(seen[addDays(today, -2)]).toHaveProperty("deferred");
  expect(seen[addDays(today, -3)]).toHaveProperty("failed");
});

test("a day of which a newer answer had rows is not shown as failed because the slice that failed reaches into the days of a sync", async () => {
  await using stage = await openStage({ market });
  const run = { settings: { datasets: { keyword_rank: { history_days: 6 } } } };
  await stage.sync(run);
  const [first, cut, start] = [10, 8, 6].map((back) => addDays(today, -back));
  await stage.query("update ops.slice set state = 'failed', window_start = $1 where dataset = 'keyword_rank'", [first]);
  await stage.query(
    `insert into ops.slice (dataset, operation, scope, batch_id, window_start, window_end, as_of, fingerprint, class, state, planned_requests,
                            planned_credits, run_id, created_at, ended_at)
     select dataset, operation, scope, batch_id, $1, $2, as_of, fingerprint, class, 'loaded', 1, 1, run_id, now(), now()
     from   ops.slice where dataset = 'keyword_rank'`,
    [first, cut],
  );
  await using app = await stage.open(run);
  const shown = async (bounds: Partial<Window>) =>
    Object.entries(
      cells(
        await readScopeCoverage(app.warehouse.db, {
          request: { datasets: ["keyword_rank"], bounds, today },
          settings: app.config.settings,
        }),
      ),
    ).map(([day, states]) => [day, Object.keys(states as object)]);
  expect((await shown({}))[0]).toEqual([start, ["failed"]]);
  expect(await shown({ start: addDays(today, -9), end: addDays(today, -7) })).toEqual([
    [addDays(today, -9), ["loaded"]],
    [cut, ["failed"]],
  ]);
});

test("days that are answered and that a sync would leave until more of them are out are shown", async () => {
  await using stage = await openSynced({ market });
  const yesterday = addDays(today, -1);
  const packed = { settings: { datasets: { keyword_rank: { pack_days: 1000 } } } };
  expect(cells(await coverageOn(stage, today, packed))[yesterday]).toHaveProperty("loaded");
});

test("each kind of gap has the command that mends it beside it, which works as it is printed", async () => {
  await using stage = await openStage({ market });
  stage.sandbox.set({ faults: [{ operation: "ios.keyword-ranking", times: 1_000, kind: "status" }] });
  await stage.sync();
  const from = addDays(today, -45);
  const { stdout } = await runCommand(stage, ["gaps", "--as-of", today, "--dataset", "keyword_rank", "--from", from]);
  expect(stdout).toContain("failed: `storehouse failures` says why");
  expect(stdout).not.toContain("deferred: ");
  const [, named = ""] = /`storehouse (backfill [^`]*)`/.exec(stdout) ?? [];
  expect(named).toBe(`backfill --dataset keyword_rank --from ${from} --dry-run`);
  stage.sandbox.clearLog();
  expect(await runCommand(stage, [...named.split(" "), "--as-of", today])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("Nothing was spent."),
  });
  expect(stage.requested()).toEqual([]);
});

test("where only snapshots are missing no backfill is named: that of a list of the portfolio is refused", async () => {
  await using stage = await openStage({ market });
  const { stdout } = await runCommand(stage, ["gaps", "--as-of", today]);
  expect(stdout).toMatch(/tracked_app +- +- +1 /);
  expect(stdout).toContain("missing: `storehouse plan` prices what `storehouse sync` would fetch of it.");
});

test("an app or a country that nobody follows is refused by name", async () => {
  await using stage = await openStage({ market });
  for (const unread of [
    ["gaps", "--country", "us"],
    ["gaps", "--app", "1"],
  ])
    expect(await runCommand(stage, unread)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^portfolio_empty: /),
    });
  await stage.sync();
  for (const wrong of [
    ["--app", "1"],
    ["--country", "ZZ"],
  ]) {
    const ended = await runCommand(stage, ["gaps", ...wrong]);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(new RegExp(`^not_in_portfolio: .*${wrong[1]}.*\\n$`));
  }
  const ended = await runCommand(stage, ["gaps", "--country", "us", "--json"]);
  expect(ended.code).toBe(0);
  const reported = JSON.parse(ended.stdout) as readonly { readonly country: string | null }[];
  expect(new Set(reported.map(({ country }) => country))).toContain("US");
});

test("the gaps of an app are shown also of datasets that request several apps in one call, and are those of this app alone", async () => {
  await using stage = await openStage({ market: { ...market, apps: 2 } });
  const settings = {
    datasets: { app_rating: { on: true }, visibility: { on: true, history_days: 4, options: { competitors: false } } },
  };
  stage.sandbox.set({
    faults: ["ios.app-simple", "ios.visibility-history"].map((operation) => ({
      operation,
      times: 1_000,
      kind: "status",
    })),
  });
  await stage.sync({ settings });
  const apps = await stage.query<{ id: string; store: string }>(
    "select track_id as id, store from core.dim_app join core.tracked_app using (app_key) order by store",
  );
  const shown = async (store: string) => {
    const id = apps.find((app) => app.store === store)?.id ?? "";
    const { stdout } = await runCommand(stage, ["gaps", "--as-of", today, "--app", id, "--json"], { settings });
    const all = JSON.parse(stdout) as readonly ScopeCoverage[];
    const named = all.filter(({ dataset }) => dataset === "app_rating" || dataset === "visibility");
    return named.map(({ dataset, store: of, days }) => [dataset, of, sumOfCells(Object.values(days))]);
  };
  expect(await shown("ios")).toEqual([
    ["app_rating", "ios", { failed: 1 }],
    ["visibility", "ios", { failed: 4 }],
  ]);
  expect(await shown("android")).toEqual([
    ["app_rating", "android", { loaded: 1 }],
    ["visibility", "android", { loaded: 4 }],
  ]);
});

/** What Today and the doctor say of days that no sync reaches. */
async function shownElsewhere(stage: Stage, on: Day) {
  const clock = clockAt(startOfDay(on));
  await using app = await stage.open({ clock });
  await using served = await startConsole(app, { port: 0 });
  const { text } = await clientOf(served).get("/");
  return {
    console: /days of [^:]* any more/.exec(text.replaceAll(/<[^>]*>/g, ""))?.[0],
    doctor: (await checkUnrequestedDays(app.warehouse.db, { settings: app.config.settings, clock })).found,
  };
}

test("days on which nothing ran, and that no sync reaches any more, are shown with the backfill that requests them", async () => {
  await using stage = await openSynced({ market: { ...market, countries: ["US", "JP"] }, today: addDays(today, 9) });
  const gaps = (on: number, ...more: string[]) =>
    runCommand(stage, ["gaps", "--dataset", "keyword_rank", "--as-of", addDays(today, on), ...more]);
  expect((await gaps(3)).stdout).not.toContain("earlier: ");
  await stage.sync({ request: { today: addDays(today, 9) } });
  const { stdout } = await gaps(9);
  expect(await shownElsewhere(stage, addDays(today, 9))).toEqual({
    console: `days of keyword_rank between ${today} and ${addDays(today, 4)} were never requested, and no sync does so any more`,
    doctor: `days of keyword_rank between ${today} and ${addDays(today, 4)}, which no sync requests any more`,
  });
  expect(stdout).toContain("Nothing that a sync requests is missing: ");
  expect(stdout).toContain(
    "earlier: of keyword_rank nothing was requested for 5 days before those that a sync reaches",
  );
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
  expect((await gaps(9)).stdout).not.toContain("earlier: ");
  // days that one partition lacks and others have
  const [scopes] = await stage.query<{ all: number; one: object }>(
    "select count(distinct scope)::int as all, (array_agg(scope))[1] as one from ops.slice where dataset = 'keyword_rank'",
  );
  await stage.query(
    "delete from ops.slice where dataset = 'keyword_rank' and scope = $1 and window_start >= $2 and window_end <= $3",
    [JSON.stringify(scopes?.one), today, addDays(today, 5)],
  );
  expect((await gaps(9)).stdout).toContain(
    `earlier: of 1 of ${scopes?.all} partitions of keyword_rank nothing was requested for `,
  );
});

test("days long past that a sync requested by hand begin no history where a retry or another sync runs them", async () => {
  const later = addDays(today, 9);
  await using stage = await openSynced({ market, today: later }, { request: { today: later } });
  const failing = ["ios.keyword-ranking", "ios.keyword-history", "android.keyword-ranking", "android.keyword-history"];
  const faults = failing.map((operation) => ({ operation, times: 1_000, kind: "status" }) as const);
  const gaps = () => runCommand(stage, ["gaps", "--dataset", "keyword_rank", "--as-of", later]);
  const request = { today: later, datasets: ["keyword_rank"] };
  stage.sandbox.set({ faults });
  await stage.sync({ request: { ...request, bounds: { start: addDays(today, -30), end: addDays(today, -28) } } });
  stage.sandbox.set({ faults: [] });
  expect((await gaps()).stdout).not.toContain("nothing was requested");
  expect(await stage.retry({ request })).toMatchObject({ outcome: "loaded", progress: { total: 2 } });
  expect((await gaps()).stdout).not.toContain("nothing was requested");
  // as where the process of the first was killed
  await stage.query("update ops.run set kind = 'sync' where kind = 'retry'");
  expect((await gaps()).stdout).not.toContain("nothing was requested");
  // a retry of what a sync of that time reached begins one
  await stage.query("update ops.slice set as_of = $1 where window_start < $2", [addDays(today, -26), today]);
  expect((await gaps()).stdout).toContain("nothing was requested");
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
    /earlier: \d+ slices? of keyword_rank failed for days before those that a sync reaches: `storehouse failures --dataset keyword_rank`/,
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
  for (const { app, slices } of scopes) expect(await count("--app", app, "--country", "us")).toBe(slices);
  expect(await count()).toBe(sumBy(scopes, ({ slices }) => slices));
});
