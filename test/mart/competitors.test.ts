import { beforeAll, expect, test } from "vitest";
import { openMartStage } from "../support/mart-stage.ts";
import { forTests } from "../support/for-tests.ts";

const mart = forTests(openMartStage);

beforeAll(async () => {
  const rank = (app: string, keyword_key: string, place: number | null, date_day = "2026-08-08") => ({
    app_key: app,
    country_key: "US",
    device_key: "IPHONE",
    keyword_key,
    date_day,
    rank: place,
  });
  await mart.fill("core.fact_keyword_rank", [
    rank("ios:1", "ahead", 2),
    rank("ios:1", "behind", 9),
    rank("ios:1", "only they", null),
    rank("ios:1", "only we", 4),
    rank("ios:1", "neither", null),
    rank("ios:1", "unknown", 1),
    rank("ios:2", "ahead", 5),
    rank("ios:2", "behind", null),
    rank("android:a", "ahead", 1),
    // ours came with the newest day; the other one waits for it
    rank("android:b", "plan", 3),
    rank("android:b", "far", 3),
    rank("android:b", "both", 3),
    rank("android:a", "plan", 7, "2026-08-07"),
    rank("android:a", "plan", 1, "2026-08-06"),
    rank("android:a", "far", 7, "2026-08-01"),
    rank("android:a", "both", 8, "2026-08-09"),
    rank("android:a", "both", 7, "2026-08-07"),
  ]);
  // an app and place of the search list of a keyword, on a day
  const list = (keyword_key: string, date_day: string, apps: readonly string[]) =>
    apps.map((app_key, index) => ({
      keyword_key,
      date_day,
      app_key,
      country_key: "US",
      store: "ios",
      device_key: "IPHONE",
      position: index + 1,
    }));
  await mart.fill("core.fact_keyword_app", [
    ...list("ahead", "2026-08-03", ["ios:8", "ios:1", "ios:7"]),
    // an older list says nothing beside a newer one
    ...list("behind", "2026-07-27", ["ios:7"]),
    ...list("behind", "2026-08-03", ["ios:8", "ios:8", "ios:9", "ios:7"]),
    ...list("only they", "2026-08-10", ["ios:7"]),
    ...list("only we", "2026-08-03", ["ios:1"]),
    ...list("neither", "2026-08-03", ["ios:9"]),
    // five weeks and a day old
    ...list("unknown", "2026-07-03", ["ios:7"]),
  ]);
  const named = { app_key: "ios:1", valid_from: "2026-08-01" };
  await mart.fill("core.tracked_competitor", [
    { ...named, competitor_app_key: "ios:7", is_current: true },
    { ...named, competitor_app_key: "ios:9", valid_to: "2026-08-05", is_current: false },
  ]);
  await mart.name({ "ios:1": "Ours", "ios:2": "Ours too", "ios:7": "Rival" });
});

const against = (app: string) =>
  mart.ask(`
    select competitor_app_name, competitor_source, keyword, keyword_rank, competitor_keyword_rank, competitor_date_day, competitor_rank_source,
           places_ahead, comparison
    from   mart.keyword_rank_vs_competitor where app_name = '${app}' order by keyword`);

test("ranks stand beside those of each named competitor, by its place in the newest list of the search", async () => {
  expect(await against("Ours")).toEqual([
    "Rival | named | ahead | 2 | 3 | 2026-08-03 | search list | 1 | ahead",
    "Rival | named | behind | 9 | 4 | 2026-08-03 | search list | -5 | behind",
    "Rival | named | neither | - | - | 2026-08-03 | search list | - | neither",
    // a list of up to a week later counts as well
    "Rival | named | only they | - | 1 | 2026-08-10 | search list | - | only the competitor",
    "Rival | named | only we | 4 | - | 2026-08-03 | search list | - | only we",
    "Rival | named | unknown | 1 | - | - | - | - | unknown",
  ]);
});

test("an app that names no competitor is beside the portfolio's apps of its store, by their own ranks of the day", async () => {
  expect(await against("Ours too")).toEqual([
    "Ours | portfolio | ahead | 5 | 2 | 2026-08-08 | own rank | -3 | behind",
    "Ours | portfolio | behind | - | 9 | 2026-08-08 | own rank | - | only the competitor",
  ]);
});

test("where a competitor of the portfolio waits for the day its rank of the nearest day within six stands, and the row says so", async () => {
  await mart.slice({
    dataset: "keyword_rank",
    scope: { store: "android", app: "a", country: "US" },
    days: ["2026-08-08", "2026-08-09"],
    asOf: "2026-08-08",
    state: "pending",
    items: ["plan", "far"],
  });
  expect(
    await mart.ask(`
      select keyword, device_code, keyword_rank, competitor_keyword_rank, competitor_date_day, comparison, is_complete, is_competitor_complete
      from   mart.keyword_rank_vs_competitor where track_id = 'b' order by keyword`),
  ).toEqual([
    "both | IPHONE | 3 | 7 | 2026-08-07 | ahead | true | false",
    // a week off is too far
    "far | IPHONE | 3 | - | - | unknown | true | false",
    "plan | IPHONE | 3 | 7 | 2026-08-07 | ahead | true | false",
  ]);
  expect(
    await mart.ask(
      "select keyword, is_competitor_complete from mart.keyword_rank_vs_competitor where app_name in ('Ours', 'Ours too') and keyword in ('ahead', 'unknown') order by 1, 2",
    ),
  ).toEqual(["ahead | true", "ahead | -", "unknown | -"]);
});

test("an app whose named competitors are all of the other store is beside the portfolio's apps of its own", async () => {
  const beside = () =>
    mart.ask(
      "select competitor_source, competitor_track_id, count(*) from mart.keyword_rank_vs_competitor where track_id = 'b' group by 1, 2",
    );
  expect(await beside()).toEqual(["portfolio | a | 3"]);
  await mart.fill("core.tracked_competitor", [
    { app_key: "android:b", competitor_app_key: "ios:7", valid_from: "2026-08-01", is_current: true },
  ]);
  expect(await beside()).toEqual(["portfolio | a | 3"]);
});

test("an empty list of a search is a list: the newest of all, and beside that of the other device", async () => {
  const on = { country_key: "US", date_day: "2026-08-08" };
  await mart.fill("core.fact_keyword_rank", [
    { app_key: "ios:21", ...on, keyword_key: "no more", device_key: "IPHONE", rank: 9 },
    { app_key: "ios:21", ...on, keyword_key: "again", device_key: "IPHONE", rank: 9 },
    { app_key: "ios:21", ...on, keyword_key: "one device", device_key: "IPHONE", rank: 9 },
    { app_key: "ios:21", ...on, keyword_key: "one device", device_key: "IPAD", rank: 9 },
    { app_key: "ios:21", ...on, keyword_key: "nothing", device_key: "IPHONE", rank: null },
    { app_key: "ios:21", ...on, keyword_key: "too old", device_key: "IPHONE", rank: 9 },
  ]);
  const listed = { app_key: "ios:22", country_key: "US", store: "ios", device_key: "IPHONE" };
  await mart.fill("core.fact_keyword_app", [
    { ...listed, keyword_key: "no more", date_day: "2026-07-27", position: 6 },
    { ...listed, keyword_key: "again", date_day: "2026-08-03", position: 6 },
    { ...listed, keyword_key: "one device", date_day: "2026-08-03", position: 6 },
  ]);
  await mart.fill("core.tracked_competitor", [
    { app_key: "ios:21", competitor_app_key: "ios:22", valid_from: "2026-08-01", is_current: true },
  ]);
  await mart.name({ "ios:21": "Alone" });
  await mart.ask(`
    with run as (insert into ops.run (kind, as_of, datasets, started_at) values ('sync', '2026-08-08', '{}', '2026-08-08Z') returning run_id)
    insert into ops.slice (dataset, operation, scope, window_start, window_end, as_of, fingerprint, class, state, planned_requests, planned_credits, run_id, created_at)
    select 'keyword_app', 'o', jsonb_build_object('store', s.store, 'country', 'US', 'keyword', s.keyword), s.day, s.day + 1, s.day, '', 'snapshot', s.state, 1, 5, run_id, s.day
    from   run, (values
      ('ios', 'no more', date '2026-08-03', 'empty'),
      -- of the other store, and without an answer
      ('android', 'again', '2026-08-04', 'empty'), ('ios', 'again', '2026-08-04', 'failed'),
      ('ios', 'again', '2026-07-27', 'empty'), ('ios', 'nothing', '2026-08-03', 'empty'), ('ios', 'too old', '2026-07-03', 'empty')) as s (store, keyword, day, state)`);
  expect(
    await mart.ask(`
      select keyword, device_code, competitor_keyword_rank, competitor_date_day, competitor_rank_source, comparison
      from   mart.keyword_rank_vs_competitor where app_name = 'Alone' order by 1, 2`),
  ).toEqual([
    "again | IPHONE | 6 | 2026-08-03 | search list | behind",
    "no more | IPHONE | - | 2026-08-03 | search list | only we",
    "nothing | IPHONE | - | 2026-08-03 | search list | neither",
    "one device | IPAD | - | 2026-08-03 | search list | only we",
    "one device | IPHONE | 6 | 2026-08-03 | search list | behind",
    "too old | IPHONE | - | - | - | unknown",
  ]);
});

test("what a page changed is a row a property, beside releases and what the service reports of them", async () => {
  const page = (valid_from: string, more: object, valid_to: string | null = null) => ({
    app_key: "ios:7",
    country_key: "US",
    language_code: "",
    valid_from,
    valid_to,
    is_current: valid_to === null,
    ...more,
  });
  const first = { app_name: "Rival", description: "Old", price_text: "0.00", screenshots: '["a"]' };
  await mart.fill("core.app_history", [
    page("2026-07-01", first, "2026-08-02"),
    page("2026-08-02", { ...first, app_name: "Rival: Habits", screenshots: '["a","b"]' }, "2026-08-09"),
    page("2026-08-09", { ...first, app_name: "Rival: Habits", screenshots: '["a","b"]', price_text: "1.99" }),
    // another country has a page of its own
    page("2026-08-09", { ...first, country_key: "JP" }),
  ]);
  await mart.fill("core.app_version", [
    { app_key: "ios:7", country_key: "US", version: "1.0", version_at: "2026-07-01T09:00:00" },
    { app_key: "ios:7", country_key: "US", version: "1.1", version_at: "2026-08-02T09:00:00" },
    // a change within a version is no release
    { app_key: "ios:7", country_key: "US", version: "1.1", version_at: "2026-08-05T09:00:00" },
    // releases of which the service reports no number
    { app_key: "ios:7", country_key: "US", version: "", version_at: "2026-08-20T09:00:00" },
    { app_key: "ios:7", country_key: "US", version: "1.2", version_at: "2026-08-21T09:00:00" },
  ]);
  await mart.fill("core.app_change", [
    {
      app_key: "ios:7",
      country_key: "US",
      version: "1.1",
      version_at: "2026-08-02T09:00:00",
      property: "SUB_TITLE",
      old_value: '"Old line"',
      new_value: '"New line"',
    },
    // a second release of that day, of which as little is reported
    ...["2026-08-20T09:00:00", "2026-08-20T17:00:00"].map((version_at) => ({
      app_key: "ios:7",
      country_key: "US",
      version: "",
      version_at,
      property: "DESCRIPTION",
    })),
  ]);
  expect(
    await mart.ask(`
      select app_name, is_competitor, country_code, date_day, change_source, property, change_number, old_value, new_value from mart.app_page_change
      order  by date_day, change_source, property, change_number`),
  ).toEqual([
    "Rival | true | US | 2026-07-01 | release | version | 1 | - | 1",
    'Rival | true | US | 2026-08-02 | page | screenshots | 1 | ["a"] | ["a", "b"]',
    "Rival | true | US | 2026-08-02 | page | title | 1 | Rival | Rival: Habits",
    "Rival | true | US | 2026-08-02 | release | version | 1 | 1 | 1.1",
    "Rival | true | US | 2026-08-02 | release detail | subtitle | 1 | Old line | New line",
    "Rival | true | US | 2026-08-09 | page | price | 1 | 0 | 1.99",
    "Rival | true | US | 2026-08-20 | release | version | 1 | 1.1 | -",
    "Rival | true | US | 2026-08-20 | release detail | description | 1 | - | -",
    "Rival | true | US | 2026-08-20 | release detail | description | 2 | - | -",
    "Rival | true | US | 2026-08-21 | release | version | 1 | - | 1.2",
  ]);
});

test.each([
  [
    "ios:8",
    "NAME DEVELOPER_NAME PRICE ICON VERSION DESCRIPTION PRIMARY_CATEGORY_ID SCREENSHOTS",
    "IPAD_SCREENSHOTS VIDEO_PREVIEWS SUB_TITLE PROMOTIONAL_TEXT RELEASE_NOTES",
  ],
  [
    "android:b.c",
    "NAME PRICE ICON VERSION DESCRIPTION CATEGORY SCREENSHOTS VIDEO_PREVIEWS INAPP_PRODUCTS",
    "SHORT_DESCRIPTION DEVELOPER_ID RELEASE_NOTES INSTALL_RANGE",
  ],
])(
  "of %s, release details count once for what neither its page nor its releases report",
  async (app, elsewhere, alone) => {
    const change = { app_key: app, country_key: "US", version: "2", version_at: "2026-08-02T09:00:00" };
    const names = `${elsewhere} ${alone}`.split(" ");
    await mart.fill(
      "core.app_change",
      names.map((property) => ({ ...change, property })),
    );
    const [, trackId] = app.split(":");
    const main = await mart.ask(
      `select property from mart.app_page_change where track_id = '${trackId}' and is_main_source order by 1`,
    );
    const words = alone
      .split(" ")
      .map((name) => (name === "SUB_TITLE" ? "subtitle" : name.toLowerCase().replaceAll("_", " ")));
    expect(main).toEqual(words.toSorted());
  },
);
