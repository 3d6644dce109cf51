import { z } from "zod";
import { androidReviewAnalysis, iosReviewAnalysis } from "../api/operations/review.ts";
import { rangeParams } from "../api/range.ts";
import { isDay } from "../core/day.ts";
import type { Portfolio } from "../core/portfolio.ts";
import type { Scope, Slice } from "../core/slice.ts";
import type { Store } from "../core/store.ts";
import { appRef, defineTable, extraOf, type Row } from "../load/table.ts";
import { defineDataset, part, type Partition } from "./shared/define-dataset.ts";
import { periodKey, ReviewLanguage } from "./shared/values.ts";

const table = defineTable({
  name: "core.fact_review_word",
  columns: {
    app_key: "app",
    period_start: "day",
    period_end: "day",
    country_key: "country",
    language_code: "text",
    word: "text",
    kind: "text",
    facet: "text",
    occurrence_count: "bigint",
    review_count: "bigint",
    average_rating: "number",
    facet_count: "number",
    rating: "int",
    trend_day: "date",
    extra: "json",
  },
  key: ["app_key", "period_start", "period_end", "country_key", "language_code", "word", "kind", "facet"],
  load: { kind: "replace", scope: ["app_key", "period_start", "period_end", "country_key", "language_code"] },
  partitioned: true,
});

const operations = { ios: iosReviewAnalysis, android: androidReviewAnalysis } as const;

const options = z.object({
  regions: z
    .array(z.enum(["each", "all"]))
    .min(1)
    .default(["each"])
    .describe(
      "each: every country of the portfolio (iOS) and every language of language_codes (Android) separately; all: all of them together.",
    ),
  language_codes: z
    .array(ReviewLanguage)
    .default([])
    .describe("Languages of Android reviews to request one by one; all languages together if left out."),
});

type Word = z.output<typeof iosReviewAnalysis.answer>[number];

/** The words of reviews over whole periods of 30 days. */
export const reviewWord = defineDataset({
  name: "review_word",
  summary:
    "The words in the reviews of each portfolio app, over periods of 30 days: how often, with which ratings, and on which days.",
  family: "reviews",
  stage: "market",
  on: false,
  why: "10 credits per app, country and 30 days; the reviews themselves are in the dataset review",
  timing: {
    kind: "period",
    grid: { days: 30 },
    settleDays: 1,
    lookbackDays: 0,
    historyDays: 30,
    // an app without a word may not be crawled yet
    emptyHoldsDays: 15,
  },
  tables: [table],
  operations,
  itemsPerCall: 1,
  options,
  byApp: true,
  partitions,
  request: ({ scope, window }) => ({
    trackId: part(scope, "app"),
    ...rangeParams(operations[part(scope, "store") as Store], window),
    ...(scope["country"] === undefined ? {} : { countries: [scope["country"]] }),
    ...(scope["language_code"] === undefined ? {} : { languages: [scope["language_code"].toUpperCase()] }),
  }),
  normalise: (slice, pages) => {
    const words = pages.flat() as readonly Word[];
    return { rows: { [table.name]: words.flatMap((word) => rowsOf(slice, word)) }, invalid: [] };
  },
});

function partitions(portfolio: Portfolio, chosen: z.output<typeof options>): readonly Partition[] {
  const { regions, language_codes: codes } = chosen;
  return portfolio.apps.flatMap(({ store, trackId: app, countries }) => {
    const apart: readonly Scope[] =
      store === "ios"
        ? countries.map(({ country }) => ({ store, app, country }))
        : codes.map((code) => ({ store, app, language_code: code }));
    // if no language was chosen, one request covers all of them
    const together = regions.includes("all") || (store === "android" && codes.length === 0);
    const scopes = [...(regions.includes("each") ? apart : []), ...(together ? [{ store, app }] : [])];
    return scopes.map((scope) => ({ scope, items: null }));
  });
}

/** The row of a word, and one for each of its breakdowns in the answer. */
function rowsOf(slice: Slice, reported: Word): readonly Row[] {
  const { scope } = slice;
  const stamp = {
    app_key: appRef(part(scope, "store"), part(scope, "app")),
    ...periodKey(slice),
    country_key: scope["country"] ?? "ALL",
    language_code: scope["language_code"] ?? "",
    word: reported.word,
  };
  const whole = {
    kind: "word",
    facet: "",
    occurrence_count: reported.frequency ?? null,
    review_count: reported.numReviews ?? null,
    average_rating: reported.averageRating ?? null,
    extra: extraOf(reported, known),
  };
  const ratings = facetsOf(reported.sentiment).map(([facet, count]) => ({
    kind: "sentiment",
    facet,
    facet_count: count,
    rating: /^[1-5]$/.test(facet) ? Number(facet) : null,
  }));
  const days = facetsOf(reported.trend).map(([facet, count]) => ({
    kind: "trend",
    facet,
    facet_count: count,
    trend_day: isDay(facet.slice(0, 10)) ? facet.slice(0, 10) : null,
  }));
  return [whole, ...ratings, ...days].map((row) => ({ ...stamp, ...row }));
}

/** The parts of a word that have a count. */
function facetsOf(counts: Word["trend"]): readonly (readonly [string, number])[] {
  return Object.entries(counts ?? {}).flatMap(([facet, count]) => (count == null ? [] : [[facet, count] as const]));
}

const known = ["word", "averageRating", "frequency", "numReviews", "sentiment", "trend"];
