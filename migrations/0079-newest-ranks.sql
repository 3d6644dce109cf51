-- The newest ranks are looked up by key, however many apps there are: a join may choose to read every rank there is. Days of months that
-- retention took away are not told as not asked.

create or replace view mart.keyword_rank_movers as
select a.store, a.track_id, a.app_name, c.country_code, c.country_name, k.keyword, d.device_code, p.days_back, latest.date_day,
       latest.date_day - p.days_back as previous_day, now.rank as keyword_rank, before.rank as previous_rank, before.rank - now.rank as places_gained,
       case when before.was_asked is null then 'not asked before'
            when now.rank is null and before.rank is null then 'unranked'
            when before.rank is null then 'entered'
            when now.rank is null then 'left'
            when now.rank < before.rank then 'gained'
            when now.rank > before.rank then 'lost'
            else 'same' end as movement
from   core.dim_app as a
cross  join lateral (
  select s.app_key, s.country_key, s.device_key, max(s.date_day) as date_day
  from   core.fact_keyword_standing as s
  where  s.app_key = a.app_key
  group  by 1, 2, 3) as latest
cross  join (values (1), (7), (30), (90)) as p (days_back)
-- looks by key behind fences, here and below: a join may choose to read every rank there is
cross  join lateral (
  select n.keyword_key, n.rank
  from   core.fact_keyword_rank as n
  where  n.app_key = latest.app_key and n.date_day = latest.date_day and n.country_key = latest.country_key and n.device_key = latest.device_key
  offset 0) as now
left   join lateral (
  select b.rank, true as was_asked
  from   core.fact_keyword_rank as b
  where  b.app_key = latest.app_key and b.date_day = latest.date_day - p.days_back and b.country_key = latest.country_key
  and    b.keyword_key = now.keyword_key and b.device_key = latest.device_key
  limit  1) as before on true
join   core.dim_country as c on c.country_key = latest.country_key
join   core.dim_keyword as k on k.keyword_key = now.keyword_key
join   core.dim_device  as d on d.device_key = latest.device_key;

create or replace view mart.keyword_opportunity as
select a.store, a.track_id, a.app_name, c.country_code, c.country_name, k.keyword, d.device_code, f.date_day, f.rank as keyword_rank,
       coalesce(m.search_volume, t.search_volume) as search_volume, m.popularity as search_popularity, v.chance,
       v.competing_app_count, v.brand_track_id, v.brand_track_id = a.track_id as is_own_brand,
       1 - coalesce(1.0 / nullif(f.rank, 0), 0) as open_share,
       coalesce(m.search_volume, t.search_volume) * v.chance / 100 * (1 - coalesce(1.0 / nullif(f.rank, 0), 0)) as opportunity_score
from   core.dim_app as a
cross  join lateral (
  select s.app_key, s.country_key, s.device_key, max(s.date_day) as date_day
  from   core.fact_keyword_standing as s
  where  s.app_key = a.app_key
  group  by 1, 2, 3) as latest
-- behind a fence: a join may choose to read every rank there is
cross  join lateral (
  select n.*
  from   core.fact_keyword_rank as n
  where  n.app_key = latest.app_key and n.date_day = latest.date_day and n.country_key = latest.country_key and n.device_key = latest.device_key
  offset 0) as f
join   core.dim_country as c on c.country_key = f.country_key
join   core.dim_keyword as k on k.keyword_key = f.keyword_key
join   core.dim_device  as d on d.device_key = f.device_key
left   join lateral (
  select n.*
  from   core.fact_keyword_metadata as n
  where  n.keyword_key = f.keyword_key and n.country_key = f.country_key and n.store = a.store
  order  by n.date_day desc limit 1) as m on true
left   join lateral (
  select n.*
  from   core.tracked_keyword as n
  where  n.app_key = f.app_key and n.country_key = f.country_key and n.keyword_key = f.keyword_key
  order  by n.valid_from desc limit 1) as t on true
cross  join lateral (
  select coalesce(case d.device_code when 'IPHONE' then m.iphone_chance when 'IPAD' then m.ipad_chance else m.chance end, t.chance) as chance,
         coalesce(case d.device_code when 'IPHONE' then m.iphone_app_count when 'IPAD' then m.ipad_app_count else m.app_count end, t.app_count) as competing_app_count,
         coalesce(m.brand_track_id, t.brand_track_id) as brand_track_id) as v;

create or replace view mart.keyword_rank_daily as
select a.store, a.track_id, a.app_name, c.country_code, c.country_name, k.keyword, d.device_code, f.date_day,
       f.rank as keyword_rank, f.rank is not null as is_ranked, case when f.rank is null then 'unranked' else 'ranked' end as ranking_state, f.observed_at
from   core.fact_keyword_rank as f
join   core.dim_app     as a on a.app_key = f.app_key
join   core.dim_country as c on c.country_key = f.country_key
join   core.dim_keyword as k on k.keyword_key = f.keyword_key
join   core.dim_device  as d on d.device_key = f.device_key
union  all
select a.store, a.track_id, a.app_name, c.country_code, c.country_name, k.keyword, d.device_code, g.date_day, null, null, 'not asked', null
from   core.tracked_keyword as t
join   core.dim_app     as a on a.app_key = t.app_key
join   core.dim_country as c on c.country_key = t.country_key
join   core.dim_keyword as k on k.keyword_key = t.keyword_key
join   core.dim_device  as d on (d.device_key = 0) = (a.store = 'android')
cross  join lateral (select max(l.date_day) as date_day from core.fact_keyword_standing as l where l.app_key = t.app_key) as newest
join   core.dim_date as g on g.date_day >= t.valid_from and g.date_day <= newest.date_day and g.date_day < coalesce(t.valid_to, date 'infinity')
where  not exists (select from ops.dropped_month as o
                   where  o.table_name = 'core.fact_keyword_rank' and o.is_done and o.month_start = date_trunc('month', g.date_day::timestamp)::date)
and    not exists (select from core.fact_keyword_rank as f
                   where  f.app_key = t.app_key and f.date_day = g.date_day and f.country_key = t.country_key and f.keyword_key = t.keyword_key
                   and    f.device_key = d.device_key
                   offset 0); -- a fence: each cell is looked up by its key, where a join would read every rank there is
