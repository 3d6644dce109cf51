select assumeNotNull(f.dataset) as dataset, f.store as store, f.track_id as track_id, coalesce(a.app_name, f.track_id) as app_name, f.country_code as country_code,
       f.newest_day as newest_day, f.due_day as due_day, f.days_behind as days_behind, f.freshness_state as freshness_state,
       f.last_loaded_at as last_loaded_at, f.open_count as open_slice_count
from   ops.freshness as f
left   join core.dim_app as a on a.store = f.store and a.track_id = f.track_id
