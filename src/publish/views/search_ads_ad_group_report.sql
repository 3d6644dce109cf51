select r.org_id as org_id, max(r.org_name) as org_name, r.track_id as track_id, max(r.app_name) as app_name, r.country_code as country_code,
       r.campaign_id as campaign_id,
       max(r.campaign_name) as campaign_name, r.ad_group_id as ad_group_id, max(r.ad_group_name) as ad_group_name, r.date_day as date_day,
       r.currency as currency, r.attribution as attribution,
       min(r.is_primary_currency) as is_primary_currency, min(r.is_default_attribution) as is_default_attribution, r.goal_id as goal_id,
       sum(r.spend) as spend, sum(r.impression_count) as impression_count, sum(r.tap_count) as tap_count, sum(r.install_count) as install_count,
       sum(r.new_download_count) as new_download_count, sum(r.redownload_count) as redownload_count,
       sum(r.attributed_install_count) as attributed_install_count, sum(r.goal_count) as goal_count, sum(r.goal_revenue) as goal_revenue,
       r.original_currency as original_currency, sum(r.original_spend) as original_spend, sum(r.original_goal_revenue) as original_goal_revenue,
       round(toDecimal256(sum(r.tap_count), 18) / nullif(toDecimal256(sum(r.impression_count), 18), 0), 6) as tap_through_share,
       round(toDecimal256(sum(r.install_count), 18) / nullif(toDecimal256(sum(r.tap_count), 18), 0), 6) as conversion_rate,
       round(toDecimal256(sum(r.spend), 18) / nullif(toDecimal256(sum(r.tap_count), 18), 0), 4) as cost_per_tap,
       round(toDecimal256(sum(r.spend), 18) / nullif(toDecimal256(sum(r.install_count), 18), 0), 4) as cost_per_install,
       round(toDecimal256(sum(r.spend), 18) / nullif(toDecimal256(sum(r.goal_count), 18), 0), 4) as cost_per_goal,
       round(toDecimal256(sum(r.goal_revenue), 18) / nullif(toDecimal256(sum(r.spend), 18), 0), 4) as return_on_spend,
       sum(r.first_spend) as first_spend, sum(r.first_impression_count) as first_impression_count, sum(r.first_tap_count) as first_tap_count,
       sum(r.first_install_count) as first_install_count, sum(r.first_new_download_count) as first_new_download_count,
       sum(r.first_redownload_count) as first_redownload_count, sum(r.first_attributed_install_count) as first_attributed_install_count,
       sum(r.first_goal_count) as first_goal_count, sum(r.first_goal_revenue) as first_goal_revenue,
       min(r.first_reported_at) as first_reported_at, max(r.last_changed_at) as last_changed_at, max(r.is_restated) as is_restated,
       min(r.is_withdrawn) as is_withdrawn
from   mart.search_ads_daily as r
where  r.report_level = 'AD_GROUP'
group  by r.org_id, r.track_id, r.country_code, r.campaign_id, r.ad_group_id, r.date_day, r.currency, r.attribution, r.goal_id, r.original_currency
