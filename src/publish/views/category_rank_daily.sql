select a.store as store, a.track_id as track_id, a.app_name as app_name, c.country_code as country_code, c.country_name as country_name,
       d.device_code as device_code, f.category_code as category_code, f.category_name as category_name, f.chart as chart,
       f.chart_version as chart_version,
       f.date_day as date_day, f.resolution as rank_resolution, f.category_rank as category_rank, f.best_category_rank as best_category_rank,
       f.worst_category_rank as worst_category_rank, f.observation_count as observation_count
from   (
  select r.app_key, r.country_key, r.device_key, r.category_code, r.chart, r.chart_version, r.date_day, r.resolution, max(r.category_name) as category_name,
         round(toDecimal256(sum(r.rank), 18) / nullif(count(r.rank), 0), 2) as category_rank, min(r.rank) as best_category_rank,
         max(r.rank) as worst_category_rank, count(r.rank) as observation_count,
         multiIf(r.resolution = 'daily', 1, r.resolution = 'hourly', 2, 3) as preference,
         min(preference) over (partition by r.app_key, r.date_day, r.country_key, r.device_key, r.category_code, r.chart, r.chart_version) as best_preference
  from   core.fact_category_rank as r
  group  by r.app_key, r.country_key, r.device_key, r.category_code, r.chart, r.chart_version, r.date_day, r.resolution) as f
join   core.dim_app     as a on a.app_key = f.app_key
join   core.dim_country as c on c.country_key = f.country_key
join   core.dim_device  as d on d.device_key = f.device_key
where  f.preference = f.best_preference
