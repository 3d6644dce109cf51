import type { z } from "zod";
import { keywordSpots as operation } from "../api/operations/dashboard-keyword.ts";
import { appRef, defineTable, extraOf } from "../load/table.ts";
import { defineDataset, part } from "./shared/define-dataset.ts";
import { iosAppCountries } from "./shared/portfolio-partitions.ts";
import { clockOf } from "./shared/instants.ts";

const scope = ["app_key", "country_key"] as const;

const field = defineTable({
  name: "core.keyword_spot",
  columns: {
    app_key: "app",
    country_key: "country",
    locale: "text",
    keywords: "text",
    keyword_count: "int",
    updated_at: "timestamp",
    extra: "json",
  },
  key: ["app_key", "country_key", "locale"],
  load: { kind: "history", scope, versioned: ["keywords"] },
  partitioned: false,
});

const word = defineTable({
  name: "core.keyword_spot_word",
  columns: { app_key: "app", country_key: "country", locale: "text", keyword_key: "keyword", position: "int" },
  key: ["app_key", "country_key", "locale", "keyword_key"],
  load: { kind: "history", scope, versioned: [] },
  partitioned: false,
});

type Spot = z.output<typeof operation.answer>[number];

/** The keywords in the hidden field of iOS apps, by locale: the whole field, and its words one by one. */
export const keywordSpot = defineDataset({
  name: "keyword_spot",
  summary: "The keywords in the hidden field of each portfolio app on iOS, by country and locale, with history.",
  stage: "market",
  on: true,
  why: "3 credits per app and country each week",
  timing: { kind: "snapshot", refreshDays: 7 },
  tables: [field, word],
  operations: [operation],
  byApp: true,
  partitions: iosAppCountries,
  request: (slice) => ({ trackId: part(slice.scope, "app"), countryCode: part(slice.scope, "country") }),
  normalise: (slice, pages) => {
    const spots = (pages.flat() as readonly Spot[]).map((spot) => ({ spot, words: wordsOf(spot) }));
    const stamp = ({ locale }: Spot) => ({
      app_key: appRef(part(slice.scope, "store"), part(slice.scope, "app")),
      country_key: part(slice.scope, "country"),
      locale,
    });
    const fields = spots.map(({ spot, words }) => ({
      ...stamp(spot),
      keywords: spot.keywords ?? null,
      keyword_count: words.length,
      updated_at: clockOf(spot.updateDate),
      extra: extraOf(spot, ["locale", "keywords", "updateDate"]),
    }));
    const words = spots.flatMap(({ spot, words: own }) =>
      own.map((keyword, index) => ({ ...stamp(spot), keyword_key: keyword, position: index + 1 })),
    );
    return { rows: { [field.name]: fields, [word.name]: words }, invalid: [] };
  },
});

/** The words of a field in order; a repeated word counts at its first place. */
function wordsOf({ keywords }: Spot): readonly string[] {
  const words = (keywords ?? "").split(",").map((text) => text.trim());
  return [...new Set(words.filter((text) => text !== ""))];
}
