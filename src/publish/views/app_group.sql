select g.group_name as group_name, g.store as store, g.track_id as track_id, coalesce(a.app_name, g.track_id) as app_name
from   core.grouped_app  as g
left   join core.dim_app as a on a.store = g.store and a.track_id = g.track_id
