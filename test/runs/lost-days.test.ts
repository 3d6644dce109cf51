import { expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { summaryOf } from "../../src/incidents/kinds.ts";
import { dayProblems } from "../../src/incidents/lost-days.ts";
import { runCommand } from "../support/command.ts";
import { openStage, today } from "../support/ingest-stage.ts";

test("days on which nobody requested a snapshot are lost: coverage and gaps show them, and the next answer costs no more", async () => {
  await using stage = await openStage({
    today: addDays(today, 3),
    market: { countries: ["US"], keywordsPerApp: 2 },
  });
  const settings = { datasets: { app_rating: { on: true }, keyword_rank: { on: false } } };
  const on = (days: number) => stage.sync({ settings, request: { today: addDays(today, days) } });
  expect(await on(0)).toMatchObject({ outcome: "loaded" });
  const ratings = async () => (await stage.query("select from ops.request where dataset = 'app_rating'")).length;
  const requested = await ratings();
  expect(requested).toBeGreaterThan(0);
  // nobody runs it for two days
  const late = await on(3);
  expect(late).toMatchObject({ outcome: "loaded" });
  expect(await ratings()).toBe(2 * requested);
  // what the run says that it loaded leaves out the days that it found lost
  const states = await stage.query<{ state: string; slices: number }>(
    "select state, count(*)::int as slices from ops.slice where run_id = $1 group by state order by state",
    [late.runId],
  );
  expect(states.map(({ state }) => state)).toEqual(["loaded", "lost"]);
  expect(late.progress.total).toBe(states[0]?.slices);
  const coverage = await stage.query<{ day: string; lost: boolean; loaded: boolean }>(
    `select date_day::text as day, sum(lost_count) > 0 as lost, sum(loaded_count) > 0 as loaded
     from   ops.coverage_daily where dataset = 'app_rating' group by 1 order by 1`,
  );
  expect(coverage).toEqual(
    [0, 1, 2, 3].map((days) => {
      const isLost = days === 1 || days === 2;
      return { day: addDays(today, days), lost: isLost, loaded: !isLost };
    }),
  );
  const gaps = await runCommand(stage, ["gaps", "--dataset", "app_rating", "--as-of", addDays(today, 3), "--json"], {
    settings,
  });
  expect(gaps.code).toBe(0);
  expect(gaps.stdout).toMatch(/"lost":\s*2/);
  // a day that is lost is noted once
  const noted = async () => (await stage.query("select from ops.slice where state = 'lost'")).length;
  const before = await noted();
  await on(3);
  expect(await noted()).toBe(before);
});

test("days on which a dataset was switched off are not lost, days on which nobody ran anything are", async () => {
  await using stage = await openStage({ today: addDays(today, 6), market: { countries: ["US"], keywordsPerApp: 2 } });
  const on = (days: number, isOn: boolean) =>
    stage.sync({ settings: { datasets: { app_rating: { on: isOn } } }, request: { today: addDays(today, days) } });
  for (const [days, isOn] of [
    [0, true],
    [1, false],
    // nobody runs anything on day 2
    [3, false],
    [4, true],
    [6, true],
  ] as const)
    await on(days, isOn);
  const lost = await stage.query<{ day: string }>(
    "select distinct window_start::text as day from ops.slice where state = 'lost' and dataset = 'app_rating' order by 1",
  );
  expect(lost).toEqual([{ day: addDays(today, 5) }]);
});

test("days without a request are lost also for a dataset that is switched off and requested by name", async () => {
  await using stage = await openStage({ today: addDays(today, 4), market: { countries: ["US"], keywordsPerApp: 2 } });
  const settings = { datasets: { app_rating: { on: false } } };
  for (const days of [0, 1, 3, 4])
    await stage.sync({ settings, request: { datasets: ["app_rating"], today: addDays(today, days) } });
  const lost = await stage.query<{ day: string }>(
    "select distinct window_start::text as day from ops.slice where state = 'lost' and dataset = 'app_rating'",
  );
  expect(lost).toEqual([{ day: addDays(today, 2) }]);
});

test("the incident about lost days names a command that shows all of them, also of a dataset that is off", async () => {
  await using stage = await openStage({ today: addDays(today, 2), market: { countries: ["US"], keywordsPerApp: 2 } });
  const settingsWith = (on: boolean) => ({ datasets: { app_rating: { on }, keyword_rank: { on: false } } });
  for (const days of [0, 2])
    await stage.sync({ settings: settingsWith(true), request: { today: addDays(today, days) } });
  const app = await stage.open();
  const [lost] = await dayProblems(app.warehouse.db, app.clock.now());
  const [, command = ""] = /`storehouse ([^`]+)`/.exec(lost === undefined ? "" : summaryOf(lost, "")) ?? [];
  const { stdout } = await runCommand(stage, [...command.split(" "), "--as-of", addDays(today, 2)], {
    settings: settingsWith(false),
  });
  for (const dataset of ["app_rating", "tracked_app", "tracked_country"])
    expect(stdout).toMatch(new RegExp(`^${dataset} .* ${addDays(today, 1)}$`, "m"));
});
