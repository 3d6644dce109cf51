select r.org_id as org_id, r.org_name as org_name, r.track_id as track_id, r.app_name as app_name, r.country_code as country_code,
       r.campaign_id as campaign_id, r.campaign_name as campaign_name, r.date_day as date_day, r.currency as currency, r.attribution as attribution,
       r.spend as spend, r.impression_count as impression_count, r.tap_count as tap_count, r.install_count as install_count,
       r.new_download_count as new_download_count, r.redownload_count as redownload_count,
       (select any(d.left_out_org_count) from ops.search_ads_default as d) as left_out_org_count,
       r.date_day in (select n.date_day from ops.search_ads_answered_day as n) as is_complete
from   mart.search_ads_campaign_report as r
where  r.is_primary_currency and r.is_default_attribution and r.goal_id = '' and not r.is_withdrawn
