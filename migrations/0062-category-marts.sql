-- Marts about charts, and beside them downloads. Apps are looked up by key: a query for one app reads no other.

create view ops.counted_category_rank as
select f.*
from   core.fact_category_rank as f
-- by key, and only for rows below the best resolution: a window over all rows would read every app
where  f.resolution = 'daily' or not exists (
  select from core.fact_category_rank as o
  where  o.app_key = f.app_key and o.date_day = f.date_day and o.country_key = f.country_key and o.device_key = f.device_key
  and    o.category_code = f.category_code and o.chart = f.chart and o.chart_version = f.chart_version
  and    (o.resolution = 'daily' or o.resolution = 'hourly' and f.resolution <> 'hourly'));
comment on view   ops.counted_category_rank is 'One row per reported rank of core.fact_category_rank, in the best resolution that its chart has for the day: daily, else hourly, else last_day. Which ranks of a day count?';
select ops.comment_columns('ops.counted_category_rank', 'core.fact_category_rank');

create view mart.category_rank_daily as
select a.store, a.track_id, a.app_name, c.country_code, c.country_name, d.device_code, f.category_code, max(f.category_name) as category_name, f.chart, f.chart_version,
       f.date_day, f.resolution as rank_resolution, round(avg(f.rank), 2) as category_rank, min(f.rank) as best_category_rank, max(f.rank) as worst_category_rank, count(f.rank) as observation_count
from   ops.counted_category_rank as f
join   core.dim_app     as a on a.app_key = f.app_key
join   core.dim_country as c on c.country_key = f.country_key
join   core.dim_device  as d on d.device_key = f.device_key
group  by f.app_key, f.country_key, f.device_key, a.store, a.track_id, a.app_name, c.country_code, c.country_name, d.device_code, f.category_code, f.chart, f.chart_version, f.date_day, f.resolution;
comment on view   mart.category_rank_daily                     is 'One row per app, country, device, category, chart, chart version and day: its place in the chart. Do not add up ranks: choose one device, category, chart and chart_version to average them. On a day without a row, the answer names no place or there is no answer: is_category_rank_answered in mart.app_overview_daily shows which. How do we rank in our category? In which countries are we in the top ten?';
comment on column mart.category_rank_daily.category_code       is 'Category: its id on iOS (36 is overall), its name on Android (OVERALL).';
comment on column mart.category_rank_daily.chart               is 'FREE, PAID or GROSSING.';
comment on column mart.category_rank_daily.chart_version       is 'v1 or v2 of the iOS charts, which may both have a rank for the same chart; empty on Android, and on iOS if all countries were requested at once. Choose one.';
comment on column mart.category_rank_daily.date_day            is 'Day of the rank.';
comment on column mart.category_rank_daily.rank_resolution     is 'Source of the rank, the first available of: daily (the daily average that the service reports), hourly (the hourly ranks of the day), last_day (the newest day, from a request for all countries at once).';
comment on column mart.category_rank_daily.category_rank       is 'Place in the chart, 1 is the top; an average over the day may have decimals. Null when the app was not in the chart.';
comment on column mart.category_rank_daily.best_category_rank  is 'Best place of the day among the reported ranks.';
comment on column mart.category_rank_daily.worst_category_rank is 'Worst place of the day among the reported ranks.';
comment on column mart.category_rank_daily.observation_count          is 'Number of reported ranks of the day.';
select ops.comment_columns('mart.category_rank_daily');

create view ops.category_rank_answer as
select n.store, n.track_id, n.country_code, coalesce(n.context, '') as chart_version, n.window_start, n.window_end
from   ops.app_answer as n
-- one about all countries has the last day that the service knows, whichever that is
where  n.dataset = 'category_rank' and n.country_code is not null;
comment on view   ops.category_rank_answer               is 'One row per answer about the places of an app in the charts of a country. On a day covered by an answer but without a row in mart.category_rank_daily, the app had no place. Did the app fall out of the chart, or is there no answer?';
comment on column ops.category_rank_answer.country_code  is 'Country.';
comment on column ops.category_rank_answer.chart_version is 'Chart version of the answer; empty if it names none.';
select ops.comment_columns('ops.category_rank_answer', 'ops.app_answer');

create view mart.category_rank_vs_downloads_daily as
select a.store, a.track_id, a.app_name, r.country_code, r.country_name, d.device_code, r.category_code, r.category_name, r.chart, r.chart_version, r.date_day,
       r.category_rank, r.estimated_download_count, r.estimated_revenue, r.store_download_count, r.store_revenue,
       r.is_estimate_answered, r.is_store_answered
from   ops.charted_app as p
join   core.dim_app    as a on a.app_key = p.app_key
cross  join lateral (
  -- each place beside the figures of its day, which come with the rows of the union: looked up, they would be read once for each device, category and chart
  select c.country_code, c.country_name, u.device_key, u.category_code, u.category_name, u.chart, u.chart_version, u.date_day, u.category_rank,
         max(u.download_count) over of_day as estimated_download_count, max(u.revenue) over of_day as estimated_revenue,
         max(u.store_download_count) over of_day as store_download_count, max(u.store_revenue) over of_day as store_revenue,
         (coalesce(q.estimated_days @> u.date_day, false) or coalesce(t.estimated_days @> u.date_day, false))
         and not coalesce(q.unestimated_days @> u.date_day, false) as is_estimate_answered,
         (coalesce(q.reported_days @> u.date_day, false) or coalesce(t.reported_days @> u.date_day, false))
         and not coalesce(q.unreported_days @> u.date_day, false) and not coalesce(t.unreported_days @> u.date_day, false) as is_store_answered
  from   (
    -- as in mart.category_rank_daily
    select f.country_key, f.device_key, f.category_code, max(f.category_name) as category_name, f.chart, f.chart_version, f.date_day, round(avg(f.rank), 2) as category_rank,
           null::numeric as download_count, null::numeric as revenue, null::numeric as store_download_count, null::numeric as store_revenue
    from   ops.counted_category_rank as f
    where  f.app_key = p.app_key
    group  by f.country_key, f.date_day, f.device_key, f.category_code, f.chart, f.chart_version, f.resolution
    union  all
    select f.country_key, null, null, null, null, null, f.date_day, null,
           coalesce(max(f.download_count) filter (where f.is_total), sum(f.download_count) filter (where not f.is_total)),
           coalesce(max(f.revenue) filter (where f.is_total), sum(f.revenue) filter (where not f.is_total)), null, null
    from   core.fact_download_revenue as f
    where  f.app_key = p.app_key
    group  by f.country_key, f.date_day
    union  all
    select f.country_key, null, null, null, null, null, f.date_day, null, null, null,
           coalesce(max(f.units) filter (where f.context = 'DOWNLOAD' and f.device_key = 0), sum(f.units) filter (where f.context = 'DOWNLOAD' and f.device_key <> 0)),
           coalesce(max(f.units) filter (where f.context = 'REVENUE_TOTAL' and f.device_key = 0), sum(f.units) filter (where f.context = 'REVENUE_TOTAL' and f.device_key <> 0))
    from   core.fact_sales_metric as f
    where  f.app_key = p.app_key and not f.is_total
    group  by f.country_key, f.date_day) as u
  join   core.dim_country as c on c.country_key = u.country_key
  -- within the app: outside they would be made of the whole ledger for a few rows
  left   join ops.download_days as q on q.store = a.store and q.track_id = a.track_id and q.country_code = c.country_code
  -- t: answers that name no country, and are about all of them
  left   join ops.download_days as t on t.store = a.store and t.track_id = a.track_id and t.country_code is null
  window of_day as (partition by c.country_code, u.date_day)) as r
-- rows of figures alone have no device
join   core.dim_device  as d on d.device_key = r.device_key;
comment on view   mart.category_rank_vs_downloads_daily                          is 'One row per app, country, device, category, chart, chart version and day: its place and the downloads of the app in that country on that day. The same downloads are repeated for each device, category and chart: choose one of each, and then downloads and revenue may be added up across apps, countries and days. How many downloads does a place in the top ten take? Do downloads lag the chart or lead it?';
comment on column mart.category_rank_vs_downloads_daily.device_code              is 'Device of the chart: IPHONE, IPAD, or ALL on Android. Downloads are for all devices.';
comment on column mart.category_rank_vs_downloads_daily.category_code            is 'Category: its id on iOS (36 is overall), its name on Android (OVERALL).';
comment on column mart.category_rank_vs_downloads_daily.chart                    is 'FREE, PAID or GROSSING.';
comment on column mart.category_rank_vs_downloads_daily.chart_version            is 'v1 or v2 of the iOS charts, which may both have a rank for the same chart; empty on Android, and on iOS if all countries were requested at once. Choose one.';
comment on column mart.category_rank_vs_downloads_daily.category_rank            is 'Place in the chart, 1 is the top; null when the app was not in the chart.';
comment on column mart.category_rank_vs_downloads_daily.estimated_download_count is 'Downloads as the service estimates them (iOS): for all devices together, else the sum over the devices with a figure for the day; null if not requested.';
comment on column mart.category_rank_vs_downloads_daily.estimated_revenue        is 'Revenue as the service estimates it (iOS), without a currency: for all devices together, else the sum over the devices with a figure for the day.';
comment on column mart.category_rank_vs_downloads_daily.store_download_count     is 'Downloads as the store reported them to the account (its own apps): for all devices together, else the sum over the devices with a figure for the day; null if not requested.';
comment on column mart.category_rank_vs_downloads_daily.store_revenue            is 'Revenue as the store reported it to the account (its own apps), without a currency: for all devices together, else the sum over the devices with a figure for the day.';
comment on column mart.category_rank_vs_downloads_daily.is_estimate_answered     is 'True if the estimates of the day were requested and each requested device has an answer; a null estimated_download_count then means that the service has no estimate. False if they were not requested, or while a device has no answer yet: estimated_download_count then covers only the other devices. What is unavailable (404) counts as answered, and so does a newest day that the service has not published yet, until it is requested again on the next days.';
comment on column mart.category_rank_vs_downloads_daily.is_store_answered        is 'True if the downloads reported by the store were requested for the day and each requested device has an answer; a null store_download_count then means that the store reports none for the country, though it may report a total for all countries. False if they were not requested, or while a device has no answer yet: store_download_count then covers only the other devices. What is unavailable (404) counts as answered, and so does a newest day that the service has not published yet, until it is requested again on the next days.';
select ops.comment_columns('mart.category_rank_vs_downloads_daily');
