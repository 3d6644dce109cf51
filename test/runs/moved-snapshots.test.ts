import { expect, test } from "vitest";
import { addDays, type Day } from "../../src/core/day.ts";
import { readScopeCoverage } from "../../src/planner/gaps.ts";
import { openStage, today, type RunOptions, type Stage } from "../support/ingest-stage.ts";
import { long } from "../support/long.ts";
import { openSyncedNights } from "../support/nights.ts";
import { workUntilIdle } from "../support/work-until-idle.ts";

const market = { apps: 1, countries: ["US"], keywordsPerApp: 2 } as const;

test("a snapshot that failed on two days of its week is requested once by a retry, and one failed day, none after the answer", async () => {
  await using stage = await openStage({ today: addDays(today, 1), market });
  const settings = { datasets: { keyword_spot: { on: true }, keyword_rank: { on: false } } };
  const on = (days: number) => ({ settings, request: { today: addDays(today, days) } });
  stage.sandbox.set({ faults: [{ operation: "dashboard.keyword-spot", times: 1_000, kind: "status", status: 418 }] });
  await stage.sync(on(0));
  const isDue = async () =>
    (
      await stage.query<{ due: boolean }>(
        "select due_at is not null as due from ops.slice where state = 'failed' order by slice_id",
      )
    ).map(({ due }) => due);
  expect(await isDue()).toEqual([true]);
  await stage.sync(on(1));
  expect(await isDue()).toEqual([false, true]);
  expect(await stage.query("select from ops.failed_slice")).toHaveLength(1);
  const failedDays = async () => {
    await using app = await stage.open({ settings });
    const request = { datasets: ["keyword_spot"], bounds: {}, today: addDays(today, 1) };
    const scopes = await readScopeCoverage(app.warehouse.db, { request, settings: app.config.settings });
    const inSql = await stage.query<{ day: string }>(
      "select date_day::text as day from ops.coverage_daily where failed_count > 0 order by 1",
    );
    const inGaps = scopes.flatMap(({ days }) => [...days].filter(([, { failed = 0 }]) => failed > 0));
    return [inGaps.map(([day]) => day), inSql.map(({ day }) => day)];
  };
  expect(await failedDays()).toEqual([[addDays(today, 1)], [addDays(today, 1)]]);
  stage.sandbox.set({ faults: [] });
  stage.sandbox.clearLog();
  expect(await stage.retry(on(1))).toMatchObject({ outcome: "loaded", progress: { total: 1 } });
  expect(stage.requested()).toHaveLength(1);
  expect(await stage.query("select from ops.failed_slice")).toEqual([]);
  expect(await failedDays()).toEqual([[], []]);
});

type Settings = NonNullable<RunOptions["settings"]>;

/** A night, until nothing is left that its credits pay for: of a worker in the long run, which plans and runs as a sync does. */
async function night(stage: Stage, day: Day, { datasets }: Pick<Settings, "datasets"> = {}): Promise<void> {
  const run = { settings: { datasets: { keyword_rank: { on: false }, ...datasets } }, request: { today: day } };
  await (long ? workUntilIdle(stage, run) : stage.sync(run));
}

test("a list that waits for credits while it changes night after night is requested once, and holds as what it was at last", async () => {
  const accounts = [{ token: "sandbox-token", total: 100_000, remaining: 1_000, periodHours: 24 * 3_650 }];
  await using stage = await openStage({ today: addDays(today, 3), accounts, market });
  await night(stage, today);
  const [app] = await stage.query<{ track_id: string }>(
    "select scope ->> 'app' as track_id from ops.slice where dataset = 'tracked_keyword'",
  );
  const added = async (keyword: string) => {
    const url = `${stage.sandbox.url}/gateway/account/app/${app?.track_id}/keywords/US?token=${stage.sandbox.token}`;
    await fetch(url, {
      method: "POST",
      body: JSON.stringify([keyword]),
      headers: { "content-type": "application/json" },
    });
  };
  stage.sandbox.spend(stage.sandbox.account().remaining - 40);
  for (const days of [1, 2]) {
    await added(`one more ${days}`);
    await night(stage, addDays(today, days));
  }
  expect(await stage.query("select from ops.slice where state = 'deferred'")).toHaveLength(1);
  stage.sandbox.clearLog();
  stage.sandbox.spend(-1_000);
  await night(stage, addDays(today, 3));
  await night(stage, addDays(today, 3));
  expect(
    stage
      .requested()
      .map(({ operation }) => operation)
      .filter((one) => one === "dashboard.daily-keyword-rankings"),
  ).toHaveLength(1);
  expect(
    await stage.query(
      "select from core.tracked_keyword as k join core.dim_keyword using (keyword_key) where keyword like 'one more%'",
    ),
  ).toHaveLength(2);
});

/** A snapshot of each day and one of each week. */
const snapshots = {
  datasets: { app_rating: { on: true }, keyword_spot: { on: true }, keyword_rank: { on: false } },
} as const;

test.each([
  ["on its day", "fetched_at"],
  ["after the midnight during its call", "date_trunc('day', fetched_at) + interval '1 day 5 seconds'"],
])(
  "the answer of a snapshot that was stored %s and not loaded is loaded for that day on the next, which is requested as well",
  async (_, storedAt) => {
    await using nights = await openSyncedNights({ market }, { settings: snapshots });
    const { stage } = nights;
    const first = nights.today();
    const ratings = (day: Day) => stage.query("select rating from core.fact_app_rating where date_day = $1", [day]);
    const before = await ratings(first);
    expect(before).toHaveLength(1);
    // what a kill between storing and loading leaves behind, or a replay of the dataset
    await stage.query("delete from core.fact_app_rating");
    await stage.query(`update raw.answer set fetched_at = ${storedAt}`);
    await stage.query("update ops.slice set state = 'pending' where dataset in ('app_rating', 'keyword_spot')");
    nights.next();
    stage.sandbox.clearLog();
    expect(await stage.sync(nights.run())).toMatchObject({ outcome: "loaded" });
    expect(await ratings(first)).toEqual(before);
    expect(await ratings(nights.today())).toHaveLength(1);
    const requested = stage.requested().map(({ operation }) => operation);
    expect(requested.filter((one) => one === "ios.app-simple")).toHaveLength(1);
    // of a week the stored one holds
    expect(requested).not.toContain("dashboard.keyword-spot");
    const states = await stage.query(
      "select window_start::text as day, state from ops.slice where dataset = 'app_rating' order by 1",
    );
    expect(states).toEqual([first, nights.today()].map((day) => ({ day, state: "loaded" })));
  },
);

test("an answer that was stored before its snapshot moved to another day is not that of the day, which is requested", async () => {
  await using nights = await openSyncedNights({ market }, { settings: snapshots });
  const { stage } = nights;
  nights.next();
  // what a kill between moving and requesting leaves behind
  await stage.query(
    "update ops.slice set state = 'pending', window_start = $1, window_end = $1::date + 1, as_of = $1 where dataset = 'app_rating'",
    [nights.today()],
  );
  stage.sandbox.clearLog();
  expect(await stage.sync(nights.run())).toMatchObject({ outcome: "loaded" });
  expect(stage.requested().filter(({ operation }) => operation === "ios.app-simple")).toHaveLength(1);
});

test("each day for which a snapshot waits for credits is lost, and seen", async () => {
  const accounts = [{ token: "sandbox-token", total: 100_000, remaining: 1_000, periodHours: 24 * 3_650 }];
  await using stage = await openStage({ today: addDays(today, 3), accounts, market });
  const settings = { datasets: { app_rating: { on: true } } };
  await night(stage, today, settings);
  stage.sandbox.spend(stage.sandbox.account().remaining);
  for (const days of [1, 2]) await night(stage, addDays(today, days), settings);
  stage.sandbox.spend(-1_000);
  await night(stage, addDays(today, 3), settings);
  const coverage = await stage.query<{ day: Day; lost: number; loaded: number }>(
    `select date_day::text as day, lost_count::int as lost, loaded_count::int as loaded
     from   ops.coverage_daily where dataset = 'app_rating' order by 1`,
  );
  expect(coverage).toEqual(
    [0, 1, 2, 3].map((days) => {
      const isLost = days > 0 && days < 3;
      return { day: addDays(today, days), lost: isLost ? 1 : 0, loaded: isLost ? 0 : 1 };
    }),
  );
});
