with newest as (
  select f.*, max(f.date_day) over (partition by f.keyword_key, f.country_key, f.store, f.device_key, f.share_day) as last_day,
         rank() over (partition by f.keyword_key, f.date_day, f.country_key, f.store, f.device_key, f.share_day order by f.impression_share desc nulls last) as place
  from   core.fact_impression_share as f
)
select a.store as store, a.track_id as track_id, coalesce(a.app_name, a.track_id) as app_name, c.country_code as country_code,
       c.country_name as country_name, k.keyword as keyword, d.device_code as device_code, f.share_day as share_day, f.date_day as date_day,
       f.impression_share as impression_share, if(f.impression_share is null, null, f.place) as share_rank,
       f.app_key in (select p.app_key from ops.portfolio_app as p) as is_portfolio_app, kg.keyword_groups as keyword_groups,
       ag.app_groups as app_groups
from   newest as f
join   core.dim_app     as a on a.app_key = f.app_key
join   core.dim_country as c on c.country_key = f.country_key
join   core.dim_keyword as k on k.keyword_key = f.keyword_key
join   core.dim_device  as d on d.device_key = f.device_key
left   join ops.keyword_groups as kg on kg.keyword = k.keyword
left   join ops.app_groups     as ag on ag.store = a.store and ag.track_id = a.track_id
where  f.date_day = f.last_day
