import { z } from "zod";
import { iosDownloadRevenue as operation } from "../api/operations/estimation.ts";
import { rangeParams } from "../api/range.ts";
import { holds } from "../core/window.ts";
import { appRef, defineTable, extraOf } from "../load/table.ts";
import { checkItems } from "./shared/check-items.ts";
import { amountOf, fullPack } from "./shared/values.ts";
import { defineDataset, part } from "./shared/define-dataset.ts";
import { deviceOption, deviceParam, requestedDevices, isDeviceTotal } from "./shared/device-option.ts";
import { appCountries } from "./shared/portfolio-partitions.ts";
import { readInstant } from "./shared/instants.ts";

const table = defineTable({
  name: "core.fact_download_revenue",
  columns: {
    app_key: "app",
    date_day: "day",
    country_key: "country",
    device_key: "device",
    is_total: "boolean",
    download_count: "number",
    revenue: "number",
    extra: "json",
  },
  key: ["app_key", "date_day", "country_key", "device_key"],
  load: { kind: "upsert" },
  partitioned: true,
});

type Point = z.output<typeof operation.answer>[number];

/** Downloads and revenue by day, as the service estimates them. */
export const downloadRevenue = defineDataset({
  name: "download_revenue",
  summary: "Estimated downloads and revenue of each portfolio app on iOS, by country, device and day.",
  family: "estimates",
  stage: "market",
  on: false,
  why: "100 credits per app, country and device cover 30 days, so 30 days are requested at once",
  timing: { kind: "series", settleDays: 3, lookbackDays: 0, historyDays: 30, ...fullPack },
  reportedBy: { column: "date_day" },
  tables: [table],
  operations: [operation],
  options: z.object({ devices: deviceOption(["IPHONE", "IPAD"]) }),
  byApp: true,
  partitions: (portfolio, { devices }) =>
    appCountries(portfolio)
      .filter(({ app }) => app.store === "ios")
      .flatMap(({ app: { store, trackId }, country: { country } }) =>
        requestedDevices(store, devices).map((device) => ({
          scope: { store, app: trackId, country, device },
          items: null,
        })),
      ),
  request: ({ scope, window }) => ({
    trackId: part(scope, "app"),
    country: part(scope, "country"),
    ...deviceParam(part(scope, "device")),
    ...rangeParams(operation, window),
  }),
  normalise: ({ scope, window }, pages) => {
    const points = pages.flat() as readonly Point[];
    const device = part(scope, "device");
    const { fitting, invalid } = checkItems(points, ({ date }) =>
      holds(window, readInstant(date).day) ? null : "a day that was not requested",
    );
    const rows = fitting.map((point) => ({
      app_key: appRef(part(scope, "store"), part(scope, "app")),
      date_day: readInstant(point.date).day,
      country_key: part(scope, "country"),
      device_key: device,
      is_total: isDeviceTotal(part(scope, "store"), device),
      download_count: amountOf(point.download),
      revenue: amountOf(point.revenue),
      extra: extraOf(point, ["date", "download", "revenue"]),
    }));
    return { rows: { [table.name]: rows }, invalid };
  },
});
