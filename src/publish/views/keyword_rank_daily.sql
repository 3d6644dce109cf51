select a.store as store, a.track_id as track_id, a.app_name as app_name, c.country_code as country_code, c.country_name as country_name,
       k.keyword as keyword, d.device_code as device_code, f.date_day as date_day,
       f.rank as keyword_rank, f.rank is not null as is_ranked, if(f.rank is null, 'unranked', 'ranked') as ranking_state,
       f.observed_at as observed_at,
       kg.keyword_groups as keyword_groups, ag.app_groups as app_groups
from   core.fact_keyword_rank as f
join   core.dim_app       as a on a.app_key = f.app_key
join   core.dim_country   as c on c.country_key = f.country_key
join   core.dim_keyword   as k on k.keyword_key = f.keyword_key
join   core.dim_device    as d on d.device_key = f.device_key
left   join ops.keyword_groups as kg on kg.keyword = k.keyword
left   join ops.app_groups     as ag on ag.store = a.store and ag.track_id = a.track_id
