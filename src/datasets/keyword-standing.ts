import type { Sums } from "../warehouse/table.ts";

/** How apps stand in the searches of a country: sums over keyword ranks by app, country, device and day. */
export const keywordStanding = {
  name: "core.fact_keyword_standing",
  key: ["app_key", "date_day", "country_key", "device_key"],
  columns: {
    asked_keyword_count: "count(*)",
    ranked_keyword_count: "count(t.rank)",
    top_1_keyword_count: "count(*) filter (where t.rank <= 1)",
    top_3_keyword_count: "count(*) filter (where t.rank <= 3)",
    top_10_keyword_count: "count(*) filter (where t.rank <= 10)",
    top_50_keyword_count: "count(*) filter (where t.rank <= 50)",
    rank_sum: "coalesce(sum(t.rank), 0)",
    voice_sum: "coalesce(sum(1.0 / nullif(t.rank, 0)), 0)",
  },
} as const satisfies Sums;
