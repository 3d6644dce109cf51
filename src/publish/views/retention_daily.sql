select a.store as store, a.track_id as track_id, a.app_name as app_name, c.country_code as country_code, c.country_name as country_name,
       v.date_day as date_day, v.store_visit_count as store_visit_count, s.download_count as store_download_count,
       round(toDecimal256(s.download_count, 18) / nullif(toDecimal256(v.store_visit_count, 18), 0), 6) as visit_conversion_rate
from   (
  select f.app_key, f.country_key, f.date_day,
         coalesce(maxOrNullIf(f.android_store_visit_count, f.device_key = 0), sumOrNullIf(f.android_store_visit_count, f.device_key <> 0)) as store_visit_count
  from   core.fact_retention as f
  where  not f.is_total
  group  by f.app_key, f.country_key, f.date_day) as v
join   core.dim_app     as a on a.app_key = v.app_key
join   core.dim_country as c on c.country_key = v.country_key
left   join (
  select f.app_key, f.country_key, f.date_day, coalesce(maxOrNullIf(f.units, f.device_key = 0), sumOrNullIf(f.units, f.device_key <> 0)) as download_count
  from   core.fact_sales_metric as f
  where  f.context = 'DOWNLOAD' and not f.is_total
  group  by f.app_key, f.country_key, f.date_day) as s on s.app_key = v.app_key and s.country_key = v.country_key and s.date_day = v.date_day
