import { expect, test } from "vitest";
import { addDays, daysBetween, type Day } from "../../src/core/day.ts";
import { runCommand } from "../support/command.ts";
import { openProxy } from "../support/ingest-proxy.ts";
import { openStage, today, type Stage } from "../support/ingest-stage.ts";
import { long } from "../support/long.ts";

/** What the service reports of one chart. */
type Chart = { readonly rankingType: string; rankingsByDate: readonly { readonly date: string }[] };

/** Apps of both stores in one country. */
const oneCountry = { countries: ["US"], keywordsPerApp: 2, organicKeywords: 2 } as const;

const on = (...names: readonly string[]) => ({
  datasets: Object.fromEntries(names.map((name) => [name, { on: true }])),
});
const requestedFor = (stage: Stage, operation: string) =>
  stage.requested().filter((request) => request.operation === operation);

// where ends are inclusive every other test has them so
test.each(long ? (["inclusive", "exclusive"] as const) : (["exclusive"] as const))(
  "visibility has every day exactly once, with an end that the service takes as %s, for one call a store",
  async (openEnd) => {
    await using stage = await openStage({ market: { apps: 2, keywordsPerApp: 2 }, openEnd });
    await stage.sync({
      settings: { datasets: { visibility: { on: true, history_days: 40 } } },
      request: { datasets: ["visibility"] },
    });
    expect(requestedFor(stage, "ios.visibility-history")).toHaveLength(1);
    expect(requestedFor(stage, "android.visibility-history")).toHaveLength(1);
    const rows = await stage.query<{ first: string; last: string; days: number }>(
      `select min(date_day)::text as first, max(date_day)::text as last, count(*)::int as days
       from core.fact_visibility group by app_key, country_key`,
    );
    const { market } = stage.sandbox;
    const { apps } = market;
    const requested = new Set([...apps, ...apps.flatMap((app) => market.competitors(app))]);
    expect(requested.size).toBeGreaterThan(apps.length);
    expect(rows).toHaveLength(2 * requested.size);
    for (const row of rows) expect(row).toEqual({ first: addDays(today, -40), last: addDays(today, -1), days: 40 });
  },
);

test("an app is described by its iOS page, and the account's list does not overwrite that; a page without a name, or without the developer's, overwrites nothing", async () => {
  await using stage = await openStage({ market: oneCountry });
  const removed = stage.sandbox.market.apps.find(({ store }) => store === "ios")?.trackId ?? "";
  await using proxy = await openProxy(stage.sandbox, (passing) => {
    if (passing.target.includes(`/app/detailed/${removed}`))
      passing.body = JSON.stringify({ trackId: Number(removed), removed: true });
  });
  const environment = { API_BASE_URL: proxy.url };
  for (const day of [today, addDays(today, 1)])
    await stage.sync({ settings: on("app_history"), request: { datasets: ["app_history"], today: day }, environment });
  const described = await stage.query(
    `select distinct a.store, t.app_key is not null as tracked, a.described_by
     from   core.dim_app as a left join core.tracked_app as t using (app_key)
     where  a.app_name is not null and a.category_id is not null and a.developer_name is not null and a.track_id <> $1
     union  all
     select 'page without a name', true, described_by from core.dim_app where track_id = $1 and app_name is not null
     order  by 1, 2`,
    [removed],
  );
  // competitors that nobody follows have nothing but the list
  expect(described).toEqual([
    { store: "android", tracked: false, described_by: "tracked_competitor" },
    { store: "android", tracked: true, described_by: "tracked_app" },
    { store: "ios", tracked: false, described_by: "tracked_competitor" },
    { store: "ios", tracked: true, described_by: "app_history" },
    { store: "page without a name", tracked: true, described_by: "tracked_app" },
  ]);
});

test("an app is requested once a week, and at once when a release came out", async () => {
  const names = ["app_version", "app_history"];
  const syncOn = (day: Day) => stage.sync({ settings: on(...names), request: { datasets: names, today: day } });
  await using stage = await openStage({ market: oneCountry });
  await syncOn(today);
  const first = requestedFor(stage, "ios.app-detail").length;
  expect(first).toBe(2);
  await syncOn(addDays(today, 1));
  expect(requestedFor(stage, "ios.app-detail")).toHaveLength(first);
  await stage.query(
    `insert into core.app_version (app_key, country_key, language_code, version_at, version, slice_id, fetched_at)
     select app_key, 840, '', '2026-08-20T10:00:00', '99', 1, now() from core.dim_app where store = 'ios' order by track_id limit 1`,
  );
  await syncOn(addDays(today, 2));
  expect(requestedFor(stage, "ios.app-detail")).toHaveLength(first + 1);
});

// test/runs/moved-snapshots.test.ts sees that every day
test.runIf(long)("ratings of each day stay beside those of the days before", async () => {
  await using stage = await openStage({ market: oneCountry });
  for (const day of [today, addDays(today, 1)])
    await stage.sync({ settings: on("app_rating"), request: { datasets: ["app_rating"], today: day } });
  const rows = await stage.query<{ days: number }>(
    "select count(distinct date_day)::int as days from core.fact_app_rating group by app_key, country_key, language_code",
  );
  expect(rows.map(({ days }) => days)).toEqual([2, 2, 2]);
});

test("ranks in charts are requested a week at a time, each day once; requested again, a day has the charts of the newer answer", async () => {
  await using stage = await openStage({ market: { apps: 1, countries: ["US"] } });
  const settings = { datasets: { category_rank: { on: true, history_days: 14 } } };
  for (const past of long ? [8, 7, 4, 1, 0] : [8, 7, 0])
    await stage.sync({
      settings,
      request: { datasets: ["category_rank"], today: addDays(today, -past) },
    });
  const requested = requestedFor(stage, "ios.category-ranking").filter(
    ({ params }) => params["countryCode"] === "US" && params["trackId"] === "6446318020",
  );
  const days = requested.flatMap(({ params: { startDate, endDate } }) =>
    Array.from({ length: daysBetween(startDate as typeof today, endDate as typeof today) }, (_, index) =>
      addDays(startDate as typeof today, index),
    ),
  );
  expect(requested.length).toBeLessThanOrEqual(3);
  expect(new Set(days).size).toBe(days.length);

  const [moved, silent] = [addDays(today, -12), addDays(today, -11)];
  await using proxy = await openProxy(stage.sandbox, (passing) => {
    if (!passing.target.includes("/rankings/")) return;
    const answer = JSON.parse(passing.body) as { ranksByCategory: Record<string, Record<string, Chart[]>> };
    for (const charts of Object.values(answer.ranksByCategory["US"] ?? {}).flat())
      charts.rankingsByDate = charts.rankingsByDate.filter(
        ({ date }) => !date.startsWith(silent) && !(charts.rankingType === "GROSSING" && date.startsWith(moved)),
      );
    passing.body = JSON.stringify(answer);
  });
  const charts = () =>
    stage.query<{ day: string; grossing: number; others: number }>(
      `select date_day::text as day, (count(*) filter (where chart = 'GROSSING'))::int as grossing, (count(*) filter (where chart <> 'GROSSING'))::int as others
       from   core.fact_category_rank where date_day = any ($1::date[]) group by 1 order by 1`,
      [[moved, silent]],
    );
  const [before, untouched] = await charts();
  expect(before?.grossing).toBeGreaterThan(0);
  const again = ["backfill", "--dataset", "category_rank", "--from", addDays(today, -14), "--to", addDays(today, -10)];
  const variables = { API_BASE_URL: proxy.url };
  const ended = await runCommand(stage, [...again, "--reprocess", "all", "--as-of", today, "--yes"], {
    settings,
    variables,
  });
  expect(ended.code).toBe(0);
  expect(await charts()).toEqual([{ ...before, grossing: 0 }, untouched]);
});
