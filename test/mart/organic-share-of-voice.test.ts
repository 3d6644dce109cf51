import { beforeAll, expect, test } from "vitest";
import { openMartStage } from "../support/mart-stage.ts";
import { forTests } from "../support/for-tests.ts";

const mart = forTests(openMartStage);

type Cell = readonly [app: string, country: string, device: string, keyword: string, rank: number | null];
const cells: readonly Cell[] = [
  ["ios:1", "US", "IPHONE", "plan", 1],
  ["ios:1", "US", "IPHONE", "habit", 4],
  ["ios:1", "US", "IPHONE", "diary", null],
  ["ios:1", "US", "IPHONE", "dark", 2],
  ["ios:1", "US", "IPAD", "plan", 60],
  ["ios:1", "JP", "IPHONE", "plan", null],
  ["ios:2", "US", "IPHONE", "plan", 2],
  ["ios:2", "US", "IPHONE", "habit", 8],
  ["android:a", "US", "ALL", "plan", 5],
];

beforeAll(async () => {
  await mart.fill(
    "core.fact_keyword_rank",
    cells.map(([app_key, country_key, device_key, keyword_key, rank]) => ({
      app_key,
      country_key,
      device_key,
      keyword_key,
      rank,
      date_day: "2026-08-08",
    })),
  );
  const volume = (keyword_key: string, date_day: string, search_volume: number | null, store = "ios") => ({
    keyword_key,
    date_day,
    search_volume,
    store,
    country_key: "US",
  });
  await mart.fill("core.fact_keyword_metadata", [
    volume("plan", "2026-07-01", 10),
    volume("plan", "2026-08-20", 40),
    volume("plan", "2026-08-27", null),
    volume("plan", "2026-08-20", 99, "android"),
  ]);
  const tracked = { app_key: "ios:1", country_key: "US", valid_from: "2026-08-01", is_current: true };
  await mart.fill("core.tracked_keyword", [
    { ...tracked, keyword_key: "plan", search_volume: 1, chance: 80, app_count: 7 },
    { ...tracked, keyword_key: "habit", search_volume: 20, chance: 50, app_count: 90, brand_track_id: "2" },
    { ...tracked, keyword_key: "diary", search_volume: 60, chance: 25, brand_track_id: "1" },
  ]);
  await mart.fill("core.fact_keyword_metadata", [
    // a newer answer that leaves the volume out takes nothing away
    {
      ...volume("plan", "2026-08-28", null),
      popularity: 33,
      iphone_chance: 90,
      ipad_chance: 10,
      iphone_app_count: 200,
    },
  ]);
  await mart.name({ "ios:1": "Ours", "ios:2": "Theirs", "android:a": "Other store" });
});

test("counts keywords by place, by app, country, device and day", async () => {
  const rows = await mart.ask(`
    select app_name, country_code, device_code, requested_keyword_count, ranked_keyword_count, top_1_keyword_count, top_3_keyword_count,
           top_10_keyword_count, top_50_keyword_count, average_rank
    from   mart.organic_share_of_voice_daily order by 1, 2, 3`);
  expect(rows).toEqual([
    "Other store | US | ALL | 1 | 1 | 0 | 0 | 1 | 1 | 5",
    "Ours | JP | IPHONE | 1 | 0 | 0 | 0 | 0 | 0 | -",
    "Ours | US | IPAD | 1 | 1 | 0 | 0 | 0 | 0 | 60",
    "Ours | US | IPHONE | 4 | 3 | 1 | 2 | 3 | 3 | 2.33",
    "Theirs | US | IPHONE | 2 | 2 | 0 | 1 | 2 | 2 | 5",
  ]);
});

test("a place counts 1 / rank: over the requested keywords, and beside the other apps of the store and device", async () => {
  const rows = await mart.ask(`
    select app_name, country_code, device_code, voice_sum, voice_share, portfolio_voice_share from mart.organic_share_of_voice_daily order by 1, 2, 3`);
  expect(rows).toEqual([
    "Other store | US | ALL | 0.2 | 0.2 | 1",
    "Ours | JP | IPHONE | 0 | 0 | -",
    "Ours | US | IPAD | 0.0167 | 0.0167 | 1",
    // 1 + 1/4 + 0 + 1/2 of four keywords; 1/2 + 1/8 of the other app beside it
    "Ours | US | IPHONE | 1.75 | 0.4375 | 0.7368",
    "Theirs | US | IPHONE | 0.625 | 0.3125 | 0.2632",
  ]);
});

test("keywords count by their volume as last reported, by the metadata first and else by the account's list", async () => {
  const rows = await mart.ask(`
    select app_name, country_code, device_code, volume_keyword_count, search_volume_sum, weighted_voice_sum, weighted_voice_share
    from   mart.weighted_share_of_voice_daily order by 1, 2, 3`);
  expect(rows).toEqual([
    "Other store | US | ALL | 1 | 99 | 19.8 | 0.2",
    "Ours | JP | IPHONE | 0 | - | - | -",
    "Ours | US | IPAD | 1 | 40 | 0.6667 | 0.0167",
    // plan 40 / 1, habit 20 / 4, diary 60 without rank; dark has no volume and counts on neither side
    "Ours | US | IPHONE | 3 | 120 | 45 | 0.375",
    "Theirs | US | IPHONE | 1 | 40 | 20 | 0.5",
  ]);
});

test("the chance of a keyword is its volume, how likely it is won, and what the rank leaves open", async () => {
  const rows = await mart.ask(`
    select keyword, keyword_rank, search_volume, search_popularity, chance, competing_app_count, brand_track_id, is_own_brand, open_share, opportunity_score
    from   mart.keyword_opportunity where app_name = 'Ours' and country_code = 'US' and device_code = 'IPHONE' order by 1`);
  expect(rows).toEqual([
    "dark | 2 | - | - | - | - | - | - | 0.5 | -",
    "diary | - | 60 | - | 25 | - | 1 | true | 1 | 15",
    "habit | 4 | 20 | - | 50 | 90 | 2 | false | 0.75 | 7.5",
    "plan | 1 | 40 | 33 | 90 | 200 | - | - | 0 | 0",
  ]);
});
