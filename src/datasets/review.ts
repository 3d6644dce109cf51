import { z } from "zod";
import { androidReviews, androidReviewsV2, iosReviews, iosReviewsV2 } from "../api/operations/review.ts";
import type { Portfolio } from "../core/portfolio.ts";
import type { Scope } from "../core/slice.ts";
import type { Store } from "../core/store.ts";
import { defineTable } from "../load/table.ts";
import { defineDataset, part, type Partition } from "./shared/define-dataset.ts";
import { ReviewLanguage } from "./shared/values.ts";
import { reviewRows } from "./shared/review-rows.ts";

const table = defineTable({
  name: "core.review",
  columns: {
    app_key: "app",
    review_id: "text",
    source: "text",
    reviewed_at: "timestamp",
    country_key: "country",
    // Android's substitute for a country, no property of the text
    language_code: "text",
    rating: "int",
    title: "text",
    content: "text",
    reviewer: "text",
    version: "text",
    is_replied: "boolean",
    extra: "json",
  },
  key: ["app_key", "review_id", "source"],
  load: { kind: "upsert" },
  partitioned: false,
});

const operations = {
  ios: { v2: iosReviewsV2, plain: iosReviews },
  android: { v2: androidReviewsV2, plain: androidReviews },
} as const;

/** The most that a call returns; the service's default is a fifth of it at the same price. */
const reviewsPerCall = 100;
/** As many as there are countries: naming another one costs nothing. */
const countriesPerCall = 250;

const Source = z.enum(["v2", "plain"]);
type Source = z.output<typeof Source>;

/** The contract shows no separate path for Android's v2. */
const usualSource = { ios: "v2", android: "plain" } as const satisfies Record<Store, Source>;

const options = z.object({
  sources: z
    .array(Source)
    .default([])
    .meta({ examples: [["v2", "plain"]] })
    .describe(
      "Lists from which reviews are fetched: v2 (paged, with the total number) or plain. If left out, v2 on iOS and plain on Android.",
    ),
  regions: z
    .enum(["portfolio", "all"])
    .default("portfolio")
    .describe(
      "portfolio: iOS reviews from the countries of the app in the portfolio; all: from all countries, for the same price.",
    ),
  language_codes: z
    .array(ReviewLanguage)
    .default([])
    .describe("Languages of Android reviews; all languages if left out."),
  replied: z
    .enum(["any", "apart", "yes", "no"])
    .default("any")
    .describe(
      "For v2. any: all reviews; apart: reviews with and without an answer of the developer in separate calls, so that is_replied is known, for twice the calls; yes: only reviews with an answer; no: only reviews without one.",
    ),
});

/** The reviews of the portfolio's apps: each once, in its newest version. */
export const review = defineDataset({
  name: "review",
  summary: "The reviews of each portfolio app, for all its countries (iOS) or languages (Android) together.",
  family: "reviews",
  stage: "market",
  on: true,
  why: "5 credits per app and night for its last 4 days, and 5 more for each further 100 reviews in them",
  timing: { kind: "series", settleDays: 1, lookbackDays: 3, historyDays: 30, emptyHoldsDays: 7 },
  // a night requests 4 days; the newest 3 are requested again anyway
  reportedBy: { column: "reviewed_at", quietDays: 3 },
  tables: [table],
  operations: Object.values(operations).flatMap((lists) => Object.values(lists)),
  operationsFor: (scope) => [operationOf(scope)],
  itemsPerCall: countriesPerCall,
  longestWindow: 30,
  options,
  byApp: true,
  partitions: (portfolio, chosen) => [...iosPartitions(portfolio, chosen), ...androidPartitions(portfolio, chosen)],
  request: ({ scope, items, window }) => ({
    trackId: part(scope, "app"),
    // the contract does not say whether the end is inclusive: the day after it is requested too, so no day is lost either way
    startDate: window.start,
    endDate: window.end,
    ...(items === null ? {} : { [filterOf(scope)]: items.map((item) => spelled(scope, item)) }),
    ...(part(scope, "source") === "v2" ? { size: reviewsPerCall } : {}),
    ...(scope["replied"] === undefined ? {} : { repliedReview: scope["replied"] === "yes" }),
  }),
  normalise: (slice, pages) => ({ rows: { [table.name]: reviewRows(slice, pages) }, invalid: [] }),
});

function operationOf(scope: Scope) {
  return operations[part(scope, "store") as Store][part(scope, "source") as Source];
}

/** How a call names countries or languages: Android's v2 uses the parameter names of iOS, but its countries are languages. */
function filterOf(scope: Scope): "countries" | "languages" {
  return operationOf(scope) === androidReviews ? "languages" : "countries";
}

function spelled(scope: Scope, item: string): string {
  return part(scope, "store") === "ios" ? item : item.toUpperCase();
}

type Chosen = z.output<typeof options>;

function iosPartitions(portfolio: Portfolio, chosen: Chosen): readonly Partition[] {
  const { regions } = chosen;
  return portfolio.apps
    .filter(({ store, countries }) => store === "ios" && countries.length > 0)
    .flatMap(({ store, trackId: app, countries }) =>
      scopesOf(store, chosen).map((scope) => ({
        scope: { app, regions, ...scope },
        items: regions === "all" ? null : countries.map(({ country }) => country).sort(),
      })),
    );
}

function androidPartitions(portfolio: Portfolio, chosen: Chosen): readonly Partition[] {
  const items = chosen.language_codes.length === 0 ? null : [...new Set(chosen.language_codes)].sort();
  return portfolio.apps
    .filter(({ store }) => store === "android")
    .flatMap(({ store, trackId: app }) =>
      scopesOf(store, chosen).map((scope) => ({ scope: { app, ...scope }, items })),
    );
}

/** One scope for each list, and for v2 one for each kind of review that is requested separately. */
function scopesOf(store: Store, { sources, replied }: Chosen): readonly Scope[] {
  const kinds = replied === "apart" ? (["no", "yes"] as const) : [replied];
  const chosen = sources.length === 0 ? [usualSource[store]] : [...new Set(sources)];
  return chosen.flatMap((source) =>
    source === "plain" || replied === "any"
      ? [{ store, source }]
      : kinds.map((kind) => ({ store, source, replied: kind })),
  );
}
