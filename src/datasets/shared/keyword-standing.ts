import type { Sums } from "../../load/table.ts";

/** How apps stand in the searches of a country: sums over keyword ranks by app, country, device and day. */
export const keywordStanding = {
  name: "core.fact_keyword_standing",
  key: ["app_key", "date_day", "country_key", "device_key"],
  lockedBy: ["app_key", "country_key"],
  madeOf: ["rank"],
  columns: {
    asked_keyword_count: "count(*)",
    ranked_keyword_count: "count(t.rank)",
    top_1_keyword_count: "count(*) filter (where t.rank <= 1)",
    top_3_keyword_count: "count(*) filter (where t.rank <= 3)",
    top_10_keyword_count: "count(*) filter (where t.rank <= 10)",
    top_50_keyword_count: "count(*) filter (where t.rank <= 50)",
    rank_sum: "coalesce(sum(t.rank), 0)",
    // whole numbers, which add up exactly and at a fraction of the cost of fractions
    voice_billionths: "coalesce(sum(1000000000 / nullif(t.rank, 0)), 0)",
  },
} as const satisfies Sums;
