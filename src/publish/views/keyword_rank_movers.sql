with span as (
  select l.*, p.days_back, p.tolerance
  from   ops.latest_keyword_rank as l
  cross  join (select 1 as days_back, 1 as tolerance union all select 7, 2 union all select 30, 3 union all select 90, 7) as p
), earlier as (
  -- the day itself, or else the nearest one, the earlier of two; the joined table is kept in memory, so that it is the small one
  select l.app_key as app_key, l.country_key as country_key, l.device_key as device_key, l.keyword_key as keyword_key, l.days_back as days_back,
         argMin((f.date_day, f.rank), (abs(toInt32(f.date_day) - toInt32(l.date_day - l.days_back)), f.date_day)) as found
  from   core.fact_keyword_rank as f
  join   span as l on l.app_key = f.app_key and l.country_key = f.country_key and l.keyword_key = f.keyword_key and l.device_key = f.device_key
  where  f.date_day >= (select min(n.date_day - n.days_back - n.tolerance) from span as n)
  and    f.date_day between l.date_day - l.days_back - l.tolerance and l.date_day - l.days_back + l.tolerance and f.date_day < l.date_day
  group  by l.app_key, l.country_key, l.device_key, l.keyword_key, l.days_back
)
select assumeNotNull(l.store) as store, assumeNotNull(l.track_id) as track_id, l.app_name as app_name, c.country_code as country_code, c.country_name as country_name,
       k.keyword as keyword, d.device_code as device_code, l.days_back as days_back, assumeNotNull(l.date_day) as date_day,
       e.previous_day as previous_day, l.rank as keyword_rank, e.previous_rank as previous_rank, e.previous_rank - l.rank as places_gained,
       multiIf(e.previous_day is null, 'not requested before',
               l.rank is null and e.previous_rank is null, 'unranked',
               e.previous_rank is null, 'entered',
               l.rank is null, 'left',
               l.rank < e.previous_rank, 'gained',
               l.rank > e.previous_rank, 'lost',
               'same') as movement,
       l.requested_keyword_count as requested_keyword_count, l.answered_keyword_count as answered_keyword_count, l.is_complete as is_complete,
       kg.keyword_groups as keyword_groups, ag.app_groups as app_groups
from   span as l
left   join (select app_key, country_key, device_key, keyword_key, days_back, toNullable(found.1) as previous_day, found.2 as previous_rank from earlier) as e
       on e.app_key = l.app_key and e.country_key = l.country_key and e.device_key = l.device_key and e.keyword_key = l.keyword_key and e.days_back = l.days_back
join   core.dim_country as c on c.country_key = l.country_key
join   core.dim_keyword as k on k.keyword_key = l.keyword_key
join   core.dim_device  as d on d.device_key = l.device_key
left   join ops.keyword_groups as kg on kg.keyword = k.keyword
left   join ops.app_groups     as ag on ag.store = l.store and ag.track_id = l.track_id
