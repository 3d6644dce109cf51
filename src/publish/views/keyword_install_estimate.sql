select a.store as store, a.track_id as track_id, a.app_name as app_name, c.country_code as country_code, c.country_name as country_name,
       k.keyword as keyword, f.date_day as date_day, f.kind as estimate_kind, f.max_reach_count as max_reach_count,
       f.conversion_rate as conversion_rate, f.install_count as expected_install_count, kg.keyword_groups as keyword_groups,
       ag.app_groups as app_groups
from   core.fact_keyword_estimate as f
join   core.dim_app     as a on a.app_key = f.app_key
join   core.dim_country as c on c.country_key = f.country_key
join   core.dim_keyword as k on k.keyword_key = f.keyword_key
left   join ops.keyword_groups as kg on kg.keyword = k.keyword
left   join ops.app_groups     as ag on ag.store = a.store and ag.track_id = a.track_id
