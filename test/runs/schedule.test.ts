import { writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { openIngest } from "../../src/open-ingest.ts";
import { scheduleReport } from "../../src/cli/commands/schedule.ts";
import { addDays, dayOf, type Day } from "../../src/core/day.ts";
import { createRunLimit } from "../../src/credits/run-limit.ts";
import { scheduled } from "../../src/planner/scheduled-datasets.ts";
import { planDue } from "../../src/runs/scheduled-run.ts";
import { createPriceForecaster } from "../../src/planner/price-schedule.ts";
import { readNextRuns, writeNextRuns } from "../../src/ledger/next-runs.ts";
import { announceRuns } from "../../src/worker/announce-runs.ts";
import { runWorker } from "../support/agreed-worker.ts";
import { runCommand } from "../support/command.ts";
import { temporaryFolder } from "../support/folder.ts";
import { openStage, today, until, type RunOptions, type Stage } from "../support/ingest-stage.ts";
import { isIdleAfter, lastRunOf } from "../support/ingest-tables.ts";
import { charged } from "../support/ingest-witness.ts";
import { openSynced } from "../support/synced-stage.ts";

const portfolioLists = ["tracked_app", "tracked_country", "tracked_keyword"];
const nights = 6;
/** An app that is synced once for all tests that begin with one. */
const small = { market: { apps: 1, countries: ["US"] } } as const;
/** An iOS app of the market that the sandbox makes up, and keywords that are known there. */
let app: string;
let keywords: readonly string[];

beforeAll(async () => {
  await using stage = await openSynced(small);
  const rows = await stage.query<{ app: string; keyword: string }>(
    `select distinct track_id as app, keyword from core.fact_keyword_rank join core.dim_app as a using (app_key) join core.dim_keyword using (keyword_key)
     where  a.store = 'ios' and keyword ~ '^[a-z ]+$' order by 1, 2`,
  );
  app = rows[0]?.app ?? "";
  keywords = rows.filter((row) => row.app === app).map(({ keyword }) => keyword);
});

/** What happens on a day: triggers of the schedule, by the names of their datasets, and then a worker until nothing is open. */
async function on(stage: Stage, day: Day, run: RunOptions = {}): Promise<void> {
  await using opened = await stage.open({ ...run, request: { today: day } });
  const stop = new AbortController();
  const last = await lastRunOf(stage);
  const running = runWorker(opened, stop.signal);
  const ranked = async () =>
    (await stage.query("select from ops.slice where dataset = 'keyword_rank' limit 1")).length > 0;
  await Promise.race([until(async () => (await ranked()) && (await isIdleAfter(stage, last))), running]);
  stop.abort();
  expect(await running).toBeNull();
}

/** Ticks without a worker. Returns how many slices each planned. */
async function trigger(
  stage: Stage,
  triggers: readonly (readonly string[])[],
  run: RunOptions = {},
): Promise<number[]> {
  await using opened = await stage.open(run);
  await using ingest = await openIngest(opened, "worker", createRunLimit(null));
  const before = await stage.query("select from ops.run");
  const { settings } = opened.config;
  for (const names of triggers) await planDue(ingest.parts, settings, scheduled(names, settings));
  const runs = await stage.query<{ slices: number }>("select planned_slices as slices from ops.run order by run_id");
  return runs.slice(before.length).map(({ slices }) => slices);
}

const daysOf = async (stage: Stage) =>
  (await stage.query<{ day: Day }>("select distinct date_day::text as day from core.fact_keyword_rank order by 1")).map(
    ({ day }) => day,
  );

/** Apps of the configuration alone: nothing has to be read before the market is planned. */
const listed = (
  countries: readonly string[],
  words: readonly string[],
  days = 4,
): NonNullable<RunOptions["settings"]> => ({
  portfolio: { source: "config", apps: [{ id: app, countries: [...countries], keywords: [...words] }] },
  datasets: { keyword_rank: { history_days: days } },
});

test("a night that was missed is caught up by the next one, priced, and nothing is requested twice", async () => {
  await using stage = await openSynced(small);
  stage.sandbox.set({ today: addDays(today, nights) });
  await on(stage, addDays(today, 3));
  expect(await daysOf(stage)).toEqual([-4, -3, -2, -1, 0, 1, 2].map((offset) => addDays(today, offset)));
  const [run] = await stage.query<{ credits: number }>(
    "select sum(planned_credits)::int as credits from ops.run where as_of = $1",
    [addDays(today, 3)],
  );
  expect(run?.credits).toBe(charged(stage.requested()));
});

test("a new country and a new keyword are caught up automatically, and cost no more than they are", async () => {
  await using stage = await openStage();
  const [one = "", other = ""] = keywords;
  await on(stage, today, { settings: listed(["US"], [one]) });
  const first = charged(stage.requested());
  await on(stage, today, { settings: listed(["US"], [one]) });
  expect([first > 0, charged(stage.requested())]).toEqual([true, first]);
  await on(stage, today, { settings: listed(["US", "JP"], [one, other]) });
  const cells = await stage.query<{ country: string; keyword: string; days: number }>(
    `select country_code as country, keyword, count(distinct date_day)::int as days
     from   core.fact_keyword_rank join core.dim_country using (country_key) join core.dim_keyword using (keyword_key)
     group  by 1, 2 order by 1, 2`,
  );
  expect(cells).toEqual(
    ["JP", "US"].flatMap((country) => [one, other].map((keyword) => ({ country, keyword, days: 4 }))),
  );
  const [runs] = await stage.query<{ credits: number }>("select sum(planned_credits)::int as credits from ops.run");
  expect(runs?.credits).toBe(charged(stage.requested()));
});

test("a trigger while the work of an earlier one is queued queues nothing twice and leaves what is queued where it is", async () => {
  await using stage = await openStage();
  const settings = listed(["US", "JP"], keywords.slice(0, 1));
  const planned = await trigger(stage, [[], [], ["keyword_rank"]], { settings });
  expect(planned[0]).toBeGreaterThan(0);
  expect(planned.slice(1)).toEqual([0, 0]);
  const runs = await stage.query("select distinct run_id from ops.slice");
  expect(runs).toHaveLength(1);
});

test("a trigger costs nothing where all is fresh", async () => {
  await using stage = await openSynced(small);
  const requested = stage.requested().length;
  expect(await trigger(stage, [portfolioLists, portfolioLists, []])).toEqual([0, 0, 0]);
  expect(stage.requested().length).toBe(requested);
});

test("a line plans what it names also when that is off by default, but nothing that the configuration switches off or that the account does not count for", async () => {
  await using stage = await openStage();
  const settings = listed(["US"], keywords.slice(0, 1));
  const [named] = await trigger(stage, [["keyword_metadata"]], { settings });
  expect(named).toBeGreaterThan(0);
  const off = { ...settings, datasets: { ...settings.datasets, keyword_rank: { on: false } } };
  expect(await trigger(stage, [["keyword_rank"], portfolioLists], { settings: off })).toEqual([]);
});

test("a dataset that the configuration switches off is not requested because another one is planned from it, and not priced", async () => {
  await using stage = await openStage();
  const datasets = {
    search_ads_top_app: { on: true },
    search_ads_integration: { on: false },
    keyword_rank: { on: false },
  };
  const settings = { ...listed(["US"], keywords.slice(0, 1)), datasets };
  expect(await trigger(stage, [[], ["search_ads_top_app"]], { settings })).toEqual([0, 0]);
  await using opened = await stage.open({ settings });
  const forecaster = createPriceForecaster({
    db: opened.warehouse.db,
    settings: opened.config.settings,
    accountId: "",
    today,
  });
  expect((await forecaster.run([], today)).price).toMatchObject({ datasets: [], slices: 0 });
});

test("days of a backfill are requested newest first, after the day before, and only down to the floor of their class", async () => {
  const total = 60;
  await using stage = await openStage({ accounts: [{ token: "sandbox-token", total, periodHours: 1_000 }] });
  const settings = {
    ...listed(["US"], keywords),
    datasets: { keyword_rank: { history_days: 14, longest_window: 1 } },
    api: { concurrency: 1 },
    credits: { floors: { snapshot: 0, daily: 0, lookback: 0, history: 0.5 } },
  };
  await on(stage, today, { settings });
  const done = await stage.query<{ class: string; day: Day }>(
    `select s.class, (s.window_end - 1)::text as day from ops.request as r join ops.slice as s using (slice_id)
     where  s.dataset = 'keyword_rank' order by r.request_id`,
  );
  expect(done[0]?.class).toBe("daily");
  const backfill = done.filter((slice) => slice.class === "history").map(({ day }) => day);
  expect(backfill.length).toBeGreaterThan(1);
  expect(backfill).toEqual([...backfill].sort().toReversed());
  expect(await stage.query("select from ops.slice where class = 'history' and state = 'deferred'")).not.toEqual([]);
  expect(stage.sandbox.account().remaining).toBeGreaterThanOrEqual(total * 0.5);
});

test("the schedule prices each run as what it will cost, and writes and requests nothing", async () => {
  await using stage = await openSynced(small);
  stage.sandbox.set({ today: addDays(today, nights) });
  await using opened = await stage.open();
  const clock = { ...opened.clock, now: () => Date.parse(`${today}T05:00:00Z`) };
  const before = [
    stage.sandbox.log().length,
    await stage.query("select from ops.slice"),
    await stage.query("select from ops.run"),
  ];
  const { runs, isPortfolioKnown, never } = await scheduleReport({ ...opened, clock }, 2);
  expect([
    stage.sandbox.log().length,
    await stage.query("select from ops.slice"),
    await stage.query("select from ops.run"),
  ]).toEqual(before);
  expect([isPortfolioKnown, never]).toEqual([true, []]);
  expect(runs.map(({ at }) => at)).toEqual(runs.map(({ at }) => at).sort());
  expect(runs.filter(({ id }) => id === "hourly").map(({ price }) => price?.credits)).toEqual([0, 0]);
  const nightly = runs.filter(({ id }) => id === "nightly");
  expect(nightly).toHaveLength(2);
  for (const night of nightly) {
    const day = night.at.slice(0, 10) as Day;
    // the hour before it reads the lists
    await stage.sync({ request: { today: day, datasets: runs.find(({ id }) => id === "hourly")?.datasets ?? [] } });
    const from = charged(stage.requested());
    await stage.sync({ request: { today: day } });
    expect(night.price?.credits).toBe(charged(stage.requested()) - from);
  }
});

test("a line that runs after a night is not priced with the lists that the night reads, however far it is", async () => {
  await using stage = await openSynced(small);
  using folder = temporaryFolder();
  const crontab = path.join(folder.path, "crontab");
  const night = "0 4 * * * plan_due ?id=nightly&jobKey=nightly {}";
  writeFileSync(crontab, `${night}\n30 7 2 * * plan_due ?id=monthly&jobKey=monthly {"datasets":["ad_badge"]}\n`);
  await using opened = await stage.open({ environment: { STOREHOUSE_CRONTAB: crontab } });
  const clock = { ...opened.clock, now: () => Date.parse(`${today}T05:00:00Z`) };
  const { runs } = await scheduleReport({ ...opened, clock }, 2);
  const monthly = runs.filter(({ id }) => id === "monthly").map(({ price }) => price?.datasets);
  expect(monthly).toEqual([["ad_badge"], ["ad_badge"]]);
});

test("a line of each week is priced with the nights before it, however few runs of each line are shown", async () => {
  await using stage = await openSynced(small);
  await using opened = await stage.open({ settings: { datasets: { category_rank: { on: true } } } });
  const clock = { ...opened.clock, now: () => Date.parse(`${today}T05:00:00Z`) };
  const weekly = async (count: number) =>
    (await scheduleReport({ ...opened, clock }, count)).runs.find(({ id }) => id === "weekly");
  const [alone, amongNights] = [await weekly(1), await weekly(5)];
  expect(amongNights?.price?.slices).toBe(alone?.price?.slices);
  expect(alone).toEqual(amongNights);
});

test("the ledger knows the next runs at the prices that the schedule shows, and forgets lines that are gone", async () => {
  await using stage = await openStage();
  await stage.sync({ settings: listed(["US"], keywords.slice(0, 2)) });
  await using opened = await stage.open({ settings: listed(["US"], keywords.slice(0, 2)) });
  const now = Date.parse(`${today}T05:00:00Z`);
  const morning = { ...opened, clock: { ...opened.clock, now: () => now } };
  const gone = {
    line: "gone",
    datasets: [],
    slices: 1,
    requests: 1,
    credits: 1,
    at: now + 1,
    pricedAt: now,
    overBudget: { slices: 0, credits: 0 },
  };
  await writeNextRuns(opened.warehouse.db, [gone], "");
  await announceRuns(morning, new AbortController().signal);
  const { runs } = await scheduleReport(morning, 1);
  const known = await readNextRuns(opened.warehouse.db, now, "");
  expect(known.map(({ line, at, credits, slices }) => [line, at, credits, slices])).toEqual(
    runs.flatMap(({ id, at, price }) => (price === null ? [] : [[id, Date.parse(at), price.credits, price.slices]])),
  );
  expect(known[0]).toMatchObject({ line: "hourly", credits: 0 });
  expect(known.find(({ line }) => line === "nightly")?.credits).toBeGreaterThan(0);
  const later = known[0]?.at ?? 0;
  expect(await readNextRuns(opened.warehouse.db, later, "")).toEqual(known.slice(1));
});

test("a dataset that the configuration switches off is not due because a line of the crontab names it", async () => {
  await using stage = await openStage();
  const { datasets, ...market } = listed(["US"], keywords.slice(0, 1));
  const withRanks = (isOn: boolean) => ({ ...market, datasets: { ...datasets, category_rank: { on: isOn } } });
  await stage.sync({ settings: withRanks(true) });
  const due = async () =>
    (await stage.query("select from ops.freshness where dataset = 'category_rank' and due_day is not null")).length > 0;
  expect(await due()).toBe(true);
  await using opened = await stage.open({ settings: withRanks(false) });
  const clock = { ...opened.clock, now: () => Date.parse(`${today}T05:00:00Z`) };
  await announceRuns({ ...opened, clock }, new AbortController().signal);
  await stage.sync({ settings: withRanks(false) });
  const naming = await stage.query("select line_id from ops.next_run where 'category_rank' = any (datasets)");
  expect(naming).toEqual([{ line_id: "weekly" }]);
  expect(await due()).toBe(false);
});

test("a worker announces the next runs when it has planned", async () => {
  await using stage = await openStage();
  await using opened = await stage.open({ settings: listed(["US"], keywords.slice(0, 1)) });
  const clock = { ...opened.clock, today: () => dayOf(opened.clock.now()) };
  const stop = new AbortController();
  const running = runWorker({ ...opened, clock }, stop.signal);
  const announced = async () => (await stage.query("select from ops.next_run")).length > 0;
  await Promise.race([until(announced), running]);
  stop.abort();
  expect(await running).toBeNull();
  expect(await announced()).toBe(true);
});

test("says of an account of which nothing is known that it is so", async () => {
  await using stage = await openStage();
  const ended = await runCommand(stage, ["schedule", "--json", "--count", "1"]);
  expect(ended.code).toBe(0);
  const schedule = JSON.parse(ended.stdout);
  expect(schedule).toMatchObject({ isPortfolioKnown: false });
  expect(schedule.runs.map(({ task }: { task: string }) => task).sort()).toEqual([
    "export",
    ...Array<string>(4).fill("plan_due"),
    "publish",
    "retention",
  ]);
});

test.each(["worker", "schedule"])(
  "`storehouse %s` ends with 2 at a crontab that does not fit, and names the line",
  async (command) => {
    await using stage = await openStage();
    const ended = await runCommand(stage, [command], { variables: { STOREHOUSE_CRONTAB: import.meta.filename } });
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(/bad_crontab: .*schedule\.test\.ts line 1:/);
  },
);
