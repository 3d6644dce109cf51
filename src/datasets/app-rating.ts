import { z } from "zod";
import { androidAppSimple, iosAppSimple } from "../api/operations/app.ts";
import type { Portfolio } from "../core/portfolio.ts";
import { defineTable, extraOf } from "../load/table.ts";
import { defineDataset, type Partition } from "./shared/define-dataset.ts";
import { appCountries, LanguageCode, pageKey, localeParams } from "./shared/portfolio-partitions.ts";
import { checkItems } from "./shared/check-items.ts";
import { textOf } from "./shared/values.ts";
import { clockOf } from "./shared/instants.ts";

const table = defineTable({
  name: "core.fact_app_rating",
  columns: {
    app_key: "app",
    date_day: "day",
    country_key: "country",
    language_code: "text",
    rating: "number",
    rating_count: "bigint",
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
  key: ["app_key", "date_day", "country_key", "language_code"],
  load: { kind: "upsert" },
  partitioned: true,
});
const known =
  "trackId name price iconUrl developerId developerName categoryId categoryName category rating ratingCount lastUpdate".split(
    " ",
  );

type App = z.output<typeof iosAppSimple.answer>[number] & { readonly category?: string | null };

/** Ratings of the portfolio's apps by day of observation, ten apps a call. */
export const appRating = defineDataset({
  name: "app_rating",
  summary:
    "Rating, number of ratings and price of each portfolio app, by country (iOS) or language (Android) and day of observation.",
  family: "reviews",
  stage: "market",
  on: true,
  why: "1 credit covers ten apps in a country, and a missed day is lost",
  timing: { kind: "snapshot", refreshDays: 1 },
  itemsAreApps: true,
  tables: [table],
  operations: { ios: iosAppSimple, android: androidAppSimple },
  options: z.object({
    language_codes: z
      .array(LanguageCode)
      .min(1)
      .default(["en"])
      .describe("Languages in which the store pages of Android apps are requested."),
  }),
  partitions: (portfolio, options) => [...inCountries(portfolio), ...inLanguages(portfolio, options.language_codes)],
  request: ({ scope, items }) => ({ ...localeParams(scope), trackIds: items }),
  normalise: ({ scope, items, window }, pages, left) => {
    const requested = new Set(items);
    const { fitting, invalid } = checkItems(pages.flat() as readonly App[], ({ trackId }) =>
      requested.has(String(trackId)) ? null : "an app that was not requested",
    );
    const reported = new Map(fitting.map((app) => [String(app.trackId), app]));
    const rows = [...reported].map(([trackId, app]) => ({
      ...pageKey({ ...scope, app: trackId }),
      date_day: window.start,
      rating: app.rating ?? null,
      rating_count: app.ratingCount ?? null,
      app_name: app.name ?? null,
      price_text: textOf(app.price),
      icon_url: app.iconUrl ?? null,
      category_id: textOf(app.categoryId),
      category_name: app.categoryName ?? app.category ?? null,
      developer_id: textOf(app.developerId),
      developer_name: app.developerName ?? null,
      updated_at: clockOf(app.lastUpdate),
      extra: extraOf(app, known),
    }));
    return {
      rows: { [table.name]: rows },
      invalid,
      // it is unknown which app an invalid item was about
      unanswered: left.length > 0 ? [] : [...requested].filter((trackId) => !reported.has(trackId)),
    };
  },
});

function inCountries(portfolio: Portfolio): readonly Partition[] {
  const ios = appCountries(portfolio).filter(({ app }) => app.store === "ios");
  return [...Map.groupBy(ios, ({ country }) => country.country)].map(([country, same]) => ({
    scope: { store: "ios", country },
    items: same.map(({ app }) => app.trackId),
  }));
}

function inLanguages(portfolio: Portfolio, codes: readonly string[]): readonly Partition[] {
  const items = portfolio.apps.filter(({ store }) => store === "android").map(({ trackId }) => trackId);
  if (items.length === 0) return [];
  return codes.map((code) => ({ scope: { store: "android", language_code: code }, items }));
}
