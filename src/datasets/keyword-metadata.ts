import type { z } from "zod";
import { androidKeywordMetadata, iosKeywordMetadata } from "../api/operations/keyword.ts";
import { defineTable } from "../load/table.ts";
import { checkItems } from "./shared/check-items.ts";
import { idOf, isOther } from "./shared/values.ts";
import { defineDataset, part } from "./shared/define-dataset.ts";
import { keywordCountries } from "./shared/portfolio-partitions.ts";

const table = defineTable({
  name: "core.fact_keyword_metadata",
  columns: {
    store: "text",
    keyword_key: "keyword",
    date_day: "day",
    country_key: "country",
    language_code: "text",
    search_volume: "number",
    popularity: "number",
    app_count: "bigint",
    iphone_app_count: "bigint",
    ipad_app_count: "bigint",
    chance: "number",
    iphone_chance: "number",
    ipad_chance: "number",
    brand_track_id: "text",
  },
  key: ["keyword_key", "date_day", "country_key", "store"],
  load: { kind: "upsert" },
  partitioned: true,
});

type Metadata = Partial<z.output<typeof iosKeywordMetadata.answer> & z.output<typeof androidKeywordMetadata.answer>> & {
  readonly keyword: string;
};

/** Volume, competition and chance of the portfolio's keywords, one observation at a time. */
export const keywordMetadata = defineDataset({
  name: "keyword_metadata",
  summary: "Search volume, competition and chance of each portfolio keyword, by store, country and day of observation.",
  stage: "market",
  on: false,
  why: "5 credits per keyword and country each time; switch it on if volumes matter",
  timing: { kind: "snapshot", refreshDays: 7 },
  tables: [table],
  operations: { ios: iosKeywordMetadata, android: androidKeywordMetadata },
  fromKeywords: true,
  partitions: keywordCountries,
  request: ({ scope }) => ({ countryCode: part(scope, "country"), keyword: part(scope, "keyword") }),
  normalise: (slice, pages) => {
    const keyword = part(slice.scope, "keyword");
    const { fitting, invalid } = checkItems(pages as readonly Metadata[], (answer) =>
      isOther(slice.scope, answer) ? "a keyword or country that was not requested" : null,
    );
    const rows = fitting.map((answer) => ({
      store: part(slice.scope, "store"),
      keyword_key: keyword,
      date_day: slice.window.start,
      country_key: part(slice.scope, "country"),
      language_code: answer.languageCode ?? null,
      search_volume: answer.searchVolume ?? null,
      popularity: answer.popularity ?? null,
      app_count: answer.numberOfApps ?? null,
      iphone_app_count: answer.numberOfIphoneApps ?? null,
      ipad_app_count: answer.numberOfIpadApps ?? null,
      chance: answer.playChance ?? null,
      iphone_chance: answer.ownIphoneChance ?? null,
      ipad_chance: answer.ownIpadChance ?? null,
      brand_track_id: idOf(answer.brandApp),
    }));
    return { rows: { [table.name]: rows }, invalid };
  },
});
