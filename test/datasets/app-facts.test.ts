import { describe, expect, test } from "vitest";
import type { Portfolio } from "../../src/core/portfolio.ts";
import { appChange } from "../../src/datasets/app-change.ts";
import { appHistory } from "../../src/datasets/app-history.ts";
import { appMatch } from "../../src/datasets/app-match.ts";
import { appRating } from "../../src/datasets/app-rating.ts";
import { appVersion } from "../../src/datasets/app-version.ts";
import { iosMonthlyDownloadRevenue } from "../../src/api/operations/estimation.ts";
import { monthlyEstimate } from "../../src/datasets/monthly-estimate.ts";
import { oneDay } from "../../src/core/window.ts";
import { day } from "../../src/core/day.ts";
import { sliceOf } from "../support/ingest-slice.ts";
import { normalised } from "../support/normalised.ts";

/** An id that does not fit 32 bits. */
const large = 6_446_318_020;
const ios = (countries: readonly string[], trackId = String(large)) => ({
  store: "ios" as const,
  trackId,
  tracked: true,
  countries: countries.map((country) => ({ country, keywords: [], keywordCount: 0 })),
});
const android = { ...ios(["DE", "US"], "com.one"), store: "android" as const };
const portfolio: Portfolio = { apps: [ios(["DE", "US"]), android] };

describe("ratings", () => {
  const requested = sliceOf({
    operation: "ios.app-simple",
    scope: { store: "ios", country: "US" },
    items: [String(large), "42"],
    window: oneDay(day("2026-08-20")),
  });

  test("are requested ten apps at a time: by country on iOS, by language on Android", () => {
    expect(appRating.partitions(portfolio)).toEqual([
      { scope: { store: "ios", country: "DE" }, items: [String(large)] },
      { scope: { store: "ios", country: "US" }, items: [String(large)] },
      { scope: { store: "android", language_code: "en" }, items: ["com.one"] },
    ]);
    expect(appRating.request(requested)).toEqual({ countryCode: "US", trackIds: [String(large), "42"] });
    const japanese = sliceOf({ scope: { store: "android", language_code: "pt_br" }, items: ["com.one"] });
    expect(appRating.request(japanese)).toEqual({ langCode: "PT_BR", trackIds: ["com.one"] });
  });

  test("are stamped with the day of observation, independent of the app's own dates; a category of 0 and new fields stay", () => {
    const reported = [
      { trackId: large, rating: 4.5, ratingCount: 7, categoryId: 0, lastUpdate: Date.UTC(2020, 0, 1), soon: true },
    ];
    const { rows } = appRating.normalise(requested, [reported], []);
    expect(rows["core.fact_app_rating"]).toMatchObject([
      {
        app_key: `ios:${large}`,
        date_day: "2026-08-20",
        country_key: "US",
        language_code: "",
        rating_count: 7,
        category_id: "0",
        updated_at: "2020-01-01T00:00:00",
        extra: '{"soon":true}',
      },
    ]);
  });

  test("of an app that the answer leaves out are not claimed, unless it may be the one that did not fit", () => {
    const reported = [[{ trackId: String(large), rating: 4 }]];
    expect(appRating.normalise(requested, reported, []).unanswered).toEqual(["42"]);
    expect(appRating.normalise(requested, reported, [{ reason: "odd", item: {} }]).unanswered).toEqual([]);
  });
});

describe("what a store shows of an app", () => {
  const slice = (scope: Record<string, string>) => sliceOf({ operation: "ios.app-detail", scope });
  const home = { store: "ios", app: String(large), country: "US", page: "home" };

  test("is requested where the app is at home, or in every country when the options say so", () => {
    const scopes = (options?: unknown) => appHistory.partitions(portfolio, options).map(({ scope }) => scope);
    expect(scopes()).toEqual([home, { store: "android", app: "com.one", language_code: "en", page: "home" }]);
    expect(scopes({ pages: "all", language_codes: ["en", "de"] })).toHaveLength(4);
  });

  test("is requested again when a new release is out", () => {
    const sources = { newest_version: [{ store: "ios", app: String(large), version_at: "2026-08-01 10:00:00" }] };
    expect(appHistory.partitions({ ...portfolio, sources }).map(({ fingerprint }) => fingerprint)).toEqual([
      "2026-08-01 10:00:00",
      "",
    ]);
  });

  test("describes the app itself on its home page alone", () => {
    const reported = {
      trackId: large,
      name: "Habit",
      categoryId: 0,
      developerId: 12,
      availableCountries: ["US", "DE"],
    };
    const { rows } = appHistory.normalise(slice(home), [reported], []);
    expect(rows["core.dim_app"]).toMatchObject([
      { store: "ios", track_id: String(large), app_name: "Habit", category_id: "0", described_by: "app_history" },
    ]);
    expect(rows["core.app_history"]).toMatchObject([{ country_key: "US", available_countries: '["DE","US"]' }]);
    for (const name of ["screenshotList", "screenshots"])
      expect(
        appHistory.normalise(slice(home), [{ ...reported, [name]: ["a"] }], []).rows["core.app_history"],
      ).toMatchObject([{ screenshots: '["a"]' }]);
    const abroad = appHistory.normalise(slice({ ...home, country: "DE", page: "other" }), [reported], []).rows;
    expect([abroad["core.dim_app"], abroad["core.app_history"]?.length]).toEqual([[], 1]);
  });

  test.each([{}, { name: null }, { name: "" }])("that does not name the app does not describe it (%j)", (named) => {
    const { rows } = appHistory.normalise(slice(home), [{ trackId: large, removed: true, ...named }], []);
    expect(rows["core.dim_app"]).toEqual([]);
    expect(rows["core.app_history"]).toMatchObject([{ app_key: `ios:${large}`, is_removed: true }]);
  });

  test("opens no version for what moves every day", () => {
    const load = appHistory.tables[0]?.load;
    const versioned = load?.kind === "history" ? load.versioned : [];
    expect(versioned).toContain("description");
    for (const column of ["rating", "rating_count", "ratings_by_star", "last_modified_at", "similar_apps", "extra"])
      expect(versioned).not.toContain(column);
  });

  test("of another app than was requested is invalid", () => {
    expect(appHistory.normalise(slice(home), [{ trackId: 1 }], [])).toMatchObject({
      rows: { "core.app_history": [], "core.dim_app": [] },
      invalid: [{ reason: "an app that was not requested" }],
    });
  });
});

describe("a page of another country or language than was requested", () => {
  const german = { store: "ios", app: String(large), country: "DE", page: "home" };
  const inLanguage = (code: string) => ({ store: "android", app: "com.one", language_code: code, page: "home" });
  const read = (scope: Record<string, string>, echo: object) => {
    const trackId = scope["store"] === "ios" ? large : "com.one";
    const { rows, invalid } = appHistory.normalise(sliceOf({ scope }), [{ trackId, name: "Habit", ...echo }], []);
    return [...Object.values(rows).map(({ length }) => length), ...invalid.map(({ reason }) => reason)];
  };

  test("is invalid", () => {
    expect(read(german, { countryCode: "US" })).toEqual([0, 0, "a country that was not requested"]);
    const reason = "a language that was not requested";
    for (const [code, langCode] of [
      ["pt_br", "en"],
      ["pt_br", "pt_pt"],
      // a language without a region that can be requested itself
      ["en_gb", "en"],
      ["es_mx", "es"],
      ["zh_tw", "zh"],
      ["zh", "zh-Hant"],
      ["en", "en-GB"],
      ["no", "nn"],
      ["no", "da"],
      ["de", "?"],
    ] as const)
      expect([code, langCode, ...read(inLanguage(code), { langCode })]).toEqual([code, langCode, 0, 0, reason]);
  });

  test("is none where it is spelled in another way or not named", () => {
    for (const countryCode of ["DE", "de", "", null, undefined]) expect(read(german, { countryCode })).toEqual([1, 1]);
    for (const [code, langCode] of [
      ...["pt_br", "PT_BR", "pt-BR", "pt", "", null, undefined].map((spelled) => ["pt_br", spelled] as const),
      ["pt_pt", "pt"],
      ["zh", "zh-Hans"],
      ["zh", "zh_CN"],
      ["zh_tw", "zh-Hant"],
      ["en", "en-US"],
      ["he", "iw"],
      ["id", "in"],
      ["no", "nb"],
      ["no", "nb-NO"],
    ] as const)
      expect([code, langCode, ...read(inLanguage(code), { langCode })]).toEqual([code, langCode, 1, 1]);
  });
});

describe("releases", () => {
  const scope = { store: "android", app: "com.one", language_code: "en" };

  test("are requested up to the day after the last one, which the service leaves out", () => {
    const slice = sliceOf({
      operation: "android.version-list",
      scope,
      window: { start: day("2026-08-01"), end: day("2026-08-20") },
    });
    expect(appVersion.request(slice)).toMatchObject({ langCode: "EN", startDate: "2026-08-01", endDate: "2026-08-20" });
  });

  test("become one row a changed property, under one name, with what is only named and what is only reported", () => {
    const change = {
      versionDate: "2026-08-01T10:00:00",
      differences: ["PRICE", "ICON", "FILE_SIZE"],
      newData: { versionString: "2.0", iconUrl: "b", fileSize: "3M", screenshots: ["x"] },
      oldData: { versionString: "1.9", iconUrl: "a", fileSize: "2M" },
    };
    const { rows } = appChange.normalise(
      sliceOf({ operation: "android.version-list-detailed", scope }),
      [[change]],
      [],
    );
    const reported = (rows["core.app_change"] ?? []).map((row) => [
      row["property"],
      row["old_value"],
      row["new_value"],
    ]);
    expect(reported).toEqual([
      ["FILE_SIZE", '"2M"', '"3M"'],
      ["ICON", '"a"', '"b"'],
      ["PRICE", null, null],
      ["SCREENSHOTS", null, '["x"]'],
      ["VERSION", '"1.9"', '"2.0"'],
    ]);
    expect(rows["core.app_change"]?.[0]).toMatchObject({ version: "2.0", country_key: "ALL", language_code: "en" });
  });
});

describe("a match", () => {
  const matched = (store: string, app: string, page: unknown) =>
    appMatch.normalise(sliceOf({ operation: "market.app-match", scope: { store, app } }), [page], []);
  const row = { ios_track_id: String(large), android_track_id: "com.one" };

  test("is the same row from whichever store it was requested", () => {
    expect(matched("ios", String(large), "com.one").rows["core.app_match"]).toEqual([row]);
    for (const reported of [large, String(large)])
      expect(matched("android", "com.one", reported).rows["core.app_match"]).toEqual([row]);
  });

  test("that is none, in whichever form, is no row", () => {
    for (const nothing of [null, ""])
      expect(matched("ios", "42", nothing)).toEqual({ rows: { "core.app_match": [] }, invalid: [] });
  });

  test("is requested by the store of the app that is known", () => {
    const request = (store: string, app: string) => appMatch.request(sliceOf({ scope: { store, app } }));
    expect([request("ios", "42"), request("android", "a.b")]).toEqual([
      { store: "ios", trackId: "42" },
      { store: "play", trackId: "a.b" },
    ]);
  });

  test("within one store is invalid", () => {
    expect(matched("ios", "42", "43")).toMatchObject({ rows: { "core.app_match": [] }, invalid: [{ item: "43" }] });
  });
});

describe("estimates of a month", () => {
  const estimate = (on: string, reported: unknown) =>
    monthlyEstimate.normalise(
      sliceOf({ scope: { store: "ios", app: String(large) }, window: oneDay(day(on)) }),
      [reported],
      [],
    ).rows["core.fact_monthly_estimate"];
  const reported = { countryBreakDown: { US: { download: 3, revenue: "1.50" } }, download: 5_000_000_000, revenue: 9 };

  test("mark the total, which is not the sum of the countries that are reported", () => {
    expect(estimate("2026-08-20", reported)).toMatchObject([
      { country_key: "ALL", is_total: true, download_count: 5_000_000_000, revenue: 9 },
      { country_key: "US", is_total: false, download_count: 3, revenue: 1.5 },
    ]);
  });

  test("of a country without figures leave out that country alone", () => {
    const slice = { scope: { store: "ios", app: String(large) } };
    const answer = { ...reported, countryBreakDown: { ...reported.countryBreakDown, JP: null } };
    const { rows, invalid } = normalised(monthlyEstimate, iosMonthlyDownloadRevenue, slice, answer);
    expect([rows.map((row) => row["country_key"]), invalid]).toEqual([["ALL", "US"], []]);
  });

  test("lack what the service does not estimate", () => {
    const part = { countryBreakDown: { US: { download: 3 }, JP: { download: null, revenue: 2 } }, revenue: 9 };
    expect(estimate("2026-08-20", part)).toMatchObject([
      { country_key: "ALL", download_count: null, revenue: 9 },
      { country_key: "US", download_count: 3, revenue: null },
      { country_key: "JP", download_count: null, revenue: 2 },
    ]);
  });

  test("of a country in lower case are that country's", () => {
    expect(
      estimate("2026-08-20", { ...reported, countryBreakDown: { us: reported.countryBreakDown.US } }),
    ).toMatchObject([{ country_key: "ALL" }, { country_key: "US", download_count: 3 }]);
  });

  test.each([
    ["2026-03-31", "2026-02-01", "2026-02-28"],
    ["2028-03-01", "2028-02-01", "2028-02-29"],
    ["2027-01-01", "2026-12-01", "2026-12-31"],
  ])("seen on %s are of %s to %s", (on, from, to) => {
    expect(estimate(on, reported)?.[0]).toMatchObject({ date_day: on, period_start: from, period_end: to });
  });
});
