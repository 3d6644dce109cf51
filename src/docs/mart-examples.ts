import { marketMartExamples, type MartExample } from "./market-mart-examples.ts";

/** Marts in the order of their page. Queries sort without ties, so that their answers are always the same. */
export const martExamples: readonly MartExample[] = [
  {
    mart: "keyword_rank_daily",
    question: "On how many days of August did we rank, by keyword?",
    query: `select keyword, count(*) filter (where ranking_state = 'ranked') as ranked, count(*) filter (where ranking_state = 'unranked') as unranked
from   mart.keyword_rank_daily
where  app_name = 'Lumi: Habit Garden' and store = 'ios' and country_code = 'US' and device_code = 'IPHONE' and date_day >= '2026-08-01'
group  by keyword order by unranked desc, keyword limit 3`,
  },
  {
    mart: "keyword_rank_movers",
    question: "Which keywords lost the most places in a week?",
    query: `select app_name, country_code, keyword, device_code, previous_day, previous_rank, keyword_rank, places_gained
from   mart.keyword_rank_movers
where  days_back = 7 and movement = 'lost' order by places_gained, app_name, country_code, keyword, device_code limit 3`,
  },
  {
    mart: "organic_share_of_voice_daily",
    question: "How many of the searches for our keywords do we reach?",
    query: `select app_name, device_code, requested_keyword_count, answered_keyword_count, top_10_keyword_count, voice_share
from   mart.organic_share_of_voice_daily
where  country_code = 'US' and date_day = '2026-08-19' and is_complete order by app_name, device_code limit 3`,
  },
  {
    mart: "weighted_share_of_voice_daily",
    question: "How much of the search volume of our keywords do we reach?",
    query: `select app_name, device_code, volume_keyword_count, search_volume_sum, weighted_voice_share
from   mart.weighted_share_of_voice_daily
where  country_code = 'US' and date_day = '2026-08-19' order by app_name, device_code limit 3`,
  },
  {
    mart: "visibility_daily",
    question: "Are we more visible than our competitors?",
    query: `select app_name, country_code, visibility_score, visibility_rank, competitor_source, competitor_count, best_competitor_name, best_competitor_score
from   mart.visibility_daily
where  date_day = '2026-08-18' and store = 'ios' order by country_code, visibility_rank, app_name limit 3`,
  },
  {
    mart: "paid_share_of_voice",
    question: "Who pays for the keywords in the portfolio?",
    query: `select keyword, app_name, period_start, paid_impression_share, paid_rank, payer_count
from   mart.paid_share_of_voice
where  share_source = 'market' and country_code = 'US' order by period_start desc, payer_count desc, keyword, paid_rank, app_name limit 3`,
  },
  {
    mart: "keyword_cannibalisation",
    question: "What do we spend on keywords for which we rank at the top anyway?",
    query: `select app_name, keyword, reason, sum(spend) as spend, round(sum(spend) / nullif(sum(install_count), 0), 2) as cost_per_install
from   mart.keyword_cannibalisation
where  currency = 'USD' and attribution = 'WITH' group by app_name, keyword, reason order by spend desc, keyword limit 3`,
  },
  {
    mart: "search_ads_daily_default",
    question: "What do we spend, and what does an install cost?",
    query: `select app_name, currency, sum(spend) as spend, round(sum(spend) / nullif(sum(install_count), 0), 2) as cost_per_install
from   mart.search_ads_daily_default
group  by app_name, currency order by spend desc, app_name limit 3`,
  },
  {
    mart: "search_ads_campaign_report",
    question: "What does an install cost, and how much have the figures changed since they were first reported?",
    query: `select max(campaign_name) as campaign_name, sum(spend) as spend, round(sum(spend) / nullif(sum(install_count), 0), 2) as cost_per_install,
       sum(install_count) - sum(first_install_count) as installs_added
from   mart.search_ads_campaign_report
where  currency = 'USD' and attribution = 'WITH' and goal_id = '' group by campaign_id order by spend desc, campaign_id limit 3`,
  },
  {
    mart: "search_ads_ad_group_report",
    question: "What does a tap cost in each ad group?",
    query: `select max(campaign_name) as campaign_name, max(ad_group_name) as ad_group_name, round(sum(spend) / nullif(sum(tap_count), 0), 2) as cost_per_tap
from   mart.search_ads_ad_group_report
where  currency = 'USD' and attribution = 'WITH' and goal_id = '' group by campaign_id, ad_group_id order by cost_per_tap desc, ad_group_id limit 3`,
  },
  {
    mart: "search_ads_keyword_report",
    question: "Which keywords bring installs, and at what cost?",
    query: `select keyword, country_code, sum(install_count) as installs, round(sum(spend) / nullif(sum(install_count), 0), 2) as cost_per_install
from   mart.search_ads_keyword_report
where  currency = 'USD' and attribution = 'WITH' and goal_id = '' group by keyword, country_code order by installs desc, keyword, country_code limit 3`,
  },
  {
    mart: "search_ads_search_term_report",
    question: "What do people search for before they tap our advertisement?",
    query: `select search_term, sum(tap_count) as taps, sum(original_spend) as original_spend, original_currency
from   mart.search_ads_search_term_report
where  currency = 'USD' and attribution = 'WITH' and goal_id = '' group by search_term, original_currency order by taps desc, search_term limit 3`,
  },
  {
    mart: "bid_change_impact",
    question: "How did bid changes affect the cost of a tap?",
    query: `select keyword, date_day, old_bid, new_bid, round(before_cost_per_tap, 2) as before_cost_per_tap, round(after_cost_per_tap, 2) as after_cost_per_tap
from   mart.bid_change_impact
where  currency = 'USD' and attribution = 'WITH' and before_day_count = 7 and after_day_count = 7 order by date_day, keyword, changed_at limit 3`,
  },
  {
    mart: "review_daily",
    question: "How do users rate us this month?",
    query: `select store, app_name, country_code, sum(review_count) as reviews, round(sum(rating_sum)::numeric / nullif(sum(rated_review_count), 0), 2) as average_rating
from   mart.review_daily
where  date_day >= '2026-08-01' group by store, app_name, country_code order by store, app_name, country_code limit 3`,
  },
  {
    mart: "review_by_version",
    question: "Which version did users like best?",
    query: `select app_name, country_code, version, is_version_inferred, review_count, round(average_rating, 2) as average_rating
from   mart.review_by_version
where  version <> '' order  by average_rating desc, review_count desc, app_name, country_code, version limit 3`,
  },
  {
    mart: "category_rank_daily",
    question: "In which charts do we rank best?",
    query: `select app_name, country_code, device_code, category_name, chart, round(category_rank, 1) as category_rank
from   mart.category_rank_daily
where  date_day = (select max(date_day) from mart.category_rank_daily) and chart_version <> 'v2' order by category_rank, app_name, country_code, device_code, category_name, chart limit 3`,
  },
  {
    mart: "category_rank_vs_downloads_daily",
    question: "How many downloads go with which place?",
    query: `select app_name, category_name, date_day, round(category_rank, 1) as category_rank, round(estimated_download_count) as downloads
from   mart.category_rank_vs_downloads_daily
where  country_code = 'US' and device_code = 'IPHONE' and chart = 'FREE' and chart_version = 'v1' and estimated_download_count is not null
order  by date_day desc, category_rank, app_name, category_name limit 3`,
  },
  {
    mart: "keyword_opportunity",
    question: "Which keywords are most worth the work?",
    query: `select app_name, country_code, keyword, device_code, keyword_rank, search_volume, chance, round(opportunity_score, 1) as opportunity_score
from   mart.keyword_opportunity
where  opportunity_score is not null order by opportunity_score desc, app_name, country_code, keyword, device_code limit 3`,
  },
  {
    mart: "release_impact",
    question: "Did the last release help?",
    query: `select app_name, version, country_code, round(before_voice_share, 4) as before_voice_share, round(after_voice_share, 4) as after_voice_share, before_rating, after_rating
from   mart.release_impact
where  window_day_count = 7 and before_voice_share is not null and after_voice_share is not null order by release_day desc, app_name, country_code, store, version limit 3`,
  },
  {
    mart: "app_overview_daily",
    question: "How did the apps do on one day?",
    query: `select store, app_name, top_10_keyword_count, visibility_score, best_category_rank, review_count, estimated_download_count
from   mart.app_overview_daily
where  country_code = 'US' and date_day = '2026-08-16' order by store, app_name limit 3`,
  },
  {
    mart: "data_freshness",
    question: "Which apps are up to date, and which are not?",
    query: `select dataset, store, app_name, country_code, newest_day, due_day, days_behind, freshness_state
from   mart.data_freshness
where  dataset in ('keyword_rank', 'category_rank') order by days_behind desc nulls last, dataset, app_name, country_code, store limit 3`,
  },
  {
    mart: "credit_spend_daily",
    question: "Where did most credits go?",
    query: `select dataset, sum(request_count) as requests, sum(credit_count) as credits
from   mart.credit_spend_daily
group  by dataset order by credits desc, dataset limit 3`,
  },
  ...marketMartExamples,
];
