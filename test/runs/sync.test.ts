import { expect, test } from "vitest";
import { addDays, daysBetween, type Day } from "../../src/core/day.ts";
import { pricePlan } from "../../src/planner/backfill-plan.ts";
import { creditClasses } from "../../src/core/slice.ts";
import { openWithPortfolio } from "../support/backfill-stage.ts";
import { requestedDays, gateAfter, openStage, today, until, callText } from "../support/ingest-stage.ts";
import { factsOf, statesOf } from "../support/ingest-tables.ts";
import { calmRun } from "../support/ingest-witness.ts";
import { openSynced } from "../support/synced-stage.ts";

/** Where the number of requests is not the point. */
const small = { market: { apps: 1, countries: ["US"], keywordsPerApp: 4 } } as const;

/** An iOS app with two devices and an Android app. */
const twoApps = { apps: 2, countries: ["US"], keywordsPerApp: 4 } as const;

test("imports the portfolio, round by round, and then the market, without the day that is not published yet", async () => {
  await using stage = await openStage({ market: { apps: 2, keywordsPerApp: 8 } });
  const result = await stage.sync();
  expect(result).toMatchObject({ outcome: "loaded", leftOut: 0, error: null, progress: { open: 0, failed: 0 } });
  const operations = stage.requested().map(({ operation }) => operation);
  const rounds = operations.map((operation) => (operation?.startsWith("dashboard.") ? operation : "market"));
  expect(rounds.filter((round, index) => round !== rounds[index - 1])).toEqual([
    "dashboard.apps",
    "dashboard.number-of-keywords",
    "dashboard.daily-keyword-rankings",
    "market",
  ]);
  const facts = await factsOf(stage);
  expect(facts["core.tracked_app"]).toHaveLength(2);
  expect(facts["core.tracked_keyword"]).toHaveLength(2 * 2 * 8);
  // an iOS app with two devices, an Android app
  expect(facts["core.fact_keyword_rank"]).toHaveLength(3 * 2 * 8 * 4);
  const days = stage
    .requested()
    .flatMap(({ params }) => [params["date"], params["endDate"]].filter((one) => one != null));
  expect(days.sort().at(-1)).toBe(requestedDays().at(-1));
  expect(daysBetween(days.sort().at(-1) as Day, today)).toBe(1);
});

test("requests nothing and spends nothing when it runs a second time", async () => {
  await using stage = await openSynced(small);
  const before = await factsOf(stage);
  const left = stage.sandbox.account().remaining;
  expect(await stage.sync()).toMatchObject({ outcome: "loaded", progress: { total: 0, credits: 0 } });
  expect(stage.sandbox.log().map(({ path }) => path)).toEqual(["/api-key"]);
  expect(stage.sandbox.account().remaining).toBe(left);
  expect(await factsOf(stage)).toEqual(before);
});

test("goes by a learned price that makes another operation cheaper for a week, and then finds out what it is by now", async () => {
  await using stage = await openSynced(small);
  const night = async (nights: number, charged: string) => {
    await stage.query(
      `update ops.credit_cost set learned = 60, last_charged = 60, last_seen_at = $1::timestamptz where operation = 'ios.keyword-ranking'`,
      [charged],
    );
    const on = addDays(today, nights);
    stage.sandbox.set({ today: on });
    stage.sandbox.clearLog();
    await stage.sync({ request: { today: on, datasets: ["keyword_rank"] } });
    return [...new Set(stage.requested().map(({ operation }) => operation))].filter((one) => one?.startsWith("ios."));
  };
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  expect(await night(1, daysAgo(6))).toEqual(["ios.keyword-history"]);
  expect(await night(2, daysAgo(8))).toEqual(["ios.keyword-ranking"]);
});

test("a backfill is priced without a learned price that is a week old, as a night is planned", async () => {
  await using stage = await openSynced(small);
  const priced = async () => {
    await using app = await stage.open();
    const bounds = { start: addDays(today, -9), end: addDays(today, -7) };
    const requested = { datasets: ["keyword_rank"], bounds, apps: [], countries: [], newestFirst: false } as const;
    const { sum } = await pricePlan(app.warehouse.db, {
      requested: { ...requested, reprocess: "all", mostCredits: null },
      settings: app.config.settings,
      clock: app.clock,
    });
    return sum?.credits ?? 0;
  };
  const before = await priced();
  const learnedAt = (days: number) =>
    stage.query(
      `update ops.credit_cost set learned = 60, last_charged = 60, last_seen_at = now() - $1 * interval '1 day' where operation = 'ios.keyword-ranking'`,
      [days],
    );
  await learnedAt(6);
  expect(await priced()).toBeGreaterThan(before);
  await learnedAt(8);
  expect(await priced()).toBe(before);
});

test("requests a new keyword alone, over all of its days", async () => {
  await using stage = await openSynced({ market: twoApps });
  await using grown = await openStage({ database: stage.databaseUrl, market: { ...twoApps, keywordsPerApp: 5 } });
  const tomorrow = addDays(today, 1);
  grown.sandbox.set({ today: tomorrow });
  // the number of keywords is read again on the next day and shows that the list has grown
  await grown.sync({ request: { today: tomorrow, bounds: { start: addDays(today, -4), end: today } } });
  const market = grown.requested().filter(({ operation }) => operation?.includes("keyword-"));
  const ranks = market.filter(({ operation }) => !operation?.startsWith("dashboard."));
  const keywords = ranks.flatMap(({ params }) => params["keywords"] ?? params["keyword"]);
  const known = new Set(
    grown.sandbox.market.apps.flatMap((app) =>
      app.countries.flatMap((country) => grown.sandbox.market.trackedKeywords(app, country).slice(0, 4)),
    ),
  );
  expect(ranks.length).toBeGreaterThan(0);
  expect(keywords.filter((keyword) => known.has(String(keyword)))).toEqual([]);
  const rows = await grown.query<{ count: number }>("select count(*)::int as count from core.fact_keyword_rank");
  expect(rows).toEqual([{ count: 3 * 5 * 4 }]);
});

test("requests each list once on a night on which it is due and its number of keywords has changed", async () => {
  await using stage = await openSynced({ market: twoApps });
  await using grown = await openStage({ database: stage.databaseUrl, market: { ...twoApps, keywordsPerApp: 5 } });
  const nextWeek = addDays(today, 7);
  grown.sandbox.set({ today: nextWeek });
  await grown.sync({ request: { today: nextWeek } });
  const lists = grown.requested().filter(({ operation }) => operation === "dashboard.daily-keyword-rankings");
  expect(lists.map(callText).sort()).toEqual([...new Set(lists.map(callText))].sort());
  expect(lists).toHaveLength(2);
});

test("requests the next day alone when a day has passed", async () => {
  await using stage = await openSynced(small);
  const tomorrow = addDays(today, 1);
  stage.sandbox.set({ today: tomorrow });
  await stage.sync({ request: { today: tomorrow } });
  const days = stage.requested().flatMap(({ params }) => params["date"] ?? params["startDate"] ?? []);
  expect(new Set(days)).toEqual(new Set([today]));
});

test("requests the given days, both ends inclusive", async () => {
  await using stage = await openWithPortfolio(small);
  const bounds = { start: addDays(today, -9), end: addDays(today, -7) };
  await stage.sync({ request: { bounds } });
  const days = await stage.query<{ day: string }>(
    "select distinct to_char(date_day, 'YYYY-MM-DD') as day from core.fact_keyword_rank order by 1",
  );
  expect(days.map(({ day }) => day)).toEqual([bounds.start, addDays(bounds.start, 1)]);
});

test("takes in a dataset that is off when it is named, and what it is planned from", async () => {
  await using stage = await openStage(small);
  await stage.sync({ request: { datasets: ["top_keyword"] } });
  const loaded = await stage.query<{ dataset: string }>("select distinct dataset from ops.slice order by dataset");
  expect(loaded.map(({ dataset }) => dataset)).toEqual([
    "top_keyword",
    "tracked_app",
    "tracked_country",
    "tracked_keyword",
  ]);
});

test("takes its portfolio from the configuration without a request to the account", async () => {
  await using stage = await openStage();
  const portfolio = {
    source: "config" as const,
    apps: [{ id: 6446318020, countries: ["US"], keywords: ["c++ & c#", "to-do, list"] }],
  };
  const result = await stage.sync({ settings: { portfolio }, request: { datasets: ["keyword_rank"] } });
  expect(result.outcome).toBe("loaded");
  expect(stage.requested().filter(({ operation }) => operation?.startsWith("dashboard."))).toEqual([]);
  expect((await factsOf(stage))["core.fact_keyword_rank"]).toHaveLength(2 * 2 * 4);
});

test("spends what is allowed on what is lost first when missed", async () => {
  await using stage = await openWithPortfolio(small);
  const result = await stage.sync({
    maxCredits: 10,
    settings: { datasets: { keyword_metadata: { on: true }, keyword_rank: { history_days: 20 } } },
  });
  expect(result.outcome).toBe("deferred");
  const classes = await stage.query<{ class: string }>(
    "select class from ops.request where dataset in ('keyword_rank', 'keyword_metadata') order by request_id",
  );
  expect(new Set(classes.map((row) => row.class))).toEqual(new Set([creditClasses[0]]));
});

test("does not request one cell twice when two run at the same time", async () => {
  await using stage = await openStage({ ...small, latencyMs: 5 });
  await Promise.all([stage.sync(), stage.sync()]);
  await stage.sync();
  const callTexts = stage.requested().map(callText);
  expect(callTexts.length).toBe(new Set(callTexts).size);
  expect(await statesOf(stage)).toEqual({ loaded: callTexts.length });
});

test("takes over the slices of a run whose process is gone, and leaves those of a living one", async () => {
  const gate = gateAfter(5);
  await using stage = await openStage({ ...small, clock: gate.clock, latencyMs: gate.latencyMs });
  const stop = new AbortController();
  const first = stage.sync({ stop: stop.signal, settings: { api: { concurrency: 1 } } });
  await until(() => gate.held() > 0);
  await using beside = await openStage({ ...small, database: stage.databaseUrl });
  const waitedFor: number[] = [];
  const second = beside.sync({ progress: ({ elsewhere }) => waitedFor.push(elsewhere) });
  // the person who started it sees what it waits for
  await until(() => waitedFor.some((slices) => slices > 0));
  expect(beside.requested()).toEqual([]);
  stop.abort();
  gate.open();
  expect((await first).outcome).toBe("interrupted");
  expect((await second).outcome).toBe("loaded");
  expect(waitedFor.at(-1)).toBe(0);
  expect(beside.requested()).not.toEqual([]);
  const callTexts = [...stage.requested(), ...beside.requested()].map(callText);
  expect(callTexts.length).toBe(new Set(callTexts).size);
});

test("runs failed slices again when the option says so, and only those", async () => {
  await using stage = await openWithPortfolio(small);
  stage.sandbox.set({ faults: [{ operation: "ios.keyword-ranking", times: 2, kind: "status", status: 418 }] });
  expect(await stage.sync()).toMatchObject({ outcome: "failed", progress: { failed: 2 } });
  stage.sandbox.clearLog();
  expect(await stage.sync()).toMatchObject({
    outcome: "failed",
    progress: { total: 0 },
    left: { failedBefore: 2, nextTryAt: expect.any(Date) as Date },
  });
  // each run is on record with what became of its own slices
  expect(await stage.query("select outcome from ops.run_summary order by run_id desc limit 2")).toEqual([
    { outcome: "loaded" },
    { outcome: "failed" },
  ]);
  expect(stage.requested()).toEqual([]);
  expect(await stage.retry()).toMatchObject({ outcome: "loaded", progress: { total: 2, failed: 0 } });
  expect(stage.requested()).toHaveLength(2);
  expect(await factsOf(stage)).toEqual((await calmRun(small)).facts);
});

test("a retry that makes a part of the portfolio good has the workers plan what follows from it", async () => {
  await using stage = await openStage(small);
  stage.sandbox.set({
    faults: [{ operation: "dashboard.number-of-keywords", times: 1, kind: "status", status: 418 }],
  });
  expect(await stage.sync()).toMatchObject({ outcome: "failed" });
  const planned = () => stage.query("select task_identifier as task from graphile_worker.jobs");
  expect(await planned()).toEqual([]);
  expect(await stage.retry()).toMatchObject({ outcome: "loaded" });
  expect(await planned()).toEqual([{ task: "plan_due" }]);
});
