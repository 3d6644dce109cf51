import { describe, expect, test } from "vitest";
import { creatives } from "../../src/api/operations/ad-intelligence.ts";
import { countryDistribution, networkDistribution } from "../../src/api/operations/ad-distribution.ts";
import type { Operation } from "../../src/api/define-operation.ts";
import { day } from "../../src/core/day.ts";
import type { Portfolio } from "../../src/core/portfolio.ts";
import type { Scope } from "../../src/core/slice.ts";
import { adCreative } from "../../src/datasets/ad-creative.ts";
import { adDistribution } from "../../src/datasets/ad-distribution.ts";
import type { Dataset } from "../../src/datasets/shared/define-dataset.ts";
import { sliceOf } from "../support/ingest-slice.ts";
import { normalised } from "../support/normalised.ts";

/** An id that does not fit 32 bits. */
const large = 6_446_318_020;
const country = (code: string) => ({ country: code, keywords: [], keywordCount: 0 });
const portfolio: Portfolio = {
  apps: [
    { store: "ios", trackId: String(large), tracked: true, countries: [country("US"), country("DE")] },
    { store: "android", trackId: "com.one", tracked: true, countries: [country("US")] },
  ],
};
const window = { start: day("2026-07-20"), end: day("2026-08-19") };
const period = { period_start: "2026-07-20", period_end: "2026-08-18" };
const days = { startDate: "2026-07-20", endDate: "2026-08-18" };
const ios = { store: "ios", app: String(large) };
const android = { store: "android", app: "com.one" };

const scopes = (dataset: Dataset, options?: unknown) =>
  dataset.partitions(portfolio, options).map(({ scope }) => scope);

/** A body, read as an answer of its operation and made into rows. */
const rowsOf = (dataset: Dataset, operation: Operation, scope: Scope, ...bodies: unknown[]) =>
  normalised(dataset, operation, { scope, window }, ...bodies);

describe("advertisements", () => {
  const all = { ...ios, area: "all" };
  const one = {
    mediaId: 900_000_000_001,
    title: "Try 🌱",
    subtitle: null,
    action: "Install",
    trackId: large,
    countryCode: ["US", "DE"],
    network: [{ title: "AdMob", id: 2, class: "admob" }],
    impression: "1200",
    firstSeen: 3,
    firstSeenDate: "2026-07-01T08:15:30.250Z",
    lastSeenDate: Date.UTC(2026, 7, 1),
    properties: { size: "320x50", width: 320, height: 50, ratio: 6.4 },
    mediaFormat: [1, 2],
    soon: "new",
  };
  const page = (data: unknown, more: object = {}) => ({
    currentPage: 1,
    perPage: 50,
    total: 1,
    totalPages: 1,
    data,
    ...more,
  });

  test("are requested in one call an app, or narrowed one by one by what the options name", () => {
    expect(scopes(adCreative)).toEqual([all, { ...android, area: "all" }]);
    const narrow = { areas: ["each"], networks: ["AdMob", "Unity Ads"], media_types: [1, "2"] };
    const narrowed = scopes(adCreative, narrow);
    expect(narrowed).toHaveLength(3 * 2 * 2);
    expect(narrowed).toContainEqual({ ...ios, area: "each", country: "DE", network: "Unity Ads", media_type: "2" });
    expect(adCreative.request(sliceOf({ scope: all, window }))).toEqual({ trackId: String(large), ...days });
    const scope = { ...android, area: "each", country: "US", network: "AdMob", media_type: "2" };
    expect(adCreative.request(sliceOf({ scope, window }))).toEqual({
      trackId: "com.one",
      ...days,
      countryCode: "US",
      network: "AdMob",
      mediaType: 2,
    });
  });

  test("keep period and filters in their key, and every field that is reported", () => {
    const { rows, invalid } = rowsOf(adCreative, creatives, { ...all, network: "AdMob" }, page([one]));
    expect(invalid).toEqual([]);
    expect(rows).toMatchObject([
      {
        app_key: `ios:${large}`,
        ...period,
        country_key: "ALL",
        network: "AdMob",
        media_type: "",
        media_id: "900000000001",
        title: "Try 🌱",
        impression_count: 1200,
        width: 320,
        country_codes: '["US","DE"]',
        networks: '[{"title":"AdMob","id":2,"class":"admob"}]',
        media_formats: "[1,2]",
        first_seen_code: "3",
        first_seen_at: "2026-07-01T08:15:30.250Z",
        last_seen_at: "2026-08-01T00:00:00Z",
        extra: '{"properties":{"ratio":6.4},"soon":"new"}',
      },
    ]);
  });

  test("of one media with two texts are two, the same one on two pages is one, and later figures make no other", () => {
    const other = { ...one, title: "Another" };
    const keys = (...bodies: unknown[]) =>
      rowsOf(adCreative, creatives, all, ...bodies).rows.map((row) => row["creative_key"]);
    const reported = keys(page([one, other]), page([other]));
    expect(new Set(reported).size).toBe(2);
    expect(reported).toHaveLength(2);
    expect(keys(page([{ ...one, impression: 99, lastSeenDate: null }]))).toEqual(reported.slice(0, 1));
  });

  test("come bare or wrapped, and as nothing where the app was not crawled yet; those of other apps are not theirs", () => {
    for (const body of [page([one]), { data: page([one]), success: true }, page([one], { success: true, status: 200 })])
      expect(rowsOf(adCreative, creatives, all, body).rows).toHaveLength(1);
    for (const body of [page([]), page(null), { data: [], success: true }])
      expect(rowsOf(adCreative, creatives, all, body)).toEqual({ rows: [], invalid: [] });
    expect(rowsOf(adCreative, creatives, all, { data: [{}], success: true })).toEqual({
      rows: [],
      invalid: ["an advertisement without media or text"],
    });
    expect(rowsOf(adCreative, creatives, all, page([one, { ...one, trackId: 7 }]))).toMatchObject({
      rows: [{ media_id: "900000000001" }],
      invalid: ["an advertisement for an app that was not requested"],
    });
  });
});

describe("distributions", () => {
  const scope = (kind: string, more: Record<string, string> = {}) => ({ ...ios, area: "all", kind, ...more });
  const parts = (kind: string, answer: unknown, more: Record<string, string> = {}) => {
    const slice = sliceOf({ scope: scope(kind, more), window });
    const { rows, invalid } = adDistribution.normalise(slice, [answer], []);
    return {
      parts: (rows["core.fact_ad_distribution"] ?? []).map((row) => [
        row["member_group"],
        row["member"],
        row["percent_share"],
      ]),
      invalid: invalid.map(({ reason }) => reason),
      rows: rows["core.fact_ad_distribution"],
    };
  };

  test("request what their operations take and no more", () => {
    const requested = scopes(adDistribution, {
      areas: ["all", "each"],
      media_types: ["creatives", "impressions"],
      networks: ["AdMob"],
    }).filter(({ store }) => store === "ios");
    const of = (kind: string) => requested.filter((one) => one["kind"] === kind);
    // counted both ways; type and dimension for all countries and each of two
    expect([of("country"), of("network"), of("type"), of("dimension")].map(({ length }) => length)).toEqual([
      2, 6, 6, 6,
    ]);
    expect(of("language").map((one) => one["country"])).toEqual([undefined, "US", "DE"]);
    const narrowedBy = (kind: string) =>
      ["media_type", "country", "network"].filter((name) => of(kind).some((one) => one[name] !== undefined)).join(" ");
    expect(["country", "dimension", "type", "language", "network", "publisher_dimension"].map(narrowedBy)).toEqual([
      "media_type",
      "media_type country network",
      "media_type country network",
      "country",
      "media_type country",
      "",
    ]);
    const request = (one: Record<string, string>) => adDistribution.request(sliceOf({ scope: one, window }));
    expect(request(scope("type", { media_type: "impressions", country: "US", network: "AdMob" }))).toEqual({
      trackId: String(large),
      ...days,
      mediaType: 2,
      countryCode: "US",
      network: "AdMob",
    });
    expect(request(scope("network", { media_type: "creatives" }))).toMatchObject({ mediaType: 1 });
    expect(request(scope("publisher_dimension"))).toEqual({ trackId: String(large), ...days });
  });

  test("keep what was requested and the period in their key, since the answer echoes none of it", () => {
    const { rows } = parts("network", [{ title: "AdMob", percent: 60 }], { media_type: "impressions", country: "US" });
    expect(rows).toMatchObject([
      {
        app_key: `ios:${large}`,
        ...period,
        country_key: "US",
        kind: "network",
        media_type: "impressions",
        network: "",
        member: "AdMob",
      },
    ]);
  });

  test("take percents as numbers and as text, and countries by two letters, else by three, else by name", () => {
    const countries = [
      { name: "United States", code: "us", code3: "USA", percent: "62.5" },
      { name: "Kosovo", code: null, code3: "XKX", percent: 35 },
      { name: "Jersey", code: "", code3: "JEY", percent: 1.5 },
      { name: "Other", code: null, code3: " ", percent: 1 },
      { name: null, code: "", code3: null, percent: 1 },
    ];
    const { parts: reported, invalid, rows } = parts("country", countries);
    expect(reported).toEqual([
      ["", "US", 62.5],
      ["", "XKX", 35],
      ["", "JEY", 1.5],
      ["", "OTHER", 1],
    ]);
    expect(rows?.[0]).toMatchObject({ member_name: "United States", extra: '{"code3":"USA"}' });
    expect(invalid).toEqual(["a part without a name"]);
  });

  test("of several wholes keep them apart, also kinds that were unknown", () => {
    const size = (name: string) => ({ name, percent: 100 });
    expect(
      parts("dimension", {
        imageCreative: [size("320x50")],
        videoCreative: [size("320x50")],
        htmlCreative: null,
        playableCreative: [size("1x1")],
      }).parts,
    ).toEqual([
      ["image", "320x50", 100],
      ["video", "320x50", 100],
      ["playable", "1x1", 100],
    ]);
    expect(
      parts("type", { imagePercent: 12.5, videoPercent: "8.75e+1", htmlPercent: null, playablePercent: 0 }).parts,
    ).toEqual([
      ["", "image", 12.5],
      ["", "video", 87.5],
      ["", "playable", 0],
    ]);
    const shown = {
      image: [{ mediaType: "image", dimensions: "320x50", percentage: "40" }],
      video: [{ mediaType: "clip", dimensions: "1x1", percentage: 60 }],
    };
    const publisher = parts("publisher_dimension", shown);
    expect(publisher.parts).toEqual([
      ["image", "320x50", 40],
      ["video", "1x1", 60],
    ]);
    expect(publisher.rows?.map(({ extra }) => extra)).toEqual([null, '{"mediaType":"clip"}']);
  });

  test("that report nothing are empty, not broken", () => {
    for (const body of [{ data: [], success: true }, { data: null, success: true }, []])
      for (const operation of [countryDistribution, networkDistribution])
        expect(rowsOf(adDistribution, operation, scope("country"), body)).toEqual({ rows: [], invalid: [] });
    expect(parts("type", {}).parts).toEqual([]);
  });
});
