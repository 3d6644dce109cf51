/** A mart as a table: what the catalogue does not know about a view. */
type MartShape = {
  /** Columns that identify a row: its comment says "one row per" these. */
  readonly key: readonly string[];
  /** Columns of the key that may be null. */
  readonly nullable?: readonly string[];
  /** True if each day of its datasets adds rows with that `date_day`. */
  readonly isDaily?: true;
  /** True if `date_day` is the newest day of a row's subject: there are no rows for earlier days. */
  readonly isNewest?: true;
  /** Months other than its own whose days a row is also computed from: -1 is the month before, 1 the month after. */
  readonly alsoReads?: readonly (-1 | 1)[];
};

/** Facts from which marts take the newest row of any day: removing an old month of these removes no figure from a month of a mart. */
export const takenByNewest: readonly string[] = ["core.fact_keyword_metadata"];

/** Every mart by its name without schema. Tests check keys and nulls in fully loaded marts, and that no mart is missing. */
export const martShapes: Readonly<Record<string, MartShape>> = {
  advertisement: {
    key: ["store", "track_id", "period_start", "period_end", "country_code", "network", "media_type", "creative_id"],
  },
  app_group: { key: ["group_name", "store", "track_id"] },
  app_overview_by_period: {
    key: ["store", "track_id", "country_code", "period_kind", "period_start"],
    // the last week of a month
    alsoReads: [1],
  },
  app_overview_daily: { key: ["store", "track_id", "country_code", "date_day"], isDaily: true },
  app_page_change: {
    key: [
      "store",
      "track_id",
      "country_code",
      "language_code",
      "date_day",
      "change_source",
      "property",
      "change_number",
    ],
  },
  bid_change_impact: {
    key: ["org_id", "entity_level", "entity_id", "changed_at", "change_number", "currency", "attribution"],
    // null for a change without a report
    nullable: ["currency", "attribution"],
    alsoReads: [-1, 1],
  },
  category_rank_daily: {
    key: ["store", "track_id", "country_code", "device_code", "category_code", "chart", "chart_version", "date_day"],
    isDaily: true,
  },
  category_rank_vs_downloads_daily: {
    key: ["store", "track_id", "country_code", "device_code", "category_code", "chart", "chart_version", "date_day"],
    isDaily: true,
  },
  chart_movement_daily: {
    key: ["store", "track_id", "country_code", "device_code", "category_code", "chart", "chart_version", "date_day"],
    isDaily: true,
    alsoReads: [-1],
  },
  credit_spend_by_app_daily: {
    key: ["date_day", "store", "track_id", "country_code", "dataset", "credit_class", "account"],
    nullable: ["store", "track_id", "country_code"],
  },
  credit_spend_daily: { key: ["date_day", "account", "dataset", "operation", "credit_class"] },
  data_freshness: {
    key: ["dataset", "store", "track_id", "country_code"],
    nullable: ["store", "track_id", "country_code"],
  },
  download_revenue_monthly: { key: ["store", "track_id", "country_code", "month_start"], alsoReads: [-1] },
  featuring_daily: { key: ["store", "track_id", "country_code", "category_code", "date_day", "card_number"] },
  keyword_cannibalisation: {
    key: ["org_id", "store", "track_id", "country_code", "keyword", "date_day", "currency", "attribution"],
  },
  keyword_group: { key: ["group_name", "keyword"] },
  keyword_group_daily: {
    key: ["store", "track_id", "country_code", "device_code", "group_name", "date_day"],
    isDaily: true,
  },
  keyword_impression_share: { key: ["store", "track_id", "keyword", "country_code", "device_code", "share_day"] },
  keyword_install_estimate: {
    key: ["store", "track_id", "country_code", "keyword", "date_day", "estimate_kind"],
    isDaily: true,
  },
  keyword_not_requested_daily: { key: ["store", "track_id", "country_code", "keyword", "device_code", "date_day"] },
  keyword_opportunity: {
    key: ["store", "track_id", "country_code", "keyword", "device_code"],
    isNewest: true,
  },
  keyword_rank_daily: {
    key: ["store", "track_id", "country_code", "keyword", "device_code", "date_day"],
    isDaily: true,
  },
  keyword_rank_movers: {
    key: ["store", "track_id", "country_code", "keyword", "device_code", "days_back"],
    isNewest: true,
  },
  keyword_rank_vs_competitor: {
    key: ["store", "track_id", "competitor_track_id", "country_code", "keyword", "device_code"],
    isNewest: true,
  },
  organic_share_of_voice_daily: {
    key: ["store", "track_id", "country_code", "device_code", "date_day"],
    isDaily: true,
  },
  paid_share_of_voice: {
    key: ["store", "track_id", "keyword", "country_code", "period_start", "period_end", "share_source"],
  },
  release_impact: {
    key: ["store", "track_id", "version", "release_day", "country_code", "window_day_count"],
    alsoReads: [-1, 1],
  },
  retention_daily: { key: ["store", "track_id", "country_code", "date_day"], isDaily: true },
  review_by_version: { key: ["store", "track_id", "country_code", "language_code", "version"] },
  review_daily: { key: ["store", "track_id", "country_code", "language_code", "date_day"], isDaily: true },
  review_text: { key: ["store", "track_id", "review_id", "review_source"] },
  search_ads_ad_group_report: {
    key: ["ad_group_id", "country_code", "date_day", "currency", "attribution", "goal_id"],
    isDaily: true,
  },
  search_ads_campaign_report: {
    key: ["campaign_id", "country_code", "date_day", "currency", "attribution", "goal_id"],
    isDaily: true,
  },
  search_ads_daily: {
    key: [
      "org_id",
      "report_level",
      "currency",
      "attribution",
      "goal_id",
      "date_day",
      "country_code",
      "track_id",
      "campaign_id",
      "ad_group_id",
      "keyword_id",
      "ad_id",
      "product_page",
      "search_term",
      "match_type",
      "gender",
      "age",
      "device_class",
      "customer_type",
      "segment",
    ],
    isDaily: true,
  },
  search_ads_daily_default: { key: ["campaign_id", "country_code", "date_day"], isDaily: true },
  search_ads_daily_reporting: { key: ["campaign_id", "country_code", "date_day"], isDaily: true },
  search_ads_keyword_report: {
    key: ["ad_group_id", "keyword_id", "country_code", "date_day", "currency", "attribution", "goal_id"],
    isDaily: true,
  },
  search_ads_search_term_report: {
    key: [
      "ad_group_id",
      "keyword_id",
      "match_type",
      "search_term",
      "country_code",
      "date_day",
      "currency",
      "attribution",
      "goal_id",
    ],
  },
  visibility_daily: { key: ["store", "track_id", "country_code", "date_day"], isDaily: true },
  weighted_share_of_voice_daily: {
    key: ["store", "track_id", "country_code", "device_code", "date_day"],
    isDaily: true,
  },
};
