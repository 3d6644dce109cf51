/** A mart with a question that it answers, in SQL. */
export type MartExample = {
  readonly mart: string;
  readonly question: string;
  readonly query: string;
  /** Datasets that are off by default and without which the mart is empty. */
  readonly needs?: readonly string[];
};

/** Marts about competitors, the market, reviews, groups and money, with their questions. */
export const marketMartExamples: readonly MartExample[] = [
  {
    mart: "credit_spend_by_app_daily",
    question: "What does each app cost?",
    query: `select store, app_name, sum(request_count) as requests, sum(credit_count) as credits
from   mart.credit_spend_by_app_daily
group  by store, app_name order by credits desc, store, app_name limit 3`,
  },
  {
    mart: "keyword_rank_vs_competitor",
    question: "For which keywords does a competitor rank above us?",
    query: `select app_name, competitor_app_name, country_code, keyword, keyword_rank, competitor_keyword_rank, comparison
from   mart.keyword_rank_vs_competitor
where  device_code = 'IPHONE' and comparison in ('behind', 'only the competitor') order by places_ahead, app_name, competitor_app_name, country_code, keyword limit 3`,
    needs: ["keyword_app"],
  },
  {
    mart: "app_page_change",
    question: "What changed on the pages of apps, and when?",
    query: `select app_name, country_code, date_day, change_source, property
from   mart.app_page_change
where  language_code = '' order by date_day desc, app_name, country_code, change_source, property limit 3`,
  },
  {
    mart: "chart_movement_daily",
    question: "Who is in the charts, and who moved?",
    query: `select country_code, category_code, chart, date_day, app_name, chart_rank, movement
from   mart.chart_movement_daily
where  store = 'ios' order by date_day desc, country_code, category_code, device_code, chart, chart_version, chart_rank, app_name limit 3`,
    needs: ["top_chart"],
  },
  {
    mart: "featuring_daily",
    question: "Where were we featured?",
    query: `select app_name, country_code, date_day, card_type, title, card_rank
from   mart.featuring_daily
order  by date_day desc, app_name, country_code, category_code, card_number limit 3`,
    needs: ["featuring"],
  },
  {
    mart: "download_revenue_monthly",
    question: "Where do downloads grow?",
    query: `select app_name, country_code, month_start, estimated_day_count, round(estimated_download_count) as downloads, estimated_download_change_share as change
from   mart.download_revenue_monthly
where  estimated_download_count is not null order by month_start desc, downloads desc, app_name, country_code limit 3`,
    needs: ["download_revenue"],
  },
  {
    mart: "app_overview_by_period",
    question: "How many downloads did each region have by week, and how many days do they cover?",
    query: `select region, period_start, sum(store_download_count) as downloads, min(store_day_count) filter (where store_download_count is not null) as days, bool_and(is_complete) as is_complete
from   mart.app_overview_by_period
where  period_kind = 'week' group by region, period_start having sum(store_download_count) is not null order by period_start desc, region limit 3`,
  },
  {
    mart: "keyword_impression_share",
    question: "Who gets the impressions of our keywords?",
    query: `select keyword, country_code, device_code, share_day, app_name, impression_share, share_rank
from   mart.keyword_impression_share
where  is_portfolio_app order by share_day desc, keyword, country_code, device_code, share_rank, app_name limit 3`,
    needs: ["impression_share"],
  },
  {
    mart: "keyword_install_estimate",
    question: "Which keywords bring installs?",
    query: `select app_name, country_code, keyword, date_day, max_reach_count, expected_install_count
from   mart.keyword_install_estimate
where  estimate_kind = 'now' and expected_install_count is not null order by expected_install_count desc, app_name, country_code, keyword limit 3`,
    needs: ["keyword_estimate"],
  },
  {
    mart: "retention_daily",
    question: "How many visitors does the page have?",
    query: `select app_name, country_code, date_day, store_visit_count, store_download_count, visit_conversion_rate
from   mart.retention_daily
order  by date_day desc, store_visit_count desc nulls last, store, app_name, country_code limit 3`,
  },
  {
    mart: "advertisement",
    question: "Which advertisements do apps run?",
    query: `select app_name, period_start, title, action_text, network_names, impression_count
from   mart.advertisement
order  by period_start desc, impression_count desc nulls last, app_name, creative_id, country_code, network, media_type limit 3`,
    needs: ["ad_creative"],
  },
  {
    mart: "review_text",
    question: "What do the least satisfied users write?",
    query: `select app_name, country_code, date_day, rating, title
from   mart.review_text
where  rating = 1 order by date_day desc, app_name, country_code, review_id limit 3`,
  },
  {
    mart: "search_ads_daily_reporting",
    question: "What did we spend in each currency?",
    query: `select app_name, money_currency, sum(money_spend) as spend, sum(install_count) as installs
from   mart.search_ads_daily_reporting
group  by app_name, money_currency order by spend desc, app_name limit 3`,
  },
  {
    mart: "keyword_group",
    question: "How does each group of keywords perform?",
    query: `select g.group_name, count(*) as keywords, min(m.keyword_rank) as best_rank
from   mart.keyword_rank_movers as m join mart.keyword_group as g on g.keyword = m.keyword
where  m.days_back = 7 and m.device_code = 'IPHONE' group by g.group_name order by g.group_name limit 3`,
  },
  {
    mart: "keyword_group_daily",
    question: "What is our share of the searches for each group of keywords?",
    query: `select app_name, group_name, date_day, answered_keyword_count, top_10_keyword_count, voice_share
from   mart.keyword_group_daily
where  store = 'ios' and device_code = 'IPHONE' and country_code = 'US' and is_complete order by date_day desc, voice_share desc, app_name, group_name limit 3`,
  },
  {
    mart: "app_group",
    question: "How many apps does each group have?",
    query: `select group_name, count(*) as apps, min(app_name) as first_name
from   mart.app_group
group  by group_name order by group_name limit 3`,
  },
];
