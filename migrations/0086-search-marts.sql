-- Marts about searches: share of voice looks up the days that it is asked for, volumes are those that were last told, a keyword that is paid for
-- meets its ranks in whichever letters it was typed, and rows of search ads tell their ad and product page.

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

-- without these, two ads of a group, or two product pages, are rows that nothing tells apart
create or replace view mart.search_ads_daily as
with told as (
  select f.*, false as is_withdrawn
  from   core.fact_search_ads_report as f
  where  f.grain = 'day' and not f.is_total
  union  all
  -- what a younger answer left out is told no more, and once was
  select g.*, true
  from   (select distinct on (r.row_hash) r.row_key, r.was
          from   ops.restated_value as r
          where  r.table_name = 'core.fact_search_ads_report' and r.became is null
          order  by r.row_hash, r.changed_at desc) as r
  cross  join lateral jsonb_populate_record(null::core.fact_search_ads_report, r.was || r.row_key) as g
  where  g.grain = 'day' and not g.is_total
  and    not exists (
    select from core.fact_search_ads_report as f
    where  (f.org_id, f.report_level, f.grain, f.currency, f.attribution, f.goal_id, f.period_start, f.period_end, f.is_total, f.app_id,
            f.campaign_id, f.ad_group_id, f.keyword_id, f.ad_id, f.product_page, f.search_term, f.match_type, f.country_key, f.gender, f.age,
            f.device_class, f.customer_type, f.segment)
         = (g.org_id, g.report_level, g.grain, g.currency, g.attribution, g.goal_id, g.period_start, g.period_end, g.is_total, g.app_id,
            g.campaign_id, g.ad_group_id, g.keyword_id, g.ad_id, g.product_page, g.search_term, g.match_type, g.country_key, g.gender, g.age,
            g.device_class, g.customer_type, g.segment))
)
select f.org_id, f.org_name, f.report_level, f.currency, f.attribution, f.goal_id, f.period_start as date_day, c.country_code, f.app_id as track_id, f.app_name,
       f.campaign_id, f.campaign_name, f.ad_group_id, f.ad_group_name, f.keyword_id, k.keyword, f.search_term, f.match_type,
       f.gender, f.age, f.device_class, f.customer_type,
       w.spend, w.impression_count, w.tap_count, w.install_count, w.new_download_count, w.redownload_count, w.attributed_install_count, w.goal_count,
       w.goal_revenue,
       i.currency as original_currency,
       case when w.original ->> 'spend' ~ '^-?[0-9]+([.][0-9]+)?$' then (w.original ->> 'spend')::numeric end as original_spend,
       case when w.original ->> 'goalRevenue' ~ '^-?[0-9]+([.][0-9]+)?$' then (w.original ->> 'goalRevenue')::numeric end as original_goal_revenue,
       case when o.was ? 'spend' then (o.was ->> 'spend')::numeric else f.spend end as first_spend,
       case when o.was ? 'impression_count' then (o.was ->> 'impression_count')::numeric else f.impression_count end as first_impression_count,
       case when o.was ? 'tap_count' then (o.was ->> 'tap_count')::numeric else f.tap_count end as first_tap_count,
       case when o.was ? 'install_count' then (o.was ->> 'install_count')::numeric else f.install_count end as first_install_count,
       case when o.was ? 'new_download_count' then (o.was ->> 'new_download_count')::numeric else f.new_download_count end as first_new_download_count,
       case when o.was ? 'redownload_count' then (o.was ->> 'redownload_count')::numeric else f.redownload_count end as first_redownload_count,
       case when o.was ? 'attributed_install_count' then (o.was ->> 'attributed_install_count')::numeric else f.attributed_install_count end as first_attributed_install_count,
       case when o.was ? 'goal_count' then (o.was ->> 'goal_count')::numeric else f.goal_count end as first_goal_count,
       case when o.was ? 'goal_revenue' then (o.was ->> 'goal_revenue')::numeric else f.goal_revenue end as first_goal_revenue,
       coalesce(o.seen_at, f.fetched_at) as first_reported_at, coalesce(o.changed_at, f.fetched_at) as last_changed_at,
       o.changed_at is not null as is_restated, f.is_withdrawn,
       f.ad_id, f.ad_name, f.product_page, f.product_page_name
from   told as f
join   core.dim_country as c on c.country_key = f.country_key
left   join core.dim_keyword as k on k.keyword_key = f.keyword_key
left   join (select s.org_id, max(s.currency) as currency from core.search_ads_integration as s where s.is_current group by 1) as i on i.org_id = f.org_id
left   join lateral (select f.spend, f.impression_count, f.tap_count, f.install_count, f.new_download_count, f.redownload_count,
                            f.attributed_install_count, f.goal_count, f.goal_revenue, f.original where not f.is_withdrawn) as w on true
-- of each column that ever changed the value before its first change
left   join lateral (
  select min(r.seen_at) as seen_at, max(r.changed_at) as changed_at, jsonb_object_agg(e.name, e.value order by r.changed_at desc) as was
  from   ops.restated_value as r
  cross  join lateral jsonb_each(r.was) as e (name, value)
  where  r.table_name = 'core.fact_search_ads_report'
  and    r.row_hash = md5((
    select to_jsonb(v)
    from   (select f.org_id, f.report_level, f.grain, f.currency, f.attribution, f.goal_id, f.period_start, f.period_end, f.is_total, f.app_id,
                    f.campaign_id, f.ad_group_id, f.keyword_id, f.ad_id, f.product_page, f.search_term, f.match_type, f.country_key, f.gender, f.age,
                    f.device_class, f.customer_type, f.segment) as v)::text)::uuid
) as o on true;
comment on column mart.search_ads_daily.ad_id             is 'Ad; empty for none.';
comment on column mart.search_ads_daily.ad_name           is 'Name of the ad.';
comment on column mart.search_ads_daily.product_page      is 'Custom product page, by its id or else its name; empty for none.';
comment on column mart.search_ads_daily.product_page_name is 'Name of the product page.';
