import { z } from "zod";
import { retentionHistory as operation } from "../api/operations/dashboard-data.ts";
import { rangeParams } from "../api/range.ts";
import { appRef, defineTable } from "../load/table.ts";
import { accountApps, accountFigures, connections, figuresTiming, loadedFigures } from "./shared/account-figures.ts";
import { amountOf } from "./shared/values.ts";
import { defineDataset, part } from "./shared/define-dataset.ts";
import { deviceOption, deviceParam, requestedDevices, isDeviceTotal } from "./shared/device-option.ts";

const table = defineTable({
  name: "core.fact_retention",
  columns: {
    app_key: "app",
    date_day: "day",
    country_key: "country",
    device_key: "device",
    is_total: "boolean",
    is_device_total: "boolean",
    android_store_visit_count: "number",
    extra: "json",
  },
  key: ["app_key", "date_day", "country_key", "device_key"],
  load: { kind: "replace", scope: ["app_key", "date_day", "device_key"], onlyReported: true },
  partitioned: true,
  figures: { values: ["android_store_visit_count"], amounts: ["android_store_visit_count"] },
});

type Point = z.output<typeof operation.answer>[number];

/** User retention of the account's own apps. */
export const retention = defineDataset({
  name: "retention",
  summary:
    "Retention history of the apps that the account has connected: visits to the store page by country and day, and in total.",
  stage: "market",
  ofAccount: true,
  on: true,
  why: "1 credit per app and night covers every country and the restated days; an app that is not connected is requested once every four weeks",
  timing: figuresTiming,
  reportedBy: { column: "date_day" },
  tables: [table],
  operations: [operation],
  plannedFrom: [connections, loadedFigures.name],
  options: z.object({ devices: deviceOption(["ALL"]) }),
  byApp: true,
  partitions: (portfolio, { devices }) =>
    accountApps(portfolio).flatMap(({ app: { store, trackId }, ...timing }) =>
      requestedDevices(store, devices).map((device) => ({
        scope: { store, app: trackId, device },
        items: null,
        ...timing,
      })),
    ),
  request: ({ scope, window }) => ({
    trackId: part(scope, "app"),
    ...deviceParam(part(scope, "device")),
    ...rangeParams(operation, window),
  }),
  normalise: (slice, pages) => {
    const points = pages.flat() as readonly Point[];
    const { figures, invalid } = accountFigures(slice, points, ({ country }) => country);
    const { scope } = slice;
    const rows = figures.map(({ point, day, country, extra }) => ({
      app_key: appRef(part(scope, "store"), part(scope, "app")),
      date_day: day,
      country_key: country,
      device_key: part(scope, "device"),
      is_total: country === "ALL",
      is_device_total: isDeviceTotal(part(scope, "store"), part(scope, "device")),
      android_store_visit_count: amountOf(point.androidStoreVisits),
      extra,
    }));
    return { rows: { [table.name]: rows }, invalid };
  },
});
