with seen as (
  select n.keyword_key, n.country_key, n.store, argMax(tuple(n.brand_track_id), n.date_day) as brand,
         -- a newer answer, or list, may leave these out
         argMaxIf(n.search_volume, n.date_day, n.search_volume is not null) as search_volume,
         argMaxIf(n.popularity, n.date_day, n.popularity is not null) as popularity,
         argMaxIf(n.chance, n.date_day, n.chance is not null) as chance,
         argMaxIf(n.iphone_chance, n.date_day, n.iphone_chance is not null) as iphone_chance,
         argMaxIf(n.ipad_chance, n.date_day, n.ipad_chance is not null) as ipad_chance,
         argMaxIf(n.app_count, n.date_day, n.app_count is not null) as app_count,
         argMaxIf(n.iphone_app_count, n.date_day, n.iphone_app_count is not null) as iphone_app_count,
         argMaxIf(n.ipad_app_count, n.date_day, n.ipad_app_count is not null) as ipad_app_count
  from   core.fact_keyword_metadata as n
  group  by n.keyword_key, n.country_key, n.store
), tracked as (
  select n.app_key, n.country_key, n.keyword_key, argMax(tuple(n.brand_track_id), (coalesce(n.valid_to, toDate32('2299-12-31')), n.valid_from, n.account)) as brand,
         argMaxIf(n.search_volume, (coalesce(n.valid_to, toDate32('2299-12-31')), n.valid_from, n.account), n.search_volume is not null) as search_volume,
         argMaxIf(n.chance, (coalesce(n.valid_to, toDate32('2299-12-31')), n.valid_from, n.account), n.chance is not null) as chance,
         argMaxIf(n.app_count, (coalesce(n.valid_to, toDate32('2299-12-31')), n.valid_from, n.account), n.app_count is not null) as app_count
  from   core.tracked_keyword as n
  group  by n.app_key, n.country_key, n.keyword_key
), known as (
  select f.*, d.device_code, coalesce(s.search_volume, t.search_volume) as search_volume, s.popularity as search_popularity,
         coalesce(multiIf(d.device_code = 'IPHONE', s.iphone_chance, d.device_code = 'IPAD', s.ipad_chance, s.chance), t.chance) as chance,
         coalesce(multiIf(d.device_code = 'IPHONE', s.iphone_app_count, d.device_code = 'IPAD', s.ipad_app_count, s.app_count), t.app_count) as competing_app_count,
         coalesce(s.brand.1, t.brand.1) as brand_track_id,
         toDecimal256(1, 18) - coalesce(toDecimal256(1, 18) / nullif(f.rank, 0), toDecimal256(0, 18)) as open_share
  from   ops.latest_keyword_rank as f
  join   core.dim_device as d on d.device_key = f.device_key
  left   join seen    as s on s.keyword_key = f.keyword_key and s.country_key = f.country_key and s.store = f.store
  left   join tracked as t on t.app_key = f.app_key and t.country_key = f.country_key and t.keyword_key = f.keyword_key
)
select assumeNotNull(f.store) as store, assumeNotNull(f.track_id) as track_id, f.app_name as app_name, c.country_code as country_code, c.country_name as country_name,
       k.keyword as keyword, f.device_code as device_code, assumeNotNull(f.date_day) as date_day, f.rank as keyword_rank,
       f.search_volume as search_volume, f.search_popularity as search_popularity, f.chance as chance, f.competing_app_count as competing_app_count,
       f.brand_track_id as brand_track_id, cast(f.brand_track_id = f.track_id as Nullable(Bool)) as is_own_brand,
       round(f.open_share, 4) as open_share,
       round(toDecimal256(f.search_volume, 18) * toDecimal256(f.chance, 6) / 100 * toDecimal256(f.open_share, 18), 2) as opportunity_score,
       f.requested_keyword_count as requested_keyword_count, f.answered_keyword_count as answered_keyword_count, f.is_complete as is_complete,
       kg.keyword_groups as keyword_groups, ag.app_groups as app_groups
from   known as f
join   core.dim_country as c on c.country_key = f.country_key
join   core.dim_keyword as k on k.keyword_key = f.keyword_key
left   join ops.keyword_groups as kg on kg.keyword = k.keyword
left   join ops.app_groups     as ag on ag.store = f.store and ag.track_id = f.track_id
