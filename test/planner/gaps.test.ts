import { expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import type { Window } from "../../src/core/window.ts";
import { readScopeCoverage, type ScopeCoverage } from "../../src/planner/gaps.ts";
import { sumOfCells } from "../../src/plan/cell-states.ts";
import { runCommand } from "../support/command.ts";
import { openStage, today, type RunOptions, type Stage } from "../support/ingest-stage.ts";
import { forTests } from "../support/for-tests.ts";
import { openSynced } from "../support/synced-stage.ts";

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

/** Synced once for the tests that begin so; what one of them writes changes what no other reads. */
const synced = forTests(() => openSynced({ market }));

test("days that were never requested are gaps, and so are those that are due again", async () => {
  const stage = synced;
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

test("days that are answered and that a sync would leave until more of them are out are shown", async () => {
  const stage = synced;
  const yesterday = addDays(today, -1);
  const packed = { settings: { datasets: { keyword_rank: { pack_days: 1000 } } } };
  expect(cells(await coverageOn(stage, today, packed))[yesterday]).toHaveProperty("loaded");
});

test("what failed and what waits for credits are distinguished", async () => {
  const stage = synced;
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
  expect(stdout).toContain("missing: `storehouse plan` prices what `storehouse sync` would fetch of these cells.");
});

test("of a dataset that is off the steps name it, so that the plan prices what is missing", async () => {
  const settings = { datasets: { keyword_rank: { on: false } } };
  const later = ["--as-of", addDays(today, 1)];
  const { stdout } = await runCommand(synced, ["gaps", "--dataset", "keyword_rank", ...later], { settings });
  const [, step = ""] =
    /missing: `storehouse ([^`]+)` prices what `storehouse sync --dataset keyword_rank`/.exec(stdout) ?? [];
  const planned = await runCommand(synced, [...step.split(" "), ...later, "--json"], { settings });
  expect(planned.stdout).toContain("keyword_rank");
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
    datasets: {
      keyword_rank: { on: false },
      app_rating: { on: true },
      visibility: { on: true, history_days: 4, options: { competitors: false } },
    },
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
