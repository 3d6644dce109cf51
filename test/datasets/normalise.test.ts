import { expect, test } from "vitest";
import { dailyKeywordRankings, numberOfKeywords } from "../../src/api/operations/dashboard.ts";
import type { Portfolio } from "../../src/core/portfolio.ts";
import { keywordMetadata } from "../../src/datasets/keyword-metadata.ts";
import { organicKeyword } from "../../src/datasets/organic-keyword.ts";
import { topKeyword } from "../../src/datasets/top-keyword.ts";
import { trackedApps } from "../../src/datasets/tracked-app.ts";
import { trackedCountry } from "../../src/datasets/tracked-country.ts";
import { trackedKeyword } from "../../src/datasets/tracked-keyword.ts";
import { sliceOf } from "../support/ingest-slice.ts";
import { normalised } from "../support/normalised.ts";

const ios = { store: "ios", app: "42", country: "US", device: "IPAD" } as const;

test("takes an organic answer for its app and day only", () => {
  const answer = { trackId: 42, date: "2026-08-01", rankings: [{ keyword: "yoga", rank: 3 }] };
  const slice = sliceOf({ scope: ios });
  expect(organicKeyword.normalise(slice, [answer], []).rows["core.fact_organic_keyword"]).toEqual([
    {
      app_key: "ios:42",
      date_day: "2026-08-01",
      country_key: "US",
      device_key: "IPAD",
      keyword_key: "yoga",
      rank: 3,
      observed_at: "2026-08-01T00:00:00",
    },
  ]);
  for (const odd of [{ trackId: 43 }, { date: Date.UTC(2026, 7, 2) }]) {
    const { rows, invalid } = organicKeyword.normalise(slice, [{ ...answer, ...odd }], []);
    expect(rows["core.fact_organic_keyword"]).toEqual([]);
    expect(invalid).toHaveLength(1);
  }
});

test("requests the device where the store has devices", () => {
  const android = { store: "android", app: "com.yoga", country: "US", device: "ALL" };
  for (const dataset of [organicKeyword, topKeyword]) {
    expect(dataset.request(sliceOf({ scope: ios }))).toMatchObject({ device: "IPAD", date: "2026-08-01" });
    expect(dataset.request(sliceOf({ scope: android }))).not.toHaveProperty("device");
  }
  expect(topKeyword.request(sliceOf({ scope: android }))).toMatchObject({ limit: 100 });
  // in small letters here
  const who = { trackId: "42", countryCode: "US" };
  expect(trackedKeyword.request(sliceOf({ scope: ios }))).toEqual({ ...who, device: "iphone" });
  expect(trackedKeyword.request(sliceOf({ scope: android }))).toEqual({ ...who, trackId: "com.yoga" });
});

test("takes the metadata of the keyword that was requested, however it is spelled back", () => {
  const slice = sliceOf({ scope: { store: "ios", country: "US", keyword: "Yoga Mat" } });
  const reported = { keyword: "yoga mat", searchVolume: 40.5, brandApp: 42 };
  const { rows, invalid } = keywordMetadata.normalise(slice, [reported], []);
  expect(rows["core.fact_keyword_metadata"]).toMatchObject([
    { keyword_key: "Yoga Mat", search_volume: 40.5, popularity: null, brand_track_id: "42" },
  ]);
  expect(invalid).toEqual([]);
  const stranger = keywordMetadata.normalise(slice, [{ keyword: "boxing" }], []);
  expect(stranger).toEqual({ rows: { "core.fact_keyword_metadata": [] }, invalid: [expect.anything()] });
});

test("requests the metadata of a keyword once a country, however many apps have it", () => {
  const countries = [{ country: "US", keywords: ["a", "b"], keywordCount: 2 }];
  const portfolio: Portfolio = {
    apps: [
      { store: "ios", trackId: "1", tracked: true, countries },
      { store: "ios", trackId: "2", tracked: true, countries },
      { store: "android", trackId: "com.one", tracked: true, countries },
    ],
  };
  expect(keywordMetadata.partitions(portfolio)).toHaveLength(4);
});

test("knows the store of a tracked app by its id, and keeps one of two that are the same", () => {
  const { rows } = trackedApps.normalise(
    sliceOf(),
    [
      [
        { trackId: 42, rating: 4 },
        { trackId: "com.yoga", name: "Yoga" },
        { trackId: "42", name: "Run" },
      ],
    ],
    [],
  );
  expect(rows["core.tracked_app"]?.map((row) => row["app_key"])).toEqual(["ios:42", "android:com.yoga"]);
  expect(rows["core.dim_app"]).toMatchObject([
    { app_name: "Run", rating: 4, described_by: "tracked_app" },
    { app_name: "Yoga" },
  ]);
});

test("counts keywords by country, and refuses what is no country", () => {
  const { rows, invalid } = trackedCountry.normalise(
    sliceOf({ scope: { store: "ios", app: "42" } }),
    [{ US: 3, jp: 4, WORLD: 9 }],
    [],
  );
  expect(rows["core.tracked_country"]).toEqual([
    { app_key: "ios:42", country_key: "US", account: "", keyword_count: 3 },
    { app_key: "ios:42", country_key: "JP", account: "", keyword_count: 4 },
  ]);
  expect(invalid).toEqual([{ reason: expect.stringContaining("country"), item: ["WORLD", 9] }]);
});

test("a country without a number of keywords is rejected, and those beside it count", () => {
  const slice = { scope: { store: "ios", app: "42" } };
  const { rows, invalid } = normalised(trackedCountry, numberOfKeywords, slice, { US: 3, JP: null });
  expect(rows).toMatchObject([{ country_key: "US", keyword_count: 3 }]);
  expect(invalid).toEqual(["it has no number of keywords"]);
});

test("reads the expensive list of keywords again when their number changed, and not where there never was one", () => {
  const country = (keywordCount: number | null, keywords: string[] = []) => ({
    apps: [
      { store: "ios" as const, trackId: "1", tracked: true, countries: [{ country: "US", keywords, keywordCount }] },
    ],
  });
  const print = (portfolio: Portfolio) => trackedKeyword.partitions(portfolio).map(({ fingerprint }) => fingerprint);
  expect(print(country(12))).not.toEqual(print(country(13)));
  expect(print(country(0))).toEqual([]);
  expect(print(country(null))).toEqual([]);
  // the last keyword has gone: read once more, so that it is closed
  expect(print(country(0, ["yoga"]))).toHaveLength(1);
});

test("a keyword that the account tracks in another country is not taken for one of the requested country", () => {
  const data = [
    { keyword: "habit", countryCode: "us" },
    { keyword: "gewohnheit", countryCode: "DE" },
    { keyword: "yoga", countryCode: "" },
    { keyword: "sleep" },
  ];
  const slice = { scope: { store: "ios", app: "42", country: "US" } };
  const { rows, invalid } = normalised(trackedKeyword, dailyKeywordRankings, slice, { success: true, data });
  expect(rows.map((row) => row["keyword_key"])).toEqual(["habit", "yoga", "sleep"]);
  expect(invalid).toEqual(["a country that was not requested"]);
});
