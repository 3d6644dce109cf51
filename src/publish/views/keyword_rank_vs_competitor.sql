with competitor as (
  select distinct t.app_key, t.competitor_app_key, 'named' as competitor_source
  from   core.tracked_competitor as t
  where  t.valid_to is null
  union  all
  select p.app_key, o.app_key, 'portfolio'
  from   ops.portfolio_app as p
  join   ops.portfolio_app as o on o.store = p.store
  where  o.app_key <> p.app_key and (p.app_key, p.store) not in (
    select n.app_key, c.store from core.tracked_competitor as n join core.dim_app as c on c.app_key = n.competitor_app_key where n.valid_to is null)
), pair as (
  select l.*, t.competitor_app_key, t.competitor_source, o.track_id as competitor_track_id, coalesce(o.app_name, o.track_id) as competitor_app_name
  from   ops.latest_keyword_rank as l
  join   competitor   as t on t.app_key = l.app_key
  join   core.dim_app as o on o.app_key = t.competitor_app_key and o.store = l.store
), near as (
  -- its own rank of the day, or else of the nearest one, the earlier of two; joined tables are kept in memory, so that they are the small ones
  select l.app_key as app_key, l.competitor_app_key as competitor_app_key, l.country_key as country_key, l.keyword_key as keyword_key,
         l.device_key as device_key, argMin((f.date_day, f.rank), (abs(toInt32(f.date_day) - toInt32(l.date_day)), f.date_day)) as found
  from   core.fact_keyword_rank as f
  join   pair as l on l.competitor_app_key = f.app_key and l.country_key = f.country_key and l.keyword_key = f.keyword_key and l.device_key = f.device_key
  where  f.date_day >= (select min(n.date_day) - 6 from ops.latest_keyword_rank as n)
  and    f.date_day between l.date_day - 6 and l.date_day + 6
  group  by l.app_key, l.competitor_app_key, l.country_key, l.keyword_key, l.device_key
), own as (
  select app_key, competitor_app_key, country_key, keyword_key, device_key, toNullable(found.1) as found_day, found.2 as rank
  from   near
), place as (
  select f.keyword_key as keyword_key, toNullable(f.date_day) as date_day, f.country_key as country_key, f.store as store, f.device_key as device_key,
         f.app_key as app_key, min(f.position) as place
  from   core.fact_keyword_app as f
  where  f.date_day >= (select min(n.date_day) - 35 from ops.latest_keyword_rank as n)
  group  by f.keyword_key, f.date_day, f.country_key, f.store, f.device_key, f.app_key
), list as (
  -- the newest list of the search, of the last five weeks: one answer has the lists of all devices, of which some or all may be empty
  select l.app_key as app_key, l.keyword_key as keyword_key, l.country_key as country_key, l.device_key as device_key, l.store as store, max(f.date_day) as list_day
  from   (select keyword_key, country_key, store, date_day from place
          union  distinct
          select keyword_key, country_key, store, date_day from ops.empty_search_list) as f
  join   ops.latest_keyword_rank as l on l.keyword_key = f.keyword_key and l.country_key = f.country_key and l.store = f.store
  where  f.date_day between l.date_day - 35 and l.date_day + 7
  group  by l.app_key, l.keyword_key, l.country_key, l.device_key, l.store
), compared as (
  select l.*, if(o.found_day is null, n.list_day, o.found_day) as competitor_date_day, if(o.found_day is null, p.place, o.rank) as competitor_keyword_rank,
         multiIf(o.found_day is not null, 'own rank', n.list_day is not null, 'search list', null) as competitor_rank_source
  from   pair as l
  left   join own   as o on o.app_key = l.app_key and o.competitor_app_key = l.competitor_app_key and o.country_key = l.country_key and o.keyword_key = l.keyword_key and o.device_key = l.device_key
  left   join list  as n on n.app_key = l.app_key and n.keyword_key = l.keyword_key and n.country_key = l.country_key and n.device_key = l.device_key and n.store = l.store
  left   join place as p on p.keyword_key = l.keyword_key and p.date_day = n.list_day and p.country_key = l.country_key and p.store = l.store and p.device_key = l.device_key
                        and p.app_key = l.competitor_app_key
)
select assumeNotNull(l.store) as store, assumeNotNull(l.track_id) as track_id, l.app_name as app_name, l.competitor_track_id as competitor_track_id,
       l.competitor_app_name as competitor_app_name, l.competitor_source as competitor_source,
       c.country_code as country_code, c.country_name as country_name, k.keyword as keyword, d.device_code as device_code, assumeNotNull(l.date_day) as date_day,
       l.rank as keyword_rank, l.competitor_date_day as competitor_date_day,
       l.competitor_keyword_rank as competitor_keyword_rank, l.competitor_rank_source as competitor_rank_source,
       l.competitor_keyword_rank - l.rank as places_ahead,
       multiIf(l.competitor_rank_source is null, 'unknown',
               l.rank is null and l.competitor_keyword_rank is null, 'neither',
               l.rank is null, 'only the competitor',
               l.competitor_keyword_rank is null, 'only we',
               l.rank < l.competitor_keyword_rank, 'ahead',
               l.rank > l.competitor_keyword_rank, 'behind',
               'same') as comparison,
       l.requested_keyword_count as requested_keyword_count, l.answered_keyword_count as answered_keyword_count, l.is_complete as is_complete,
       multiIf((assumeNotNull(l.store), assumeNotNull(l.competitor_track_id), assumeNotNull(c.country_code), assumeNotNull(l.date_day)) in (
                 select assumeNotNull(n.store), assumeNotNull(n.track_id), assumeNotNull(n.country_code), assumeNotNull(n.date_day)
                 from   ops.newest_unanswered_day as n), false,
               l.competitor_rank_source = 'own rank', true,
               null) as is_competitor_complete,
       kg.keyword_groups as keyword_groups, ag.app_groups as app_groups
from   compared as l
join   core.dim_country as c on c.country_key = l.country_key
join   core.dim_keyword as k on k.keyword_key = l.keyword_key
join   core.dim_device  as d on d.device_key = l.device_key
left   join ops.keyword_groups as kg on kg.keyword = k.keyword
left   join ops.app_groups     as ag on ag.store = l.store and ag.track_id = l.track_id
