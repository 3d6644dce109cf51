import { describe, expect, test } from "vitest";
import type { Portfolio } from "../../src/core/portfolio.ts";
import { developerApp } from "../../src/datasets/developer-app.ts";
import { sliceOf } from "../support/ingest-slice.ts";

const ios = { store: "ios", country: "US", developer_code: "123456789012" };
const android = { store: "android", language_code: "pt_br", developer_code: "Müller & Söhne" };
const rowsOf = (scope: Record<string, string>, ...apps: readonly unknown[]) =>
  developerApp.normalise(sliceOf({ scope }), [apps], []).rows["core.developer_app"] ?? [];

describe("the apps of a developer", () => {
  test("have a category that is an id on iOS and a name on Android, and 0 is one", () => {
    const reported = { name: "Habit", price: "0.00", developerId: 12, developerName: "M", lastUpdateTime: 0, rank: 1 };
    expect(rowsOf(ios, { ...reported, trackId: 6_446_318_020, category: 6007 })).toEqual([
      {
        store: "ios",
        developer_code: "123456789012",
        country_key: "US",
        language_code: "",
        app_key: "ios:6446318020",
        app_name: "Habit",
        price_text: "0.00",
        icon_url: null,
        category_id: "6007",
        category_name: "Productivity",
        developer_id: "12",
        developer_name: "M",
        updated_at: "1970-01-01T00:00:00",
        extra: '{"rank":1}',
      },
    ]);
    expect(
      rowsOf(android, { ...reported, trackId: "com.one", category: "BOOKS_AND_REFERENCE", categoryId: 0 }),
    ).toMatchObject([
      { category_id: "0", category_name: "BOOKS_AND_REFERENCE", country_key: "ALL", language_code: "pt_br" },
    ]);
  });

  test("are requested by id on iOS and by name on Android", () => {
    expect(developerApp.request(sliceOf({ scope: ios }))).toEqual({ developerId: "123456789012", countryCode: "US" });
    expect(developerApp.request(sliceOf({ scope: android }))).toEqual({
      developerName: "Müller & Söhne",
      langCode: "PT_BR",
    });
  });

  test("that are reported twice are one", () => {
    expect(rowsOf(ios, { trackId: 1, name: "a" }, { trackId: "1", name: "b" })).toMatchObject([{ app_name: "b" }]);
  });
});

describe("developers", () => {
  const app = (store: "ios" | "android", trackId: string) => ({
    store,
    trackId,
    tracked: true,
    countries: ["DE", "US"].map((country) => ({ country, keywords: [], keywordCount: 0 })),
  });
  const apps: Portfolio["apps"] = [app("ios", "1"), app("ios", "2"), app("android", "com.one")];
  const found = (...described: readonly Record<string, string>[]) => ({ apps, sources: { described_app: described } });
  const one = { store: "ios", track_id: "1", category_id: "", developer_id: "77", developer_name: "M" };

  test("are those of the portfolio's apps, each once", () => {
    const partitions = developerApp.partitions(found(one, { ...one, track_id: "2" }, { ...one, track_id: "3" }));
    expect(partitions).toEqual([
      { scope: { store: "ios", country: "US", developer_code: "77" }, items: null, expected: true },
    ]);
  });

  test("of Android go by their name or, where only an id is reported, by that", () => {
    const codes = (id: string, name: string) =>
      developerApp
        .partitions(found({ ...one, store: "android", track_id: "com.one", developer_id: id, developer_name: name }))
        .map(({ scope }) => scope["developer_code"]);
    expect([codes("55", "Name"), codes("Name, Inc", ""), codes("", "")]).toEqual([["Name"], ["Name, Inc"], []]);
  });

  test("of iOS without a number for an id cannot be requested", () => {
    expect(developerApp.partitions(found({ ...one, developer_id: "" }))).toEqual([]);
    expect(developerApp.partitions(found({ ...one, developer_id: "Name" }))).toEqual([]);
  });

  test("beside these are those that are named, each in its store", () => {
    const scopes = developerApp
      .partitions(found(one), { developer_codes: [77, 88, "Name"], pages: "all" })
      .map(({ scope, expected }) => [scope["store"], scope["country"], scope["developer_code"], expected]);
    expect(scopes).toHaveLength(5);
    expect(scopes).toEqual(
      expect.arrayContaining([
        ["ios", "DE", "77", true],
        ["ios", "US", "88", undefined],
        ["android", undefined, "Name", undefined],
      ]),
    );
  });
});
