import { beforeEach, describe, expect, test } from "vitest";
import { day } from "../../src/core/day.ts";
import { trackedApps } from "../../src/datasets/tracked-app.ts";
import { trackedCountry } from "../../src/datasets/tracked-country.ts";
import { trackedKeyword } from "../../src/datasets/tracked-keyword.ts";
import { readTracked } from "../../src/planner/portfolio.ts";
import { openWarehouseStage } from "../support/warehouse-stage.ts";
import { forTests } from "../support/for-tests.ts";

const [appTable, countryTable, keywordTable] = [trackedApps, trackedCountry, trackedKeyword].map(
  ({ tables }) => tables[0]!,
);

describe("readTracked", () => {
  const stage = forTests(openWarehouseStage);

  beforeEach(async () => {
    await stage.empty(appTable!, countryTable!, keywordTable!);
  });

  const apps = (date: string, at: number, ...keys: readonly string[]) =>
    stage.load({
      table: appTable!,
      rows: keys.map((app_key) => ({ app_key, account: "", is_store_account_connected: null })),
      scope: { account: "" },
      day: day(date),
      at,
    });

  const countries = (app_key: string, counts: Readonly<Record<string, number>>) =>
    stage.load({
      table: countryTable!,
      rows: Object.entries(counts).map(([country_key, keyword_count]) => ({
        app_key,
        country_key,
        account: "",
        keyword_count,
      })),
      scope: { app_key, account: "" },
    });

  const keywords = (app_key: string, country_key: string, date: string, ...words: readonly string[]) =>
    stage.load({
      table: keywordTable!,
      rows: words.map((keyword_key) => ({ app_key, country_key, keyword_key, account: "" })),
      scope: { app_key, country_key, account: "" },
      day: day(date),
      at: Date.parse(date),
    });

  test("is empty before anything was read", async () => {
    expect(await readTracked(stage.db, { account: "" })).toEqual([]);
  });

  test("gives apps, countries and keywords, each sorted by code point", async () => {
    await apps("2026-08-01", 1, "ios:20", "ios:100", "android:b.c", "android:B.c");
    // a country without a keyword is one of the portfolio
    await countries("ios:20", { US: 3, DE: 1, FR: 0 });
    await keywords("ios:20", "US", "2026-08-01", "b", "é", "B", "タスク");
    expect(await readTracked(stage.db, { account: "" })).toEqual([
      { store: "android", trackId: "B.c", tracked: true, countries: [] },
      { store: "android", trackId: "b.c", tracked: true, countries: [] },
      { store: "ios", trackId: "100", tracked: true, countries: [] },
      {
        store: "ios",
        trackId: "20",
        tracked: true,
        countries: [
          { country: "DE", keywordCount: 1, keywords: [] },
          { country: "FR", keywordCount: 0, keywords: [] },
          { country: "US", keywordCount: 3, keywords: ["B", "b", "é", "タスク"] },
        ],
      },
    ]);
  });

  test("leaves out what is no longer tracked", async () => {
    await apps("2026-08-01", 1, "ios:1", "ios:2");
    await apps("2026-08-02", 2, "ios:2");
    await countries("ios:2", { US: 2 });
    await keywords("ios:2", "US", "2026-08-01", "gone", "stays");
    await keywords("ios:2", "US", "2026-08-02", "stays");
    expect(await readTracked(stage.db, { account: "" })).toEqual([
      {
        store: "ios",
        trackId: "2",
        tracked: true,
        countries: [{ country: "US", keywordCount: 2, keywords: ["stays"] }],
      },
    ]);
  });

  test("keeps the keywords of each app and country apart", async () => {
    await apps("2026-08-01", 1, "ios:1", "ios:2");
    for (const app of ["ios:1", "ios:2"]) {
      await countries(app, { US: 1, DE: 1 });
      for (const country of ["US", "DE"]) await keywords(app, country, "2026-08-01", `${app} ${country}`);
    }
    const found = (await readTracked(stage.db, { account: "" })).flatMap((app) =>
      app.countries.flatMap((country) => country.keywords),
    );
    expect(found).toEqual(["ios:1 DE", "ios:1 US", "ios:2 DE", "ios:2 US"]);
  });
});
