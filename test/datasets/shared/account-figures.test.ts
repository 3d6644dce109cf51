import { describe, expect, test } from "vitest";
import { day } from "../../../src/core/day.ts";
import type { Portfolio, PortfolioApp } from "../../../src/core/portfolio.ts";
import { retention } from "../../../src/datasets/retention.ts";
import { salesMetric } from "../../../src/datasets/sales-metric.ts";
import { sliceOf } from "../../support/ingest-slice.ts";

const countries = ["DE", "US"].map((country) => ({ country, keywords: [], keywordCount: 0 }));
const ios: PortfolioApp = { store: "ios", trackId: "42", tracked: true, countries };
const android: PortfolioApp = { ...ios, store: "android", trackId: "a.b" };
const portfolio: Portfolio = { apps: [ios, android] };
const window = { start: day("2026-08-01"), end: day("2026-08-11") };
const sales = (more: Record<string, string> = {}) =>
  sliceOf({ scope: { store: "ios", app: "42", context: "DOWNLOAD", device: "ALL", ...more }, window });
const salesRows = (points: readonly unknown[], more?: Record<string, string>) =>
  salesMetric.normalise(sales(more), [points], []);

describe("sales", () => {
  const requested = (options?: unknown) =>
    salesMetric
      .partitions({ apps: [ios] }, options)
      .map(({ scope: { context, country = "-", device } }) => [context, country, device].join(" "));

  test("are requested in one call a context; by country and device where that is chosen", () => {
    expect(requested()).toEqual(["DOWNLOAD - ALL", "REVENUE_TOTAL - ALL", "PAGE_VIEW - ALL"]);
    const split = { contexts: ["DOWNLOAD"], areas: ["all", "each"], devices: ["IPHONE", "IPAD"] };
    expect(requested(split)).toEqual(
      ["IPHONE", "IPAD"].flatMap((device) => ["-", "DE", "US"].map((country) => `DOWNLOAD ${country} ${device}`)),
    );
    const devices = salesMetric.partitions({ apps: [android] }, split).map(({ scope }) => scope["device"]);
    expect(new Set(devices)).toEqual(new Set(["ALL"]));
  });

  test("are requested up to the last day, inclusive", () => {
    const days = { trackId: "42", context: "DOWNLOAD", start: "2026-08-01", end: "2026-08-10" };
    expect(salesMetric.request(sales())).toEqual(days);
    expect(salesMetric.request(sales({ context: "PAGE_VIEW", country: "DE", device: "IPAD" }))).toEqual({
      ...days,
      context: "PAGE_VIEW",
      countryCode: "DE",
      device: "IPAD",
    });
  });

  test("mark the total and stamp context and device", () => {
    const points = [
      { countryCode: "ALL", date: "2026-08-10", units: 7 },
      { countryCode: "de", date: "2026-08-10", units: "3.5" },
    ];
    expect(salesRows(points, { context: "REVENUE_TOTAL", device: "IPAD" }).rows["core.fact_sales_metric"]).toEqual([
      {
        app_key: "ios:42",
        date_day: "2026-08-10",
        country_key: "ALL",
        device_key: "IPAD",
        context: "REVENUE_TOTAL",
        requested_country_key: "ALL",
        is_total: true,
        is_device_total: false,
        units: 7,
        extra: null,
      },
      expect.objectContaining({ country_key: "DE", is_total: false, units: 3.5 }),
    ]);
  });

  test("of both devices of an iOS app are marked, those of an Android app are not: it has one kind of device", () => {
    const marked = (store: string) =>
      salesRows([{ date: "2026-08-10" }], { store, device: "ALL" }).rows["core.fact_sales_metric"]?.map(
        (row) => row["is_device_total"],
      );
    expect([marked("ios"), marked("android")]).toEqual([[true], [false]]);
  });

  test("without a country are those of the country that was requested, or of all", () => {
    const country = (more?: Record<string, string>) =>
      salesRows([{ date: "2026-08-10", units: 1 }], more).rows["core.fact_sales_metric"]?.[0]?.["country_key"];
    expect([country(), country({ country: "DE" })]).toEqual(["ALL", "DE"]);
  });

  test("of another day or country are invalid", () => {
    expect(salesRows([{ date: "2026-08-11", units: 1 }]).invalid).toHaveLength(1);
    const points = [{ countryCode: "ALL", date: "2026-08-10", units: 1 }];
    expect(salesRows(points, { country: "DE" }).invalid).toHaveLength(1);
  });
});

describe("an app that is not connected", () => {
  const timing = (app: PortfolioApp, connected?: string, loaded: readonly string[] = []) =>
    salesMetric.partitions({
      apps: [app],
      sources: {
        store_connection:
          connected === undefined ? [] : [{ store: "ios", app: "42", is_store_account_connected: connected }],
        loaded_figure: loaded.map((id) => ({ store: "ios", track_id: id })),
      },
    })[0]?.timing;

  test("is requested in packs of four weeks, one that is or may be each night", () => {
    expect(timing(ios, "true")).toBeUndefined();
    expect(timing(ios)).toBeUndefined();
    expect(timing(ios, "false")).toMatchObject({ packDays: 28, lookbackDays: 0 });
  });

  test("is what an app is taken for that the account does not track, even if an old list says otherwise", () => {
    expect(timing({ ...ios, tracked: false })).toMatchObject({ packDays: 28 });
    expect(timing({ ...ios, tracked: false }, "true")).toMatchObject({ packDays: 28 });
  });

  test("is no app of which figures were loaded lately", () => {
    expect(timing({ ...ios, tracked: false }, undefined, ["42"])).toBeUndefined();
    expect(timing(ios, "false", ["42"])).toBeUndefined();
    expect(timing({ ...ios, tracked: false }, undefined, ["43"])).toMatchObject({ packDays: 28 });
  });
});

describe("retention", () => {
  const slice = sliceOf({ scope: { store: "android", app: "a.b", device: "ALL" }, window });

  test("is requested once an app", () => {
    expect(retention.partitions(portfolio).map(({ scope }) => scope)).toEqual([
      { store: "ios", app: "42", device: "ALL" },
      { store: "android", app: "a.b", device: "ALL" },
    ]);
    expect(retention.request(slice)).toEqual({ trackId: "a.b", start: "2026-08-01", end: "2026-08-10" });
  });

  test("marks the total and keeps what has no column", () => {
    const points = [
      { date: Date.UTC(2026, 7, 1), country: "ALL", androidStoreVisits: 9 },
      { date: Date.UTC(2026, 7, 1), country: "US", androidStoreVisits: 4, day1: 0.5 },
    ];
    expect(retention.normalise(slice, [points], []).rows["core.fact_retention"]).toMatchObject([
      { date_day: "2026-08-01", country_key: "ALL", is_total: true, android_store_visit_count: 9, extra: null },
      { country_key: "US", is_total: false, android_store_visit_count: 4, extra: '{"day1":0.5}' },
    ]);
  });
});
