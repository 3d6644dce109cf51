import { describe, expect, test } from "vitest";
import { addDays } from "../../src/core/day.ts";
import { datasets } from "../../src/datasets/shared/all.ts";
import { loadedFigures } from "../../src/datasets/shared/account-figures.ts";
import { forTests } from "../support/for-tests.ts";
import { openProxy } from "../support/ingest-proxy.ts";
import { openStage, today, type RunOptions, type SettingsInput, type Stage } from "../support/ingest-stage.ts";
import { everything, rebuild } from "../support/replay-stage.ts";

const market = { countries: ["US"], keywordsPerApp: 2 } as const;
const figures = ["dashboard.sales-metrics", "dashboard.retention-history"];
const names = ["sales_metric", "retention"];
const historyDays = 30;
const settings = { datasets: Object.fromEntries(names.map((name) => [name, { on: true, history_days: historyDays }])) };

/** A figure as the service reports it: sales name their country in one way, retention in another. */
type Point = { readonly date: string | number; readonly country?: string; readonly countryCode?: string };

const isAbout = ({ country, countryCode }: Point, code: string) => (country ?? countryCode) === code;

/** What was requested since so many requests ago, as `app context start end`. */
const requestedSince = (stage: Stage, before: number) =>
  stage
    .requested()
    .slice(before)
    .filter(({ operation }) => figures.includes(operation ?? ""))
    .map(({ params: { trackId, context = "retention", start, end } }) => [trackId, context, start, end].join(" "));

async function night(
  stage: Stage,
  day: typeof today,
  {
    environment = {},
    portfolio,
  }: { environment?: RunOptions["environment"]; portfolio?: SettingsInput["portfolio"] } = {},
) {
  const before = stage.requested().length;
  stage.sandbox.set({ today: day });
  const chosen = portfolio === undefined ? settings : { ...settings, portfolio };
  await stage.sync({ settings: chosen, request: { datasets: names, today: day }, environment });
  return requestedSince(stage, before);
}

test("the figures of a connected app cost a credit each a night, restated days and all; others wait four weeks", async () => {
  await using stage = await openStage({ market });
  const connected = stage.sandbox.market.apps.filter((_, index) => index % 2 === 0).map(({ trackId }) => trackId);
  await night(stage, today);
  const next = await night(stage, addDays(today, 1));
  const days = `${addDays(today, -7)} ${today}`;
  expect(next.toSorted()).toEqual(
    connected
      .flatMap((app) => ["DOWNLOAD", "REVENUE_TOTAL", "PAGE_VIEW", "retention"].map((what) => `${app} ${what} ${days}`))
      .toSorted(),
  );
});

describe("countries", () => {
  const stage = forTests(() => openStage({ market: { ...market, countries: ["US", "JP"] } }));

  /** Days on which countries and their total differ, of each table. */
  const unequal = async () =>
    (
      await stage.query<{ day: string }>(
        `select distinct date_day::text as day from core.fact_sales_metric group by app_key, context, date_day
         having sum(units) filter (where is_total) <> sum(units) filter (where not is_total)
         union all
         select distinct date_day::text from core.fact_retention group by app_key, date_day
         having sum(android_store_visit_count) filter (where is_total) <> sum(android_store_visit_count) filter (where not is_total)`,
      )
    ).map(({ day }) => day);

  test("add up to the total, which is marked", async () => {
    await night(stage, today);
    const [counts] = await stage.query(
      `select count(distinct date_day)::int as days, count(*) filter (where is_total <> (country_key = 0))::int as marked,
              bool_and(units > 0) filter (where context = 'DOWNLOAD' and is_total) as is_sold
       from   core.fact_sales_metric`,
    );
    expect(counts).toEqual({ days: historyDays, marked: 0, is_sold: true });
    expect(await unequal()).toEqual([]);
  });

  test("that the service no longer reports of a day are gone from it, and stay on days of which it says nothing", async () => {
    const [silent, restated] = [addDays(today, -5), addDays(today, -3)];
    await using proxy = await openProxy(stage.sandbox, (passing) => {
      if (!passing.target.includes("/data-history/")) return;
      const { data, ...rest } = JSON.parse(passing.body) as { data: Point[] };
      const isOn = (day: string, { date }: Point) => new Date(date).toISOString().startsWith(day);
      const left = data.filter((point) => !isOn(silent, point) && !(isOn(restated, point) && isAbout(point, "JP")));
      const us = left.find((point) => isOn(restated, point) && isAbout(point, "US"));
      const total = { ...us, ...(us?.country === undefined ? { countryCode: "ALL" } : { country: "ALL" }) };
      const answer = left.map((point) => (isOn(restated, point) && isAbout(point, "ALL") ? total : point));
      passing.body = JSON.stringify({ ...rest, data: answer });
    });
    await night(stage, addDays(today, 1), { environment: { API_BASE_URL: proxy.url } });
    expect(await unequal()).toEqual([]);
    const days = await stage.query<{ day: string; countries: number }>(
      `select date_day::text as day, count(distinct country_key)::int as countries from core.fact_sales_metric
       where date_day = any ($1::date[]) group by 1 order by 1`,
      [[silent, restated]],
    );
    expect(days).toEqual([
      { day: silent, countries: 3 },
      { day: restated, countries: 2 },
    ]);
    const compared = await stage.query<{ day: string; moved: boolean }>(
      `select date_day::text as day, bool_or(moved_count > 0) as moved from ops.compared_day
       where table_name = 'core.fact_sales_metric' and date_day = any ($1::date[]) group by 1`,
      [[silent, restated]],
    );
    expect(compared).toEqual([{ day: restated, moved: true }]);
    const before = await everything(stage);
    await rebuild(stage, names);
    expect(await everything(stage)).toEqual(before);
  });
});

test("an account that was not connected is requested again later, and then back to the beginning", async () => {
  await using stage = await openStage({ market });
  stage.sandbox.set({ connected: false });
  expect((await night(stage, today)).length).toBe(12);
  expect(await night(stage, addDays(today, 1))).toEqual([]);
  stage.sandbox.set({ connected: true });
  const later = addDays(today, 30);
  await night(stage, later);
  const [days] = await stage.query(
    "select min(date_day)::text as first, max(date_day)::text as last, count(distinct date_day)::int as days from core.fact_sales_metric",
  );
  expect(days).toEqual({ first: addDays(later, -historyDays), last: addDays(later, -1), days: historyDays });
});

describe("apps that only the configuration lists", () => {
  const stage = forTests(() => openStage({ market }));
  const ofApps = () => {
    const apps = stage.sandbox.market.apps.map(({ trackId }) => ({
      id: trackId,
      countries: ["US"],
      keywords: [],
    }));
    return { portfolio: { source: "config" as const, apps } };
  };
  const connected = () => stage.sandbox.market.apps.filter((_, index) => index % 2 === 0).map(({ trackId }) => trackId);
  const appsIn = (requested: readonly string[]) => [...new Set(requested.map((one) => one.split(" ")[0]))].toSorted();

  test("are requested each night once they have figures, others wait four weeks", async () => {
    await night(stage, today, ofApps());
    expect(appsIn(await night(stage, addDays(today, 1), ofApps()))).toEqual(connected().toSorted());
    expect(appsIn(await night(stage, addDays(today, 2), ofApps()))).toEqual(connected().toSorted());
  });

  test("have figures if any dataset that is planned from this has some", async () => {
    const [view] = await stage.query<{ text: string }>("select pg_get_viewdef('ops.loaded_figure') as text");
    const planned = datasets.filter(({ plannedFrom }) => plannedFrom?.includes(loadedFigures.name));
    expect(planned.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
    expect(planned.filter(({ name }) => !view?.text.includes(`'${name}'`))).toEqual([]);
  });

  test("wait four weeks again some weeks after their last figures", async () => {
    stage.sandbox.set({ connected: false });
    expect(appsIn(await night(stage, addDays(today, 20), ofApps()))).toEqual(connected().toSorted());
    await night(stage, addDays(today, 60), ofApps());
    expect(await night(stage, addDays(today, 61), ofApps())).toEqual([]);
  });
});
