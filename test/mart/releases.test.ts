import { beforeAll, expect, test } from "vitest";
import { openMartStage } from "../support/mart-stage.ts";
import { forTests } from "../support/for-tests.ts";

const mart = forTests(openMartStage);

/** A slice about app 1, from a day up to another one, that day excluded. */
const slice = (dataset: string, scope: object, days: readonly [string, string], state = "loaded") =>
  mart.slice({ dataset, scope: { store: "ios", app: "1", ...scope }, days, state });

beforeAll(async () => {
  await mart.fill("core.app_version", [
    { app_key: "ios:1", country_key: "US", version: "2.0.0", version_at: "2026-08-11T09:00:00" },
  ]);
});

test("a day of which a requested device has no answer yet is in no average of downloads before or after a release", async () => {
  const on = (date_day: string, device_key: string) => ({
    app_key: "ios:1",
    country_key: "US",
    date_day,
    device_key,
    is_total: false,
  });
  const estimated = (date: string, device: string, count: number) => ({ ...on(date, device), download_count: count });
  const sold = (date: string, device: string, units: number) => ({
    ...on(date, device),
    context: "DOWNLOAD",
    is_device_total: false,
    units,
  });
  // 100 downloads a day, of which 40 on the iPad: that of the 13th waits
  const parts = [
    ["2026-08-10", "IPHONE", 60],
    ["2026-08-10", "IPAD", 40],
    ["2026-08-12", "IPHONE", 60],
    ["2026-08-12", "IPAD", 40],
    ["2026-08-13", "IPHONE", 60],
  ] as const;
  await mart.fill(
    "core.fact_download_revenue",
    parts.map(([day, device, count]) => estimated(day, device, count)),
  );
  await mart.fill(
    "core.fact_sales_metric",
    parts.map(([day, device, count]) => sold(day, device, count)),
  );
  const ofIpad = async (window: readonly [string, string], state?: string) => {
    await slice("download_revenue", { country: "US", device: "IPAD" }, window, state);
    await slice("sales_metric", { area: "all", context: "DOWNLOAD", device: "IPAD" }, window, state);
  };
  await ofIpad(["2026-08-10", "2026-08-13"]);
  await ofIpad(["2026-08-13", "2026-08-14"], "deferred");
  const downloads = () =>
    mart.ask(`
      select before_estimated_download_day_count, before_estimated_download_count, after_estimated_download_day_count, after_estimated_download_count,
             after_store_download_day_count, after_store_download_count
      from   mart.release_impact where window_day_count = 7`);
  expect(await downloads()).toEqual(["1 | 100 | 1 | 100 | 1 | 100"]);
  await ofIpad(["2026-08-13", "2026-08-14"]);
  // the iPad had none
  expect(await downloads()).toEqual(["1 | 100 | 2 | 80 | 2 | 80"]);
});

test("a day whose page shows no rating is not the one on which the rating was last seen", async () => {
  const rated = (date_day: string, rating: number | null, rating_count: number | null) => ({
    app_key: "ios:1",
    country_key: "JP",
    language_code: "",
    date_day,
    rating,
    rating_count,
  });
  await mart.fill("core.fact_app_rating", [
    rated("2026-08-08", 4.5, 100),
    rated("2026-08-09", 4.4, 110),
    rated("2026-08-10", null, null),
    rated("2026-08-12", 4.1, 120),
    rated("2026-08-13", null, 0),
  ]);
  expect(
    await mart.ask(`
      select before_rating_day_count, before_rating, before_rating_count, after_rating_day_count, after_rating, after_rating_count
      from   mart.release_impact where country_code = 'JP' and window_day_count = 7`),
  ).toEqual(["2 | 4.4 | 110 | 1 | 4.1 | 0"]);
});
