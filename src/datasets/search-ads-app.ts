import type { z } from "zod";
import { searchAdsApps as operation } from "../api/operations/search-ads-account.ts";
import { storeOf } from "../core/store.ts";
import { appRef, defineTable, extraOf, jsonOf } from "../load/table.ts";
import { eachOnce, idOf } from "./shared/values.ts";
import { defineDataset } from "./shared/define-dataset.ts";
import { clockOf } from "./shared/instants.ts";
import { theAccount } from "./shared/portfolio-partitions.ts";

const described = {
  app_name: "text",
  category_id: "text",
  category_name: "text",
  subcategories: "json",
  price_text: "text",
  developer_id: "text",
  developer_name: "text",
  released_at: "timestamp",
} as const;

const table = defineTable({
  name: "core.search_ads_app",
  columns: {
    app_key: "app",
    account: "text",
    ...described,
    icon_url: "text",
    rating: "number",
    rating_count: "bigint",
    updated_at: "timestamp",
    extra: "json",
  },
  key: ["app_key", "account"],
  // values that change every day open no version
  load: { kind: "history", scope: ["account"], versioned: Object.keys(described) },
  partitioned: false,
});

const known = (
  "trackId name categoryName categoryId subCategories iconUrl price developerId developerName rating ratingCount " +
  "lastUpdate releaseDate"
).split(" ");

type App = z.output<typeof operation.answer>[number];

/** The apps that the account advertises. */
export const searchAdsApp = defineDataset({
  name: "search_ads_app",
  summary: "The apps that the account advertises, with the history of when each was advertised.",
  stage: "listing",
  ofAccount: true,
  on: true,
  why: "1 credit per week for the whole account",
  timing: { kind: "snapshot", refreshDays: 7 },
  tables: [table],
  operations: [operation],
  partitions: theAccount,
  request: () => ({}),
  normalise: (_, pages) => ({
    rows: { [table.name]: eachOnce(pages.flat() as readonly App[]).map(row) },
    invalid: [],
  }),
});

function row(app: App) {
  const trackId = String(app.trackId);
  return {
    app_key: appRef(storeOf(trackId), trackId),
    app_name: app.name ?? null,
    category_id: idOf(app.categoryId),
    category_name: app.categoryName ?? null,
    subcategories: jsonOf(app.subCategories),
    price_text: idOf(app.price),
    developer_id: idOf(app.developerId),
    developer_name: app.developerName ?? null,
    released_at: clockOf(app.releaseDate),
    icon_url: app.iconUrl ?? null,
    rating: app.rating ?? null,
    rating_count: app.ratingCount ?? null,
    updated_at: clockOf(app.lastUpdate),
    extra: extraOf(app, known),
  };
}
