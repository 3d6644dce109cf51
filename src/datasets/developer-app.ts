import { z } from "zod";
import { iosCategories } from "../api/categories.ts";
import { androidDeveloperApps, iosDeveloperApps } from "../api/operations/app.ts";
import type { Portfolio } from "../core/portfolio.ts";
import { scopeKey, type Scope } from "../core/slice.ts";
import { appRef, defineTable, extraOf } from "../load/table.ts";
import { defineDataset, part, type Partition } from "./shared/define-dataset.ts";
import { describedApp } from "./shared/dim-app.ts";
import { appPages, pageOptions, localeParams } from "./shared/portfolio-partitions.ts";
import { textOf } from "./shared/values.ts";
import { clockOf } from "./shared/instants.ts";

const table = defineTable({
  name: "core.developer_app",
  columns: {
    store: "text",
    developer_code: "text",
    country_key: "country",
    language_code: "text",
    app_key: "app",
    app_name: "text",
    price_text: "text",
    icon_url: "text",
    category_id: "text",
    category_name: "text",
    developer_id: "text",
    developer_name: "text",
    updated_at: "timestamp",
    extra: "json",
  },
  key: ["store", "developer_code", "country_key", "language_code", "app_key"],
  load: {
    kind: "history",
    scope: ["store", "developer_code", "country_key", "language_code"],
    // a release or a new icon opens no version: it would split the lists of every developer into many
    versioned: ["app_name", "price_text"],
  },
  partitioned: false,
});

const options = pageOptions.extend({
  developer_codes: z
    .array(z.union([z.int().min(1), z.string().min(1)]))
    .default([])
    .describe("Developers to add to those of the portfolio's apps: by id on iOS, by name on Android."),
});

type App = z.output<typeof androidDeveloperApps.answer>[number];

/** The other apps of the portfolio apps' developers, with the history of additions and removals. */
export const developerApp = defineDataset({
  name: "developer_app",
  summary: "All apps of the developers of the portfolio apps, with the history of which were added and removed.",
  stage: "market",
  on: false,
  why: "5 credits per developer and week",
  timing: { kind: "snapshot", refreshDays: 7 },
  tables: [table],
  operations: { ios: iosDeveloperApps, android: androidDeveloperApps },
  plannedFrom: [describedApp.name],
  options,
  partitions,
  request: ({ scope }) => ({
    [part(scope, "store") === "ios" ? "developerId" : "developerName"]: part(scope, "developer_code"),
    ...localeParams(scope),
  }),
  normalise: ({ scope }, pages) => {
    const store = part(scope, "store");
    const apps = new Map((pages.flat() as readonly App[]).map((app) => [String(app.trackId), app]));
    const rows = [...apps].map(([trackId, app]) => ({
      store,
      developer_code: part(scope, "developer_code"),
      country_key: scope["country"] ?? "ALL",
      language_code: scope["language_code"] ?? "",
      app_key: appRef(store, trackId),
      app_name: app.name ?? null,
      price_text: textOf(app.price),
      icon_url: app.iconUrl ?? null,
      ...categoryOf(store, app),
      developer_id: textOf(app.developerId),
      developer_name: app.developerName ?? null,
      updated_at: clockOf(app.lastUpdateTime),
      extra: extraOf(app, known),
    }));
    return { rows: { [table.name]: rows }, invalid: [] };
  },
});

/** The developers of the portfolio's apps and those that the options name, each on the pages of these apps. */
function partitions(portfolio: Portfolio, chosen: z.output<typeof options>): readonly Partition[] {
  const described = new Map(
    (portfolio.sources?.[describedApp.name] ?? []).map((one) => [`${one["store"]}:${one["track_id"]}`, codeOf(one)]),
  );
  const pages = appPages(portfolio, chosen).map(({ scope: { app, ...page } }) => ({
    page,
    own: described.get(`${page["store"]}:${app}`) ?? "",
  }));
  const named = pages.flatMap(({ page }) =>
    chosen.developer_codes
      .map(String)
      .filter((code) => isId(code) === (page["store"] === "ios"))
      .map((code) => ({ scope: { ...page, developer_code: code }, items: null })),
  );
  const own = pages
    .filter((one) => one.own !== "")
    // at least the app of the portfolio is known to be there
    .map((one) => ({ scope: { ...one.page, developer_code: one.own }, items: null, expected: true }));
  return [...new Map([...named, ...own].map((one) => [scopeKey(one.scope), one])).values()];
}

const known = "trackId name iconUrl price category categoryId developerId developerName lastUpdateTime".split(" ");

/** How a request names a developer: by id on iOS; by name on Android, where the store's pages use it as an id. */
function codeOf({ store, developer_id: id = "", developer_name: name = "" }: Scope): string {
  if (store === "ios") return isId(id) ? id : "";
  return name === "" ? id : name;
}

function isId(code: string): boolean {
  return /^\d+$/.test(code);
}

/** `category` is an id on iOS and a name on Android. */
function categoryOf(store: string, { category, categoryId }: App) {
  if (store === "android") return { category_id: textOf(categoryId), category_name: textOf(category) };
  const id = textOf(category ?? categoryId);
  return { category_id: id, category_name: id === null ? null : (iosCategories.get(Number(id)) ?? null) };
}
