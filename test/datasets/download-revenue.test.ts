import { expect, test } from "vitest";
import { day } from "../../src/core/day.ts";
import type { Portfolio } from "../../src/core/portfolio.ts";
import { downloadRevenue } from "../../src/datasets/download-revenue.ts";
import { sliceOf } from "../support/ingest-slice.ts";

const country = { country: "US", keywords: [], keywordCount: 0 };
const app = { store: "ios" as const, trackId: "42", tracked: true, countries: [country] };
const portfolio: Portfolio = { apps: [app, { ...app, store: "android", trackId: "a.b" }] };
const window = { start: day("2026-07-01"), end: day("2026-07-31") };
const slice = (device: string) => sliceOf({ scope: { store: "ios", app: "42", country: "US", device }, window });

test("only iOS apps are requested, each device alone unless the options say otherwise", () => {
  const devices = (options?: unknown) =>
    downloadRevenue.partitions(portfolio, options).map(({ scope }) => scope["device"]);
  expect(devices()).toEqual(["IPHONE", "IPAD"]);
  expect(devices({ devices: ["ALL"] })).toEqual(["ALL"]);
  expect(devices({ devices: ["ALL", "IPHONE", "IPAD"] })).toEqual(["ALL", "IPHONE", "IPAD"]);
});

test("thirty days are requested at once, the last one inclusive, and the device is named unless all are meant", () => {
  const days = { trackId: "42", country: "US", startDate: "2026-07-01", endDate: "2026-07-30" };
  expect(downloadRevenue.request(slice("IPAD"))).toEqual({ ...days, device: "IPAD" });
  expect(downloadRevenue.request(slice("ALL"))).toEqual(days);
});

test("figures are stamped with country and device, and those of all devices are marked as a total", () => {
  const reported = [{ date: "2026-07-02", download: 5_000_000_000, revenue: "1.50", proceeds: 1 }];
  const rows = (device: string) =>
    downloadRevenue.normalise(slice(device), [reported], []).rows["core.fact_download_revenue"];
  expect(rows("IPHONE")).toEqual([
    {
      app_key: "ios:42",
      date_day: "2026-07-02",
      country_key: "US",
      device_key: "IPHONE",
      is_total: false,
      download_count: 5_000_000_000,
      revenue: 1.5,
      extra: '{"proceeds":1}',
    },
  ]);
  expect(rows("ALL")).toMatchObject([{ device_key: "ALL", is_total: true }]);
});

test("a day beside the window is invalid", () => {
  const reported = [{ date: "2026-07-31", download: 1 }];
  expect(downloadRevenue.normalise(slice("IPHONE"), [reported], [])).toMatchObject({
    rows: { "core.fact_download_revenue": [] },
    invalid: [{ item: reported[0] }],
  });
});
