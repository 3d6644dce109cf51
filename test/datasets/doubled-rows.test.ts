import { expect, test } from "vitest";
import { addDays, type Day } from "../../src/core/day.ts";
import { openWithPortfolio, planned, runPlanned } from "../support/backfill-stage.ts";
import { openProxy } from "../support/ingest-proxy.ts";
import { today, type Stage } from "../support/ingest-stage.ts";
import { long } from "../support/long.ts";

const market = { apps: 2, countries: ["US"], keywordsPerApp: 2 } as const;

type Served = { readonly path: string; readonly dataset: string };

/** Loads one dataset anew, as on a day, from a service that answers a path with `data`. */
async function take(stage: Stage, { path, dataset }: Served, data: unknown, on: Day = today): Promise<void> {
  await using proxy = await openProxy(stage.sandbox, (passing) => {
    if (passing.status === 200 && passing.target.includes(path)) passing.body = JSON.stringify(data);
  });
  const run = { settings: { datasets: { [dataset]: { on: true } } }, environment: { API_BASE_URL: proxy.url } };
  const { planId } = await planned(stage, { datasets: [dataset], bounds: {}, reprocess: "all", on }, run);
  await runPlanned(stage, planId, { ...run, on });
}

const rejects = async (stage: Stage) =>
  (await stage.query<{ reason: string }>("select reason from ops.reject order by reason")).map(({ reason }) => reason);

const differs = "a second row with the same key";

test("a chart that is fetched again has one app a rank: a doubled entry is one, and one that does not fit keeps nobody", async () => {
  await using stage = await openWithPortfolio({ market });
  const chart = { path: "/androidstore-category/topcharts/", dataset: "top_chart" };
  const entries = (...apps: readonly string[]) =>
    apps.map((app) => ({ trackId: `com.${app[0]}`, rank: Number(app.slice(1)), category: 26, type: 0 }));
  const places = async () =>
    (
      await stage.query<{ place: string }>(
        `select replace(track_id, 'com.', '') || rank as place from core.fact_top_chart join core.dim_app using (app_key)
         where store = 'android' order by rank, track_id`,
      )
    ).map(({ place }) => place);
  const partial = async () => {
    const [found] = await stage.query<{ partial: number }>(
      "select sum(partial_count)::int as partial from ops.coverage_daily where dataset = 'top_chart' and store = 'android'",
    );
    return found?.partial;
  };
  await take(stage, chart, entries("a1", "b2", "c3"));
  await take(stage, chart, entries("d1", "b2", "b2", "a3"));
  expect([await places(), await rejects(stage), await partial()]).toEqual([["d1", "b2", "a3"], [], 0]);
  await take(stage, chart, [...entries("e1", "b2", "b4"), { trackId: "com.x", rank: "third" }]);
  expect(await places()).toEqual(["e1", "b2"]);
  expect(await rejects(stage)).toEqual([differs, expect.stringMatching(/^rank/)]);
  expect(await partial()).toBe(1);
});

test("a locale that is gone is closed beside a doubled one, and unknown beside one that does not fit", async () => {
  await using stage = await openWithPortfolio({ market, today: addDays(today, 3) });
  const spots = { path: "/keyword-spots/", dataset: "keyword_spot" };
  const data = (...locales: readonly unknown[]) => ({
    success: true,
    data: locales.map((locale) => ({ locale, keywords: "habit", updateDate: 0 })),
  });
  const current = async () =>
    Object.fromEntries(
      (
        await stage.query<{ locale: string; is_current: boolean | null }>(
          "select locale, is_current from core.keyword_spot",
        )
      ).map(({ locale, is_current: is }) => [locale, is]),
    );
  await take(stage, spots, data("en-US", "fr-FR", "de-DE"));
  await take(stage, spots, data("en-US", "en-US", "de-DE"), addDays(today, 1));
  expect([await current(), await rejects(stage)]).toEqual([{ "en-US": true, "fr-FR": false, "de-DE": true }, []]);
  await take(stage, spots, data("en-US", null), addDays(today, 2));
  expect(await current()).toEqual({ "en-US": true, "fr-FR": false, "de-DE": null });
  await take(stage, spots, data("en-US"), addDays(today, 3));
  expect(await current()).toEqual({ "en-US": true, "fr-FR": false, "de-DE": false });
});

const hiding = [
  { what: "a row that does not fit", more: (point: object) => [{ ...point, androidStoreVisits: "many" }], rejected: 1 },
  { what: "a doubled row", more: (point: object) => [point], rejected: 0 },
];
test.each(hiding.slice(0, long ? 2 : 1))(
  "$what does not hide that an answer ends early",
  async ({ more, rejected }) => {
    await using stage = await openWithPortfolio({ market: { ...market, apps: 1 }, mostRangeDays: 6 });
    await using proxy = await openProxy(stage.sandbox, (passing) => {
      if (!passing.target.includes("/retention")) return;
      const answer = JSON.parse(passing.body) as { data: object[] };
      passing.body = JSON.stringify({ ...answer, data: [...answer.data, ...more(answer.data[0] ?? {})] });
    });
    await stage.sync({
      settings: { datasets: { retention: { on: true, history_days: 16 } } },
      environment: { API_BASE_URL: proxy.url },
      request: { datasets: ["retention"] },
    });
    const [found] = await stage.query(
      `select count(distinct date_day)::int as days, (select count(*)::int from ops.slice where tail_of is not null) as tails,
            (select count(*) > 0 from ops.reject)::int as rejected from core.fact_retention`,
    );
    expect(found).toEqual({ days: 16, tails: 2, rejected });
  },
);
