with estimate as (
  select f.app_key, f.date_day, f.country_key, coalesce(maxOrNullIf(f.download_count, f.is_total), sumOrNullIf(f.download_count, not f.is_total)) as download_count,
         coalesce(maxOrNullIf(f.revenue, f.is_total), sumOrNullIf(f.revenue, not f.is_total)) as revenue
  from   core.fact_download_revenue as f
  group  by f.app_key, f.date_day, f.country_key
), sale as (
  select f.app_key, f.date_day, f.country_key,
         coalesce(maxOrNullIf(f.units, f.context = 'DOWNLOAD' and f.device_key = 0), sumOrNullIf(f.units, f.context = 'DOWNLOAD' and f.device_key <> 0)) as download_count,
         coalesce(maxOrNullIf(f.units, f.context = 'REVENUE_TOTAL' and f.device_key = 0), sumOrNullIf(f.units, f.context = 'REVENUE_TOTAL' and f.device_key <> 0)) as revenue
  from   core.fact_sales_metric as f
  where  not f.is_total
  group  by f.app_key, f.date_day, f.country_key
), answered as (
  select distinct n.store, n.track_id, n.country_code, n.dataset, g.date_day
  from   ops.app_answer as n
  join   core.dim_date as g on true
  where  g.date_day >= n.window_start and g.date_day < n.window_end and (n.dataset = 'download_revenue' or n.dataset = 'sales_metric' and n.context = 'DOWNLOAD')
)
select r.store as store, r.track_id as track_id, r.app_name as app_name, r.country_code as country_code, r.country_name as country_name,
       r.device_code as device_code, r.category_code as category_code, r.category_name as category_name, r.chart as chart,
       r.chart_version as chart_version, r.date_day as date_day,
       r.category_rank as category_rank, e.download_count as estimated_download_count, e.revenue as estimated_revenue,
       s.download_count as store_download_count, s.revenue as store_revenue,
       ((r.store, r.track_id, r.country_code, r.date_day) in (select n.store, n.track_id, assumeNotNull(n.country_code), n.date_day from answered as n where n.dataset = 'download_revenue' and n.country_code is not null)
        or (r.store, r.track_id, r.date_day) in (select n.store, n.track_id, n.date_day from answered as n where n.dataset = 'download_revenue' and n.country_code is null))
       and (r.store, r.track_id, r.country_code, r.date_day) not in (select n.store, n.track_id, assumeNotNull(n.country_code), n.date_day from ops.unanswered_download_daily as n where n.dataset = 'download_revenue' and n.country_code is not null) as is_estimate_answered,
       ((r.store, r.track_id, r.country_code, r.date_day) in (select n.store, n.track_id, assumeNotNull(n.country_code), n.date_day from answered as n where n.dataset = 'sales_metric' and n.country_code is not null)
        or (r.store, r.track_id, r.date_day) in (select n.store, n.track_id, n.date_day from answered as n where n.dataset = 'sales_metric' and n.country_code is null))
       and (r.store, r.track_id, r.country_code, r.date_day) not in (select n.store, n.track_id, assumeNotNull(n.country_code), n.date_day from ops.unanswered_download_daily as n where n.context = 'DOWNLOAD' and n.country_code is not null)
       and (r.store, r.track_id, r.date_day) not in (select n.store, n.track_id, n.date_day from ops.unanswered_download_daily as n where n.context = 'DOWNLOAD' and n.country_code is null) as is_store_answered
from   mart.category_rank_daily as r
join   core.dim_app     as a on a.store = r.store and a.track_id = r.track_id
join   core.dim_country as c on c.country_code = r.country_code
left   join estimate as e on e.app_key = a.app_key and e.date_day = r.date_day and e.country_key = c.country_key
left   join sale     as s on s.app_key = a.app_key and s.date_day = r.date_day and s.country_key = c.country_key
