-- Marts about searches: share of voice looks up the days that it is asked for, volumes are those that were last told, and a keyword that is
-- paid for meets its ranks in whichever letters it was typed.

create index dim_keyword_in_small_letters on core.dim_keyword (lower(keyword));

create or replace view mart.organic_share_of_voice_daily as
select a.store, a.track_id, a.app_name, c.country_code, c.country_name, d.device_code, s.date_day,
       s.asked_keyword_count, s.ranked_keyword_count, s.top_1_keyword_count, s.top_3_keyword_count, s.top_10_keyword_count, s.top_50_keyword_count,
       s.rank_sum::numeric / nullif(s.ranked_keyword_count, 0) as average_rank, v.voice_sum, v.voice_sum / nullif(s.asked_keyword_count, 0) as voice_share,
       v.voice_sum / nullif(o.voice_sum, 0) as followed_voice_share,
       w.volume_keyword_count, w.search_volume_sum, w.weighted_voice_sum, w.weighted_voice_sum / nullif(w.search_volume_sum, 0) as weighted_voice_share
from   core.fact_keyword_standing as s
join   core.dim_app     as a on a.app_key = s.app_key
join   core.dim_country as c on c.country_key = s.country_key
join   core.dim_device  as d on d.device_key = s.device_key
cross  join lateral (select s.voice_billionths / 1000000000.0 as voice_sum) as v
left   join lateral (
  select sum(t.voice_billionths) / 1000000000 as voice_sum
  from   core.fact_keyword_standing as t
  where  t.date_day = s.date_day and t.country_key = s.country_key and t.device_key = s.device_key) as o on true
left   join lateral (
  select count(v.search_volume) as volume_keyword_count, sum(v.search_volume) as search_volume_sum,
         sum(coalesce(v.search_volume / nullif(r.rank, 0), 0)) filter (where v.search_volume is not null) as weighted_voice_sum
  from   core.fact_keyword_rank as r
  left   join lateral (
    select m.search_volume
    from   core.fact_keyword_metadata as m
    where  m.keyword_key = r.keyword_key and m.country_key = r.country_key and m.store = a.store and m.search_volume is not null
    order  by m.date_day desc limit 1) as m on true
  left   join lateral (
    select t.search_volume
    from   core.tracked_keyword as t
    where  t.app_key = r.app_key and t.country_key = r.country_key and t.keyword_key = r.keyword_key and t.search_volume is not null
    order  by t.valid_from desc limit 1) as t on true
  cross  join lateral (select coalesce(m.search_volume, t.search_volume) as search_volume) as v
  where  r.app_key = s.app_key and r.date_day = s.date_day and r.country_key = s.country_key and r.device_key = s.device_key
) as w on true;

create or replace view mart.keyword_opportunity as
select a.store, a.track_id, a.app_name, c.country_code, c.country_name, k.keyword, d.device_code, f.date_day, f.rank as keyword_rank,
       v.search_volume as search_volume, m.popularity as search_popularity, v.chance,
       v.competing_app_count, v.brand_track_id, v.brand_track_id = a.track_id as is_own_brand,
       1 - coalesce(1.0 / nullif(f.rank, 0), 0) as open_share,
       v.search_volume * v.chance / 100 * (1 - coalesce(1.0 / nullif(f.rank, 0), 0)) as opportunity_score
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
-- a newer answer may leave the volume out
left   join lateral (
  select n.search_volume
  from   core.fact_keyword_metadata as n
  where  n.keyword_key = f.keyword_key and n.country_key = f.country_key and n.store = a.store and n.search_volume is not null
  order  by n.date_day desc limit 1) as w on true
cross  join lateral (
  select coalesce(w.search_volume, t.search_volume) as search_volume,
         coalesce(case d.device_code when 'IPHONE' then m.iphone_chance when 'IPAD' then m.ipad_chance else m.chance end, t.chance) as chance,
         coalesce(case d.device_code when 'IPHONE' then m.iphone_app_count when 'IPAD' then m.ipad_app_count else m.app_count end, t.app_count) as competing_app_count,
         coalesce(m.brand_track_id, t.brand_track_id) as brand_track_id) as v;

create or replace view mart.keyword_cannibalisation as
with paid as (
  select f.org_id, f.app_key, f.keyword_key, f.country_key, f.period_start as date_day, f.currency, f.attribution, max(f.org_name) as org_name,
         count(distinct f.keyword_id) as bid_keyword_count, sum(f.spend) as spend, sum(f.impression_count) as impression_count,
         sum(f.tap_count) as tap_count, sum(f.install_count) as install_count
  from   core.fact_search_ads_report as f
  where  f.report_level = 'KEYWORD' and f.grain = 'day' and not f.is_total and f.goal_id = '' and f.app_key is not null and f.keyword_key is not null
  group  by 1, 2, 3, 4, 5, 6, 7
  having sum(f.spend) > 0
)
select p.org_id, p.org_name, a.store, a.track_id, a.app_name, c.country_code, c.country_name, k.keyword, p.date_day, p.currency, p.attribution,
       o.organic_rank, coalesce(b.is_own_brand, false) as is_own_brand,
       case when not coalesce(o.organic_rank <= 3, false) then 'brand' when b.is_own_brand then 'rank and brand' else 'rank' end as reason,
       p.bid_keyword_count, p.spend, p.impression_count, p.tap_count, p.install_count,
       p.spend / nullif(p.tap_count, 0) as cost_per_tap, p.spend / nullif(p.install_count, 0) as cost_per_install
from   paid as p
join   core.dim_app     as a on a.app_key = p.app_key
join   core.dim_country as c on c.country_key = p.country_key
join   core.dim_keyword as k on k.keyword_key = p.keyword_key
cross  join lateral (
  select array_agg(s.keyword_key) as keyword_keys
  from   core.dim_keyword as s
  where  lower(s.keyword) = lower(k.keyword)) as s
cross  join lateral (
  select min(r.rank) as organic_rank
  from   core.fact_keyword_rank as r
  where  r.app_key = p.app_key and r.date_day = p.date_day and r.country_key = p.country_key and r.keyword_key = any (s.keyword_keys)) as o
left   join lateral (
  select bool_or(t.brand_track_id = a.track_id) as is_own_brand
  from   (select t.brand_track_id
          from   core.tracked_keyword as t
          where  t.app_key = p.app_key and t.country_key = p.country_key and t.keyword_key = any (s.keyword_keys)
          union  all
          select m.brand_track_id
          from   core.fact_keyword_metadata as m
          where  m.keyword_key = any (s.keyword_keys) and m.country_key = p.country_key and m.store = a.store) as t) as b on true
where  o.organic_rank <= 3 or b.is_own_brand;
