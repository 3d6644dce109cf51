import { expect, test } from "vitest";
import { addDays, type Day } from "../../src/core/day.ts";
import { readCompleteDays } from "../../src/ledger/complete-days.ts";
import { openStage, today, type RunOptions } from "../support/ingest-stage.ts";
import { openSynced } from "../support/synced-stage.ts";
import { sql } from "../../src/postgres/sql.ts";

test("an app or country that left the configuration or the account is not due and holds no dataset back", async () => {
  await using stage = await openStage({
    market: { apps: 4, countries: ["US", "JP"], keywordsPerApp: 3 },
    today: addDays(today, 2),
  });
  const ids = stage.sandbox.market.apps.filter(({ store }) => store === "ios").map(({ trackId }) => Number(trackId));
  const [kept = 0, left = 0] = ids;
  const on = (day: number, ...countries: readonly (readonly [number, ...string[]])[]): RunOptions => ({
    request: { today: addDays(today, day) },
    settings: {
      portfolio: {
        source: "config",
        apps: countries.map(([id, ...own]) => ({ id, countries: own, keywords: ["notes"] })),
      },
      datasets: { app_rating: { on: true }, keyword_rank: { history_days: 1 } },
    },
  });
  await stage.sync(on(0, [kept, "US", "JP"], [left, "US"]));
  // on the day of its last request, and on the next one
  await stage.sync(on(0, [kept, "US", "JP"]));
  await stage.sync(on(1, [kept, "US"]));
  const run = on(2, [kept, "US"]);
  await stage.sync(run);
  await using app = await stage.open(run);
  const complete = () =>
    app.warehouse.db.transaction().execute(async (transaction) => {
      await sql`select set_config('storehouse.today', ${addDays(today, 2)}, true)`.execute(transaction);
      return readCompleteDays(transaction);
    });
  const whole = [
    { dataset: "app_rating", places: 1, behind: 0, completeTo: addDays(today, 2) },
    { dataset: "keyword_rank", places: 1, behind: 0, completeTo: addDays(today, 1) },
  ];
  expect(await complete()).toMatchObject(whole);
  // the same by the lists of an account
  await stage.query("delete from core.configured_portfolio");
  expect(await complete()).toMatchObject([{ places: 3 }, { places: 3 }]);
  await stage.query(
    `insert into core.tracked_app (app_key, valid_from, valid_to, slice_id, fetched_at)
     select app_key, $2, case when track_id <> $1 then $3::date end, 1, now() from core.dim_app where store = 'ios'`,
    [String(kept), today, addDays(today, 1)],
  );
  await stage.query(
    `insert into core.tracked_country (app_key, country_key, valid_from, valid_to, keyword_count, slice_id, fetched_at)
     select app_key, country_key, $2, case when country_code <> 'US' then $3::date end, 1, 1, now()
     from   core.dim_app, core.dim_country where track_id = $1 and country_code in ('US', 'JP')`,
    [String(kept), today, addDays(today, 1)],
  );
  expect(await complete()).toMatchObject(whole);
});

test("a country that a dataset is not requested for any more is not due", async () => {
  await using stage = await openSynced({ market: { apps: 1, countries: ["US", "JP"], keywordsPerApp: 3 } });
  const due = async () => {
    const rows = await stage.query<{ country: string }>(
      "select country_code as country from ops.freshness where dataset = 'keyword_rank' and due_day is not null order by 1",
    );
    return rows.map(({ country }) => country);
  };
  expect(await due()).toEqual(["JP", "US"]);
  await stage.sync({ settings: { datasets: { keyword_rank: { countries: ["US"] } } } });
  expect(await due()).toEqual(["US"]);
  await stage.sync();
  expect(await due()).toEqual(["JP", "US"]);
});

test("what only the account tracks is not due while the portfolio is the configured one alone, nor are its lists", async () => {
  await using stage = await openSynced({ market: { apps: 2, countries: ["US"], keywordsPerApp: 3 } });
  const [kept, left] = stage.sandbox.market.apps.map(({ trackId }) => trackId);
  const due = async () => {
    const rows = await stage.query<{ app: string }>(
      "select track_id as app from ops.freshness where dataset = 'keyword_rank' and due_day is not null order by 1",
    );
    return rows.map(({ app }) => app);
  };
  const gaps = (day: Day) =>
    stage.query("select keyword from mart.keyword_not_requested_daily where track_id = $1 and date_day = $2", [
      kept,
      day,
    ]);
  const dueDatasets = async () => {
    const rows = await stage.query<{ dataset: string }>(
      "select distinct dataset from ops.freshness where due_day is not null order by 1",
    );
    return rows.map(({ dataset }) => dataset);
  };
  expect(await due()).toEqual([kept, left].sort());
  expect(await dueDatasets()).toEqual(["keyword_rank", "tracked_app", "tracked_country", "tracked_keyword"]);
  const apps = [{ id: kept ?? "", countries: ["US"], keywords: ["notes"] }];
  const configured = { portfolio: { source: "config", apps } } as const;
  const run = { settings: configured, request: { today: addDays(today, 1) } };
  await stage.sync(run);
  expect([await due(), await dueDatasets()]).toEqual([[kept], ["keyword_rank"]]);
  await stage.sync({ settings: configured, request: { today: addDays(today, 2) } });
  expect(await gaps(addDays(today, 1))).toEqual([]);
  await stage.sync({ request: { today: addDays(today, 2) } });
  expect(await due()).toEqual([kept, left].sort());
});

test("neither charts nor keywords of a country that no app has any more are due", async () => {
  await using stage = await openStage({ market: { apps: 2, countries: ["US", "JP"], keywordsPerApp: 3 } });
  const [one, two] = stage.sandbox.market.apps.map(({ trackId }) => trackId);
  const datasets = { top_chart: { on: true }, keyword_metadata: { on: true } };
  const on = (
    day: number,
    ...apps: readonly (readonly [string | undefined, string, readonly string[]])[]
  ): RunOptions => ({
    request: { today: addDays(today, day) },
    settings: {
      datasets: { ...datasets, keyword_rank: { history_days: 1 } },
      portfolio: {
        source: "config",
        apps: apps.map(([id = "", country, keywords]) => ({ id, countries: [country], keywords: [...keywords] })),
      },
    },
  });
  const due = async () => {
    const rows = await stage.query<{ place: string }>(
      "select distinct concat_ws(' ', dataset, country_code) as place from ops.freshness where due_day is not null order by 1",
    );
    return rows.map(({ place }) => place);
  };
  await stage.sync(on(0, [one, "US", ["notes"]], [two, "JP", ["tasks"]]));
  const ofBoth = await due();
  expect(ofBoth).toEqual(expect.arrayContaining(["keyword_metadata JP", "keyword_rank JP", "top_chart JP"]));
  await stage.sync(on(1, [one, "US", ["notes"]]));
  expect(await due()).toEqual(ofBoth.filter((place) => !place.endsWith("JP")));
  await stage.sync(on(2, [one, "US", ["notes"]], [two, "JP", ["tasks"]]));
  expect(await due()).toEqual(ofBoth);
});
