import { describe, expect, test } from "vitest";
import { topAdvertisers } from "../../src/api/operations/ad-intelligence.ts";
import { day } from "../../src/core/day.ts";
import type { Portfolio } from "../../src/core/portfolio.ts";
import { topAdvertiser } from "../../src/datasets/top-advertiser.ts";
import { sliceOf } from "../support/ingest-slice.ts";
import { normalised } from "../support/normalised.ts";

/** An id that does not fit 32 bits. */
const large = 6_446_318_020;
const country = (code: string) => ({ country: code, keywords: [], keywordCount: 0 });
const portfolio: Portfolio = {
  apps: [
    { store: "ios", trackId: String(large), tracked: true, countries: [country("US"), country("DE")] },
    { store: "ios", trackId: "7", tracked: true, countries: [country("US")] },
    { store: "android", trackId: "com.one", tracked: true, countries: [country("US")] },
  ],
};
const window = { start: day("2026-07-20"), end: day("2026-08-19") };
const period = { period_start: "2026-07-20", period_end: "2026-08-18" };
const days = { startDate: "2026-07-20", endDate: "2026-08-18" };

const scopes = (options?: unknown) => topAdvertiser.partitions(portfolio, options).map(({ scope }) => scope);
const rowsOf = (...bodies: readonly unknown[]) =>
  normalised(
    topAdvertiser,
    topAdvertisers,
    { scope: { store: "ios", area: "each", country: "US" }, window },
    ...bodies,
  );

describe("top advertisers", () => {
  const market = { store: "ios", area: "each", country: "US" };
  const app = (trackId: unknown, more: object = {}) => ({
    trackId,
    platform: 2,
    fullName: `App ${String(trackId)}`,
    ...more,
  });
  const page = (data: unknown[], currentPage = 1) => ({ currentPage, perPage: 50, total: 99, totalPages: 2, data });

  test("are requested by market: each store and country once, whichever apps are in the portfolio", () => {
    expect(scopes()).toEqual([market, { ...market, country: "DE" }, { store: "android", area: "each", country: "US" }]);
    const narrow = scopes({ areas: ["all"], categories: ["Games"], networks: ["AdMob"] });
    expect(narrow[0]).toEqual({ store: "ios", area: "all", category: "Games", network: "AdMob" });
    expect(topAdvertiser.request(sliceOf({ scope: narrow[0] ?? {}, window }))).toEqual({
      ...days,
      platformId: 2,
      category: "Games",
      network: "AdMob",
    });
    const request = topAdvertiser.request(
      sliceOf({ scope: { store: "android", area: "each", country: "US" }, window }),
    );
    expect(request).toEqual({ ...days, platformId: 1, countryCode: "US" });
  });

  test("are ranked by their order over all pages, and one that does not fit keeps its place", () => {
    const { rows, invalid } = rowsOf(
      page([app(large), { fullName: "no id" }, app("42")]),
      page([app({}), app(7), { ...app(8), platform: 1 }, app("com.other"), app(9)], 2),
    );
    expect(rows.map(({ rank, app_key: key }) => [rank, key])).toEqual([
      [1, `ios:${large}`],
      [3, "ios:42"],
      [5, "ios:7"],
      [8, "ios:9"],
    ]);
    expect(invalid).toHaveLength(4);
    expect(rows[0]).toMatchObject({ store: "ios", country_key: "US", category: "", network: "", ...period });
  });

  test("keep figures and lists, known and new", () => {
    const reported = app(1, {
      adCount: 5,
      networks: [{ title: "AdMob", class: "admob" }],
      countries: [{ title: "Germany", countryCode: "DE" }],
      categoryId: 0,
      soon: true,
    });
    expect(rowsOf(page([reported])).rows).toMatchObject([
      {
        ad_count: 5,
        networks: '[{"title":"AdMob","class":"admob"}]',
        countries: '[{"title":"Germany","countryCode":"DE"}]',
        category_id: "0",
        extra: '{"soon":true}',
      },
    ]);
  });
});
