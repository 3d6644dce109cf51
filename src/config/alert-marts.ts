/** What a column holds. A null rank comes after every place: requested and not ranked. */
export type AlertColumn = "number" | "rank" | "text" | "boolean";

/** A mart as alerts see it. */
export type AlertMart = {
  /** Columns that say what a row is about; together with the day they identify a row. */
  readonly subject: readonly string[];
  /** Columns that conditions may name in addition to those of the subject. */
  readonly columns: Readonly<Record<string, AlertColumn>>;
  /** Datasets that it is made from: a day is checked when none of them has requests under way for it. */
  readonly datasets: readonly string[];
  /** Datasets by column, if each column has its own. */
  readonly datasetOf?: Readonly<Record<string, string>>;
  /** Datasets by the value of a column, for conditions that name its values. */
  readonly datasetsBy?: { readonly column: string; readonly values: Readonly<Record<string, string>> };
  /** True if a row is made of several answers: it waits for deferred and failed ones too. */
  readonly isWhole?: true;
  /** Boolean column that is false while the row covers only a part of what was requested. */
  readonly complete?: string;
  /** True if rows of one subject and day are added up. */
  readonly addsUp?: true;
  /** True if each row is an event, so that an alert needs no condition. */
  readonly isEvent?: true;
  /** Column with the day that the mart itself compares with. */
  readonly comparedDay?: string;
  /** Column with the name of what a row is about. */
  readonly label?: string;
  /** Columns that a message shows in addition to those of the conditions. */
  readonly shows?: readonly string[];
};

const appAndCountry = ["store", "track_id", "country_code"] as const;
const chart = [...appAndCountry, "device_code", "category_code", "chart", "chart_version"] as const;

/**
 * The marts that alerts may name, by name without schema. Columns are listed here as well as in the catalogue, so that an invalid alert is
 * refused when the settings are read; a test compares both.
 */
export const alertMarts: Readonly<Record<string, AlertMart>> = {
  keyword_rank_daily: {
    subject: [...appAndCountry, "keyword", "device_code"],
    columns: { keyword_rank: "rank", is_ranked: "boolean" },
    datasets: ["keyword_rank"],
  },
  organic_share_of_voice_daily: {
    subject: [...appAndCountry, "device_code"],
    columns: {
      ranked_keyword_count: "number",
      top_1_keyword_count: "number",
      top_3_keyword_count: "number",
      top_10_keyword_count: "number",
      top_50_keyword_count: "number",
      average_rank: "number",
      voice_share: "number",
    },
    datasets: ["keyword_rank"],
    isWhole: true,
    complete: "is_complete",
  },
  visibility_daily: {
    subject: appAndCountry,
    columns: { visibility_score: "number", visibility_share: "number", visibility_rank: "number" },
    datasets: ["visibility"],
    isWhole: true,
  },
  category_rank_daily: { subject: chart, columns: { category_rank: "rank" }, datasets: ["category_rank"] },
  chart_movement_daily: {
    subject: chart,
    columns: {
      movement: "text",
      chart_rank: "rank",
      previous_chart_rank: "rank",
      places_gained: "number",
      is_portfolio_app: "boolean",
    },
    datasets: ["top_chart"],
    isWhole: true,
    comparedDay: "previous_day",
    shows: ["chart_rank"],
  },
  featuring_daily: {
    subject: [...appAndCountry, "category_code", "card_number"],
    columns: { card_type: "text", title: "text" },
    datasets: ["featuring"],
    isEvent: true,
    shows: ["title"],
  },
  review_daily: {
    subject: appAndCountry,
    columns: {
      review_count: "number",
      one_star_count: "number",
      two_star_count: "number",
      three_star_count: "number",
      four_star_count: "number",
      five_star_count: "number",
    },
    datasets: ["review"],
    isWhole: true,
    addsUp: true,
  },
  app_overview_daily: {
    subject: appAndCountry,
    columns: {
      rating: "number",
      rating_count: "number",
      visibility_score: "number",
      best_category_rank: "number",
      estimated_download_count: "number",
      estimated_revenue: "number",
      store_download_count: "number",
      store_revenue: "number",
      page_view_count: "number",
      search_ads_spend: "number",
      search_ads_install_count: "number",
    },
    datasets: [],
    datasetOf: {
      rating: "app_rating",
      rating_count: "app_rating",
      visibility_score: "visibility",
      best_category_rank: "category_rank",
      estimated_download_count: "download_revenue",
      estimated_revenue: "download_revenue",
      store_download_count: "sales_metric",
      store_revenue: "sales_metric",
      page_view_count: "sales_metric",
      search_ads_spend: "search_ads_report",
      search_ads_install_count: "search_ads_report",
    },
    isWhole: true,
  },
  app_page_change: {
    subject: [...appAndCountry, "language_code", "property"],
    columns: {
      change_source: "text",
      is_main_source: "boolean",
      is_competitor: "boolean",
      old_value: "text",
      new_value: "text",
    },
    datasets: ["app_history", "app_version", "app_change"],
    datasetsBy: {
      column: "change_source",
      values: { page: "app_history", release: "app_version", "release detail": "app_change" },
    },
    isEvent: true,
    shows: ["old_value", "new_value"],
  },
  search_ads_daily_default: {
    subject: ["org_id", "campaign_id", "track_id", "country_code"],
    columns: { spend: "number", impression_count: "number", tap_count: "number", install_count: "number" },
    datasets: ["search_ads_report"],
    label: "campaign_name",
  },
};
