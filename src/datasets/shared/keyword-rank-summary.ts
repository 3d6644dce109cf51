import type { Row, Sums } from "../../load/table.ts";

function rankedUpTo(worst: number) {
  const of = ({ rank = null }: Row) => (rank !== null && Number(rank) <= worst ? 1 : 0);
  return { sql: `count(*) filter (where t.rank <= ${worst})`, of };
}

/** The position of apps in a country's searches: sums over keyword ranks by app, country, device and day. */
export const keywordRankSummary = {
  name: "core.fact_keyword_rank_summary",
  key: ["app_key", "date_day", "country_key", "device_key"],
  lockedBy: ["app_key", "country_key"],
  madeOf: ["rank"],
  columns: {
    answered_keyword_count: { sql: "count(*)", of: () => 1 },
    ranked_keyword_count: { sql: "count(t.rank)", of: ({ rank = null }) => (rank === null ? 0 : 1) },
    top_1_keyword_count: rankedUpTo(1),
    top_3_keyword_count: rankedUpTo(3),
    top_10_keyword_count: rankedUpTo(10),
    top_50_keyword_count: rankedUpTo(50),
    rank_sum: { sql: "coalesce(sum(t.rank), 0)", of: ({ rank = null }) => Number(rank) },
    // whole numbers, which add up exactly and much faster than fractions
    voice_billionths: {
      sql: "coalesce(sum(1000000000 / nullif(t.rank, 0)), 0)",
      of: ({ rank = null }) => (rank === null || rank === 0 ? 0 : Math.trunc(1_000_000_000 / Number(rank))),
    },
  },
} as const satisfies Sums;
