import { z } from "zod";
import { salesMetrics as operation } from "../api/operations/dashboard-data.ts";
import { rangeParams } from "../api/range.ts";
import type { Portfolio } from "../core/portfolio.ts";
import type { Scope } from "../core/slice.ts";
import { appRef, defineTable } from "../load/table.ts";
import { accountApps, accountFigures, connections, figuresTiming, loadedFigures } from "./shared/account-figures.ts";
import { amountOf } from "./shared/values.ts";
import { areas } from "./shared/ad-scope.ts";
import { defineDataset, part, type Partition } from "./shared/define-dataset.ts";
import { deviceOption, deviceParam, requestedDevices, isDeviceTotal } from "./shared/device-option.ts";

const table = defineTable({
  name: "core.fact_sales_metric",
  columns: {
    app_key: "app",
    date_day: "day",
    country_key: "country",
    device_key: "device",
    context: "text",
    requested_country_key: "country",
    is_total: "boolean",
    is_device_total: "boolean",
    units: "number",
    extra: "json",
  },
  key: ["app_key", "date_day", "country_key", "device_key", "context"],
  load: {
    kind: "replace",
    scope: ["app_key", "date_day", "requested_country_key", "device_key", "context"],
    onlyReported: true,
    // 0 is ALL: an answer about all countries also shows which of them are gone, so it takes precedence for each country that it names
    ranked: { column: "requested_country_key", sources: ["0"] },
  },
  partitioned: true,
  figures: { values: ["units"], amounts: ["units"] },
});

type Point = z.output<typeof operation.answer>[number];

const options = z.object({
  contexts: z
    .array(operation.params.context.schema)
    .min(1)
    .default([...operation.params.context.schema.options])
    .describe("Which figures to request: downloads, revenue, page views in the store."),
  areas: areas
    .default(["all"])
    .meta({ examples: [["all", "each"]] })
    .describe("all: one call that names no country; each: one call for each country of the portfolio."),
  devices: deviceOption(["ALL"]),
});

/** Downloads, revenue and page views of the account's own apps. */
export const salesMetric = defineDataset({
  name: "sales_metric",
  summary:
    "Downloads, revenue and page views of the apps that the account has connected, by context, country, device and day, and in total.",
  stage: "market",
  ofAccount: true,
  on: true,
  why: "1 credit per app, context and night covers every country and the restated days; an app that is not connected is requested once every four weeks",
  timing: figuresTiming,
  reportedBy: { column: "date_day" },
  tables: [table],
  operations: [operation],
  plannedFrom: [connections, loadedFigures.name],
  options,
  byApp: true,
  partitions: salesPartitions,
  request: ({ scope, window }) => ({
    trackId: part(scope, "app"),
    context: part(scope, "context"),
    ...(scope["country"] === undefined ? {} : { countryCode: scope["country"] }),
    ...deviceParam(part(scope, "device")),
    ...rangeParams(operation, window),
  }),
  normalise: (slice, pages) => {
    const points = pages.flat() as readonly Point[];
    const { figures, invalid } = accountFigures(slice, points, ({ countryCode }) => countryCode);
    const { scope } = slice;
    const rows = figures.map(({ point, day, country, extra }) => ({
      app_key: appRef(part(scope, "store"), part(scope, "app")),
      date_day: day,
      country_key: country,
      device_key: part(scope, "device"),
      context: part(scope, "context"),
      requested_country_key: scope["country"] ?? "ALL",
      is_total: country === "ALL",
      is_device_total: isDeviceTotal(part(scope, "store"), part(scope, "device")),
      units: amountOf(point.units),
      extra,
    }));
    return { rows: { [table.name]: rows }, invalid };
  },
});

function salesPartitions(portfolio: Portfolio, chosen: z.output<typeof options>): readonly Partition[] {
  return accountApps(portfolio).flatMap(({ app, ...timing }) => {
    const places: readonly Scope[] = [...new Set(chosen.areas)].flatMap((area): readonly Scope[] =>
      area === "all" ? [{ area }] : app.countries.map(({ country }) => ({ area, country })),
    );
    return chosen.contexts.flatMap((context) =>
      requestedDevices(app.store, chosen.devices).flatMap((device) =>
        places.map((place) => ({
          scope: { store: app.store, app: app.trackId, context, device, ...place },
          items: null,
          ...timing,
        })),
      ),
    );
  });
}
