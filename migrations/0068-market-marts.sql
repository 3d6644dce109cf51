-- Marts about downloads, reach, retention and advertisements of the market.

create view mart.download_revenue_monthly as
with known as not materialized (
  select p.app_key, p.store, p.track_id, p.app_name, least(e.first_day, s.first_day) as first_day, greatest(e.last_day, s.last_day) as last_day
  from   ops.portfolio_app as p
  cross  join lateral (select min(f.date_day) as first_day, max(f.date_day) as last_day from core.fact_download_revenue as f where f.app_key = p.app_key) as e
  cross  join lateral (select min(f.date_day) as first_day, max(f.date_day) as last_day from core.fact_sales_metric as f where f.app_key = p.app_key) as s
), compared as not materialized (
  select k.store, k.track_id, k.app_name, f.*, m.month_start, m.month_end - m.month_start as day_count, m.month_start - m.previous_start as previous_day_count
  from   known as k
  join   core.dim_date as d on d.date_day = d.month_start and d.date_day >= date_trunc('month', k.first_day::timestamp)::date and d.date_day <= k.last_day
  cross  join lateral (
    select d.month_start, (d.month_start + interval '1 month')::date as month_end, (d.month_start - interval '1 month')::date as previous_start) as m
  -- a month and the one before it, by key: a window over all months would read all of them for any of them
  cross  join lateral (
    select n.country_key,
           sum(n.estimated_downloads) filter (where n.is_own) as estimated_downloads, sum(n.estimated_downloads) filter (where not n.is_own) as previous_estimated_downloads,
           sum(n.estimated_revenue) filter (where n.is_own) as estimated_revenue, sum(n.estimated_revenue) filter (where not n.is_own) as previous_estimated_revenue,
           count(n.estimated_downloads) filter (where n.is_own) as estimated_days, count(n.estimated_downloads) filter (where not n.is_own) as previous_estimated_days,
           sum(n.store_downloads) filter (where n.is_own) as store_downloads, sum(n.store_downloads) filter (where not n.is_own) as previous_store_downloads,
           sum(n.store_revenue) filter (where n.is_own) as store_revenue, sum(n.store_revenue) filter (where not n.is_own) as previous_store_revenue,
           count(n.store_downloads) filter (where n.is_own) as store_days, count(n.store_downloads) filter (where not n.is_own) as previous_store_days
    from   (
      select e.country_key, e.date_day >= m.month_start as is_own,
             coalesce(max(e.download_count) filter (where e.is_total), sum(e.download_count) filter (where not e.is_total)) as estimated_downloads,
             coalesce(max(e.revenue) filter (where e.is_total), sum(e.revenue) filter (where not e.is_total)) as estimated_revenue,
             null::numeric as store_downloads, null::numeric as store_revenue
      from   core.fact_download_revenue as e
      where  e.app_key = k.app_key and e.date_day >= m.previous_start and e.date_day < m.month_end
      group  by e.country_key, e.date_day
      union  all
      select s.country_key, s.date_day >= m.month_start, null, null,
             coalesce(max(s.units) filter (where s.context = 'DOWNLOAD' and s.device_key = 0), sum(s.units) filter (where s.context = 'DOWNLOAD' and s.device_key <> 0)),
             coalesce(max(s.units) filter (where s.context = 'REVENUE_TOTAL' and s.device_key = 0), sum(s.units) filter (where s.context = 'REVENUE_TOTAL' and s.device_key <> 0))
      from   core.fact_sales_metric as s
      where  s.app_key = k.app_key and s.date_day >= m.previous_start and s.date_day < m.month_end and not s.is_total
      group  by s.country_key, s.date_day) as n
    group  by n.country_key
    having bool_or(n.is_own)) as f
), answered as materialized (
  select n.* from ops.download_days as n
)
select m.store, m.track_id, m.app_name, c.country_code, c.country_name, c.region, m.month_start, m.day_count as month_day_count, m.estimated_days as estimated_day_count,
       m.estimated_downloads as estimated_download_count, m.estimated_revenue,
       case when w.are_estimates_whole then round(m.estimated_downloads / nullif(m.previous_estimated_downloads, 0) - 1, 6) end as estimated_download_change_share,
       case when w.are_estimates_whole then round(m.estimated_revenue / nullif(m.previous_estimated_revenue, 0) - 1, 6) end as estimated_revenue_change_share,
       m.store_days as store_day_count, m.store_downloads as store_download_count, m.store_revenue,
       case when w.are_sales_whole then round(m.store_downloads / nullif(m.previous_store_downloads, 0) - 1, 6) end as store_download_change_share,
       case when w.is_revenue_whole then round(m.store_revenue / nullif(m.previous_store_revenue, 0) - 1, 6) end as store_revenue_change_share,
       ops.day_count((coalesce(o.estimated_days, '{}') + coalesce(e.estimated_days, '{}') - coalesce(o.unestimated_days, '{}')) * w.span) as estimate_answered_day_count,
       ops.day_count((coalesce(o.reported_days, '{}') + coalesce(e.reported_days, '{}') - coalesce(o.unreported_days, '{}') - coalesce(e.unreported_days, '{}')) * w.span)
         as store_answered_day_count
from   compared         as m
join   core.dim_country as c on c.country_key = m.country_key
left   join answered    as o on o.store = m.store and o.track_id = m.track_id and o.country_code = c.country_code
-- an answer that names no country is about all of them
left   join answered    as e on e.store = m.store and e.track_id = m.track_id and e.country_code is null
cross  join lateral (
  select datemultirange(daterange(m.month_start, m.month_start + m.day_count)) as span,
         datemultirange(daterange(m.month_start - m.previous_day_count, m.month_start + m.day_count)) as both_spans) as b
cross  join lateral (
  select b.span,
         m.estimated_days = m.day_count and m.previous_estimated_days = m.previous_day_count and not coalesce(o.unestimated_days && b.both_spans, false) as are_estimates_whole,
         m.store_days = m.day_count and m.previous_store_days = m.previous_day_count and not coalesce(o.unreported_days && b.both_spans, false)
         and not coalesce(e.unreported_days && b.both_spans, false) as are_sales_whole,
         -- a day without revenue may have no figure, so that days with an answer count
         b.both_spans <@ (coalesce(o.revenue_days, '{}') + coalesce(e.revenue_days, '{}')
                          - coalesce(o.unanswered_revenue_days, '{}') - coalesce(e.unanswered_revenue_days, '{}')) as is_revenue_whole) as w;
comment on view   mart.download_revenue_monthly                                 is 'One row per portfolio app, country and calendar month with figures: downloads and revenue, and their change since the month before. The estimates need the dataset download_revenue (iOS). Counts and revenue may be added up across apps, countries and months. Never add estimates to the store''s figures, and never add up shares. The store''s figures added up over countries may be less than their total over all countries, which is in core.fact_sales_metric (is_total). Where do downloads grow? Which country had the most revenue last month?';
comment on column mart.download_revenue_monthly.region                          is 'Continent-sized region of the country, by UN M49.';
comment on column mart.download_revenue_monthly.month_start                     is 'First day of the month.';
comment on column mart.download_revenue_monthly.month_day_count                 is 'Number of days in the month.';
comment on column mart.download_revenue_monthly.estimated_day_count             is 'Days with estimated downloads; fewer than month_day_count if the month is not over or days are missing.';
comment on column mart.download_revenue_monthly.estimated_download_count        is 'Downloads as the service estimates them (iOS), over these days.';
comment on column mart.download_revenue_monthly.estimated_revenue               is 'Revenue as the service estimates it (iOS), without a currency.';
comment on column mart.download_revenue_monthly.estimated_download_change_share is 'Relative change since the month before: 0.1 means up 10 percent; null unless both months have all their days, with all requested devices.';
comment on column mart.download_revenue_monthly.estimated_revenue_change_share  is 'Relative change of estimated_revenue since the month before: 0.1 means up 10 percent; null unless both months have an estimate of downloads for all their days, with all requested devices. A day whose estimate names no revenue adds none.';
comment on column mart.download_revenue_monthly.store_day_count                 is 'Days with downloads reported by the store.';
comment on column mart.download_revenue_monthly.store_download_count            is 'Downloads as the store reported them to the account (its own apps), over these days.';
comment on column mart.download_revenue_monthly.store_revenue                   is 'Revenue as the store reported it to the account, without a currency.';
comment on column mart.download_revenue_monthly.store_download_change_share     is 'Relative change since the month before: 0.1 means up 10 percent; null unless both months have all their days, with all requested devices.';
comment on column mart.download_revenue_monthly.store_revenue_change_share      is 'Relative change of store_revenue since the month before: 0.1 means up 10 percent; null unless there is an answer about revenue for all days of both months, with all requested devices.';
comment on column mart.download_revenue_monthly.estimate_answered_day_count     is 'Days of the month for which estimates were requested and each requested device has an answer. On the other days estimates were not requested, or a device has no answer yet: estimated_download_count then covers only the devices that have one.';
comment on column mart.download_revenue_monthly.store_answered_day_count        is 'Days of the month for which downloads reported by the store were requested and each requested device has an answer. If there are more of them than store_day_count, the rest have no figure. On the other days downloads were not requested, or a device has no answer yet: store_download_count then covers only the devices that have one.';
select ops.comment_columns('mart.download_revenue_monthly');

create view mart.keyword_impression_share as
select a.store, a.track_id, coalesce(a.app_name, a.track_id) as app_name, c.country_code, c.country_name, k.keyword, d.device_code, f.share_day, f.date_day,
       f.impression_share,
       -- counted over the list of the row: a window over all lists would be made of them for any of them
       case when f.impression_share is not null
            then (select count(*) + 1
                  from   core.fact_impression_share as o
                  where  o.keyword_key = f.keyword_key and o.date_day = f.date_day and o.country_key = f.country_key and o.store = f.store
                  and    o.device_key = f.device_key and o.share_day = f.share_day and o.impression_share > f.impression_share) end as share_rank,
       exists (select from ops.portfolio_app as p where p.app_key = f.app_key) as is_portfolio_app, kg.keyword_groups, ag.app_groups
from   core.fact_impression_share as f
join   core.dim_app     as a on a.app_key = f.app_key
join   core.dim_country as c on c.country_key = f.country_key
join   core.dim_keyword as k on k.keyword_key = f.keyword_key
join   core.dim_device  as d on d.device_key = f.device_key
left   join lateral (
  select string_agg(distinct n.group_name, ', ' order by n.group_name) as keyword_groups from core.grouped_keyword as n where lower(n.keyword) = lower(k.keyword)) as kg on true
left   join ops.app_groups     as ag on ag.store = a.store and ag.track_id = a.track_id
-- a day may be reported by several observations: the newest one counts
where  not exists (
  select from core.fact_impression_share as n
  where  n.keyword_key = f.keyword_key and n.country_key = f.country_key and n.store = f.store and n.device_key = f.device_key
  and    n.date_day > f.date_day and n.share_day = f.share_day);
comment on view   mart.keyword_impression_share                  is 'One row per app, keyword, country, device and day of the share: the app''s share of the impressions of the keyword as the service reports it, without advertisements. Needs the dataset impression_share. Shares of apps may be added up only within one keyword, country, device and day. Who gets the impressions of a keyword? How large is our share?';
comment on column mart.keyword_impression_share.app_name         is 'Name of the app, or its track id if the name is missing.';
comment on column mart.keyword_impression_share.share_day        is 'Day of the share, or the day of observation if the service reports none.';
comment on column mart.keyword_impression_share.date_day         is 'Day of the newest observation that reports it.';
comment on column mart.keyword_impression_share.impression_share is 'Share of the impressions, on the service''s own scale.';
comment on column mart.keyword_impression_share.share_rank       is 'Place among the reported apps: 1 has the largest share; null without a share.';
comment on column mart.keyword_impression_share.is_portfolio_app is 'True for a portfolio app.';
select ops.comment_columns('mart.keyword_impression_share');

create view mart.keyword_install_estimate as
select a.store, a.track_id, a.app_name, c.country_code, c.country_name, k.keyword, f.date_day, f.kind as estimate_kind, f.max_reach_count,
       f.conversion_rate, f.install_count as expected_install_count, kg.keyword_groups, ag.app_groups
from   core.fact_keyword_estimate as f
join   core.dim_app     as a on a.app_key = f.app_key
join   core.dim_country as c on c.country_key = f.country_key
join   core.dim_keyword as k on k.keyword_key = f.keyword_key
left   join lateral (
  select string_agg(distinct n.group_name, ', ' order by n.group_name) as keyword_groups from core.grouped_keyword as n where lower(n.keyword) = lower(k.keyword)) as kg on true
left   join ops.app_groups     as ag on ag.store = a.store and ag.track_id = a.track_id;
comment on view   mart.keyword_install_estimate                        is 'One row per app, country, keyword, day and kind: how many people the keyword could reach and how many of them would install, as the service estimates it. Needs the dataset keyword_estimate. Choose one estimate_kind and day; then counts may be added up across keywords and countries. Which keywords bring installs? What would a keyword be worth?';
comment on column mart.keyword_install_estimate.date_day               is 'Day of the estimate, or the day of observation for the kind now.';
comment on column mart.keyword_install_estimate.estimate_kind          is 'now: the estimate on the day of observation; history: the estimate for the day, as the service keeps it.';
comment on column mart.keyword_install_estimate.max_reach_count        is 'Estimated unique impressions of the keyword in the country; null if the service reports none.';
comment on column mart.keyword_install_estimate.conversion_rate        is 'Share of the reached people who would install, 0 to 1; 0.0023 means 0.23 percent.';
comment on column mart.keyword_install_estimate.expected_install_count is 'Installs to expect from reach and conversion.';
select ops.comment_columns('mart.keyword_install_estimate');

create view mart.retention_daily as
select a.store, a.track_id, a.app_name, c.country_code, c.country_name, v.date_day, v.store_visit_count, s.download_count as store_download_count,
       round(s.download_count / nullif(v.store_visit_count, 0), 6) as visit_conversion_rate
from   (
  select f.app_key, f.country_key, f.date_day,
         coalesce(max(f.android_store_visit_count) filter (where f.device_key = 0), sum(f.android_store_visit_count) filter (where f.device_key <> 0)) as store_visit_count
  from   core.fact_retention as f
  where  not f.is_total
  group  by 1, 2, 3) as v
join   core.dim_app     as a on a.app_key = v.app_key
join   core.dim_country as c on c.country_key = v.country_key
left   join lateral (
  select coalesce(max(f.units) filter (where f.device_key = 0), sum(f.units) filter (where f.device_key <> 0)) as download_count
  from   core.fact_sales_metric as f
  where  f.app_key = v.app_key and f.date_day = v.date_day and f.country_key = v.country_key and f.context = 'DOWNLOAD' and not f.is_total) as s on true;
comment on view   mart.retention_daily                       is 'One row per app of the account, country and day: visits to its page in the store, as the service''s retention history reports them (only on Android, and nothing else about retention), and its downloads. Needs the dataset retention, which is on. Counts may be added up across everything. Compute rates from sums over rows that have both counts. Sums over countries may be less than the total over all countries, which is in core.fact_retention and core.fact_sales_metric (is_total). How many visitors become users? In which country do we lose them?';
comment on column mart.retention_daily.store_visit_count     is 'Visits to the page in the Android store; null if the service reports none.';
comment on column mart.retention_daily.store_download_count  is 'Downloads as the store reported them to the account; null if not requested.';
comment on column mart.retention_daily.visit_conversion_rate is 'Downloads per visit, 0 to 1; above 1 if downloads happen without a visit to the page. For several rows, counting only those with known downloads: sum(store_download_count) / nullif(sum(store_visit_count) filter (where store_download_count is not null), 0).';
select ops.comment_columns('mart.retention_daily');

create view mart.advertisement as
select a.store, a.track_id, coalesce(a.app_name, f.app_name, a.track_id) as app_name, c.country_code, c.country_name, f.period_start, f.period_end, f.network,
       f.media_type, f.creative_key as creative_id, f.title, f.subtitle, f.action_text, n.network_names, f.media_url, f.preview_url, f.size_text,
       f.first_seen_at, f.last_seen_at, f.impression_count,
       exists (select from core.tracked_competitor as t where t.competitor_app_key = f.app_key and t.valid_to is null) as is_competitor
from   core.ad_creative as f
join   core.dim_app     as a on a.app_key = f.app_key
join   core.dim_country as c on c.country_key = f.country_key
left   join lateral (
  select string_agg(e.value ->> 'title', ', ' order by e.value ->> 'title') as network_names
  from   jsonb_array_elements(case when jsonb_typeof(f.networks) = 'array' then f.networks end) as e) as n on true;
comment on view   mart.advertisement                  is 'One row per app, period of 30 days, requested country, network and kind of media, and advertisement seen. Needs the dataset ad_creative. Choose one network and one media_type (empty for all together), and either ALL or countries; then impressions may be added up across advertisements, apps and periods. Which advertisements does an app run? Which have the most impressions?';
comment on column mart.advertisement.country_code     is 'Requested country, ISO 3166-1 alpha-2; ALL for all countries together.';
comment on column mart.advertisement.period_start     is 'First day of the 30 days.';
comment on column mart.advertisement.period_end       is 'Last day of the period, inclusive.';
comment on column mart.advertisement.network          is 'Requested network; empty for all networks together.';
comment on column mart.advertisement.media_type       is 'Id of the requested kind of media; empty for all kinds together.';
comment on column mart.advertisement.creative_id      is 'Key of the advertisement within one answer: a digest of the media and the texts shown with it.';
comment on column mart.advertisement.title            is 'Title of the advertisement.';
comment on column mart.advertisement.subtitle         is 'Line under the title.';
comment on column mart.advertisement.action_text      is 'Text of the button.';
comment on column mart.advertisement.network_names    is 'Networks on which it was seen, separated by commas.';
comment on column mart.advertisement.media_url        is 'Address of the media.';
comment on column mart.advertisement.preview_url      is 'Address of a preview picture.';
comment on column mart.advertisement.size_text        is 'Size as the service writes it, for instance 320x50.';
comment on column mart.advertisement.first_seen_at    is 'When it was first seen.';
comment on column mart.advertisement.last_seen_at     is 'When it was last seen.';
comment on column mart.advertisement.impression_count is 'Impressions, as estimated for the period.';
comment on column mart.advertisement.is_competitor    is 'True for an app that the account names as a competitor now.';
select ops.comment_columns('mart.advertisement');
