/** Conditions by column, in SQL without the column itself, that choose rows before figures are added up. */
type Choice = Readonly<Record<string, string>>;

/** What may be done with the figures of a mart, according to its comment. */
export type MartMetrics = {
  /** Column with the day or month of a row. */
  readonly time: "date_day" | "month_start";
  /** Columns for which one value is chosen, since rows with different values never add up. */
  readonly choose?: Choice;
  /** Conditions that leave out rows about only a part of what was requested. */
  readonly only?: Choice;
  /** The same for single sums, by column: the mart has figures of several datasets, and shows for each whether it is a part. */
  readonly onlyOf?: Readonly<Record<string, Choice>>;
  /** Columns that may be added up over everything else. */
  readonly sums: readonly string[];
  /** What `sums` add up over, if not everything. */
  readonly addsUpOver?: string;
  /** Columns that are averaged and never added up. */
  readonly averages?: readonly string[];
  /** Quotients of two sums, by name. */
  readonly ratios?: Readonly<Record<string, readonly [numerator: string, denominator: string]>>;
};

const oneDevice = { device_code: "in ('IPHONE', 'ALL')" } as const;
const wholeDays = { is_complete: "is true" } as const;
const oneAccount = { is_primary_currency: "is true", is_default_attribution: "is true" } as const;
const adSums = ["spend", "impression_count", "tap_count", "install_count"] as const;
const adRatios = {
  cost_per_install: ["spend", "install_count"],
  cost_per_tap: ["spend", "tap_count"],
  tap_through_rate: ["tap_count", "impression_count"],
} as const;
const voiceSums = [
  "requested_keyword_count",
  "answered_keyword_count",
  "ranked_keyword_count",
  "top_1_keyword_count",
  "top_3_keyword_count",
  "top_10_keyword_count",
  "top_50_keyword_count",
  "rank_sum",
  "voice_sum",
] as const;
const voiceRatios = {
  average_rank: ["rank_sum", "ranked_keyword_count"],
  voice_share: ["voice_sum", "answered_keyword_count"],
} as const;

/** Metrics by mart. A test compares each with the comment of its mart and the types of its columns. */
export const martMetrics: Readonly<Record<string, MartMetrics>> = {
  // rating_count is not a metric: a window takes the newest day of all rows, and an app without a row on that day would not count
  app_overview_daily: {
    time: "date_day",
    sums: [
      "review_count",
      "store_download_count",
      "store_revenue",
      "page_view_count",
      "estimated_download_count",
      "estimated_revenue",
      "search_ads_spend",
      "search_ads_install_count",
    ],
    // as in the marts that have only these figures; for store revenue and page views nothing shows whether a device is missing
    onlyOf: {
      review_count: { is_review_answered: "is true" },
      store_download_count: { is_store_answered: "is true" },
      estimated_download_count: { is_estimate_answered: "is true" },
      estimated_revenue: { is_estimate_answered: "is true" },
      search_ads_spend: { is_search_ads_answered: "is true" },
      search_ads_install_count: { is_search_ads_answered: "is true" },
    },
    addsUpOver: "everything, but never country ALL together with countries",
    averages: ["rating", "visibility_score", "best_category_rank"],
  },
  category_rank_daily: {
    time: "date_day",
    choose: { ...oneDevice, chart_version: "in ('v1', '')" },
    sums: [],
    averages: ["category_rank"],
  },
  credit_spend_by_app_daily: { time: "date_day", sums: ["request_count", "credit_count"] },
  credit_spend_daily: { time: "date_day", sums: ["request_count", "failed_request_count", "credit_count"] },
  download_revenue_monthly: {
    time: "month_start",
    sums: ["store_download_count", "store_revenue", "estimated_download_count", "estimated_revenue"],
  },
  keyword_cannibalisation: {
    time: "date_day",
    choose: oneAccount,
    // null if no ranks were requested: the own brand is known without them
    only: { is_complete: "is not false" },
    sums: ["spend", "tap_count", "install_count"],
    ratios: { cost_per_install: ["spend", "install_count"] },
  },
  keyword_group_daily: {
    time: "date_day",
    choose: oneDevice,
    only: wholeDays,
    sums: voiceSums,
    // a keyword may be in several groups
    addsUpOver: "everything but groups",
    ratios: voiceRatios,
  },
  // keyword_rank_daily has none: its rows do not show whether their day is complete; organic_share_of_voice_daily has the average rank
  organic_share_of_voice_daily: {
    time: "date_day",
    choose: oneDevice,
    only: wholeDays,
    sums: voiceSums,
    ratios: voiceRatios,
  },
  retention_daily: { time: "date_day", sums: ["store_visit_count", "store_download_count"] },
  review_daily: {
    time: "date_day",
    only: { is_answered: "is true" },
    addsUpOver: "everything, as long as is_answered is true for every row",
    sums: [
      "review_count",
      "rated_review_count",
      "rating_sum",
      "one_star_count",
      "two_star_count",
      "three_star_count",
      "four_star_count",
      "five_star_count",
      "replied_review_count",
      "reply_known_review_count",
    ],
    ratios: {
      average_rating: ["rating_sum", "rated_review_count"],
      replied_share: ["replied_review_count", "reply_known_review_count"],
    },
  },
  search_ads_daily_default: {
    time: "date_day",
    only: wholeDays,
    sums: adSums,
    addsUpOver: "everything, as long as is_complete is true for every row",
    ratios: adRatios,
  },
  search_ads_daily_reporting: {
    time: "date_day",
    only: wholeDays,
    sums: ["reporting_spend"],
    addsUpOver: "everything, as long as is_converted and is_complete are true for every row",
  },
  search_ads_keyword_report: {
    time: "date_day",
    choose: { ...oneAccount, goal_id: "= ''" },
    sums: adSums,
    ratios: adRatios,
  },
  visibility_daily: { time: "date_day", only: wholeDays, sums: [], averages: ["visibility_score"] },
  weighted_share_of_voice_daily: {
    time: "date_day",
    choose: oneDevice,
    only: wholeDays,
    sums: [
      "requested_keyword_count",
      "answered_keyword_count",
      "volume_keyword_count",
      "search_volume_sum",
      "weighted_voice_sum",
    ],
    ratios: { weighted_voice_share: ["weighted_voice_sum", "search_volume_sum"] },
  },
};
