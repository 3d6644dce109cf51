-- Marts about organic search: ranks, what moved, where the chances are, share of voice. Ranks are looked up by key behind fences (offset 0),
-- because a join may choose to read every rank there is. Days of months that retention removed are not shown as not requested.

create view mart.keyword_rank_daily as
select a.store, a.track_id, a.app_name, c.country_code, c.country_name, k.keyword, d.device_code, f.date_day,
       f.rank as keyword_rank, f.rank is not null as is_ranked, case when f.rank is null then 'unranked' else 'ranked' end as ranking_state, f.observed_at
from   core.fact_keyword_rank as f
join   core.dim_app     as a on a.app_key = f.app_key
join   core.dim_country as c on c.country_key = f.country_key
join   core.dim_keyword as k on k.keyword_key = f.keyword_key
join   core.dim_device  as d on d.device_key = f.device_key
union  all
select a.store, a.track_id, a.app_name, c.country_code, c.country_name, k.keyword, d.device_code, g.date_day, null, null, 'not requested', null
from   core.tracked_keyword as t
join   core.dim_app     as a on a.app_key = t.app_key
join   core.dim_country as c on c.country_key = t.country_key
join   core.dim_keyword as k on k.keyword_key = t.keyword_key
join   core.dim_device  as d on (d.device_key = 0) = (a.store = 'android')
cross  join lateral (select max(l.date_day) as date_day from core.fact_keyword_rank_summary as l where l.app_key = t.app_key) as newest
join   core.dim_date as g on g.date_day >= t.valid_from and g.date_day <= newest.date_day and g.date_day < coalesce(t.valid_to, date 'infinity')
where  not exists (select from ops.dropped_month as o
                   where  o.table_name = 'core.fact_keyword_rank' and o.is_done and o.month_start = date_trunc('month', g.date_day::timestamp)::date)
and    not exists (select from core.fact_keyword_rank as f
                   where  f.app_key = t.app_key and f.date_day = g.date_day and f.country_key = t.country_key and f.keyword_key = t.keyword_key
                   and    f.device_key = d.device_key
                   offset 0); -- a fence: each cell is looked up by its key, where a join would read every rank there is
comment on view   mart.keyword_rank_daily               is 'One row per app, country, keyword, device and requested day, and one for each day on which the account tracked the keyword and there is no answer (ranking_state not requested), up to the newest day of the app. Where did we rank for a keyword last month? In which countries are we not ranked at all?';
comment on column mart.keyword_rank_daily.date_day      is 'Calendar day of the crawl.';
comment on column mart.keyword_rank_daily.keyword_rank  is 'Position in the search results, 1 is the top; null when not ranked or not requested.';
comment on column mart.keyword_rank_daily.is_ranked     is 'False when requested and not ranked; null when not requested.';
comment on column mart.keyword_rank_daily.ranking_state is 'ranked; unranked: requested and not ranked; not requested: tracked by the account on that day and without an answer, ops.coverage_daily shows why.';
comment on column mart.keyword_rank_daily.observed_at   is 'Crawl time by the service''s own clock, without time zone.';
select ops.comment_columns('mart.keyword_rank_daily');

create view mart.keyword_rank_movers as
select a.store, a.track_id, a.app_name, c.country_code, c.country_name, k.keyword, d.device_code, p.days_back, latest.date_day,
       latest.date_day - p.days_back as previous_day, now.rank as keyword_rank, before.rank as previous_rank, before.rank - now.rank as places_gained,
       case when before.was_requested is null then 'not requested before'
            when now.rank is null and before.rank is null then 'unranked'
            when before.rank is null then 'entered'
            when now.rank is null then 'left'
            when now.rank < before.rank then 'gained'
            when now.rank > before.rank then 'lost'
            else 'same' end as movement
from   core.dim_app as a
cross  join lateral (
  select s.app_key, s.country_key, s.device_key, max(s.date_day) as date_day
  from   core.fact_keyword_rank_summary as s
  where  s.app_key = a.app_key
  group  by 1, 2, 3) as latest
cross  join (values (1), (7), (30), (90)) as p (days_back)
cross  join lateral (
  select n.keyword_key, n.rank
  from   core.fact_keyword_rank as n
  where  n.app_key = latest.app_key and n.date_day = latest.date_day and n.country_key = latest.country_key and n.device_key = latest.device_key
  offset 0) as now
left   join lateral (
  select b.rank, true as was_requested
  from   core.fact_keyword_rank as b
  where  b.app_key = latest.app_key and b.date_day = latest.date_day - p.days_back and b.country_key = latest.country_key
  and    b.keyword_key = now.keyword_key and b.device_key = latest.device_key
  limit  1) as before on true
join   core.dim_country as c on c.country_key = latest.country_key
join   core.dim_keyword as k on k.keyword_key = now.keyword_key
join   core.dim_device  as d on d.device_key = latest.device_key;
comment on view   mart.keyword_rank_movers               is 'One row per app, country, keyword, device and number of days (1, 7, 30, 90) before the newest day of the app in the country. Which keywords gained most this week? Which were lost since last month?';
comment on column mart.keyword_rank_movers.days_back     is 'Days between the two ranks.';
comment on column mart.keyword_rank_movers.date_day      is 'Newest day of the app in the country.';
comment on column mart.keyword_rank_movers.previous_day  is 'The earlier day.';
comment on column mart.keyword_rank_movers.keyword_rank  is 'Rank on the newest day; null when not ranked.';
comment on column mart.keyword_rank_movers.previous_rank is 'Rank on the earlier day; null when not ranked or not requested.';
comment on column mart.keyword_rank_movers.places_gained is 'Places gained since the earlier day, negative when lost; null when one of the two ranks is null.';
comment on column mart.keyword_rank_movers.movement      is 'gained, lost, same; entered: ranked now and not before; left: ranked before and not now; unranked: not ranked on either day; not requested before: there is no answer for the earlier day.';
select ops.comment_columns('mart.keyword_rank_movers');

create view mart.keyword_opportunity as
select a.store, a.track_id, a.app_name, c.country_code, c.country_name, k.keyword, d.device_code, f.date_day, f.rank as keyword_rank,
       v.search_volume as search_volume, m.popularity as search_popularity, v.chance,
       v.competing_app_count, v.brand_track_id, v.brand_track_id = a.track_id as is_own_brand,
       1 - coalesce(1.0 / nullif(f.rank, 0), 0) as open_share,
       v.search_volume * v.chance / 100 * (1 - coalesce(1.0 / nullif(f.rank, 0), 0)) as opportunity_score
from   core.dim_app as a
cross  join lateral (
  select s.app_key, s.country_key, s.device_key, max(s.date_day) as date_day
  from   core.fact_keyword_rank_summary as s
  where  s.app_key = a.app_key
  group  by 1, 2, 3) as latest
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
comment on view   mart.keyword_opportunity                     is 'One row per app, country, keyword and device on the newest day of the app in the country: the potential of the keyword. opportunity_score = search_volume x chance / 100 x open_share: the volume that an app like ours can expect to win and that our rank does not reach yet. For which keywords is work worth most? For which keywords of high volume and good chance do we not rank?';
comment on column mart.keyword_opportunity.date_day            is 'Newest day of the app in the country.';
comment on column mart.keyword_opportunity.keyword_rank        is 'Rank on that day; null when not ranked.';
comment on column mart.keyword_opportunity.search_volume       is 'Search volume score, 0 to 100, as last seen: from keyword_metadata where it is loaded, else from the account''s own list.';
comment on column mart.keyword_opportunity.search_popularity   is 'Search-ads popularity score as last seen (iOS); null where the service reports none.';
comment on column mart.keyword_opportunity.chance              is 'Chance to rank, 0 to 100, as the service scores it, as last seen.';
comment on column mart.keyword_opportunity.competing_app_count is 'Apps that the search returns, as last seen.';
comment on column mart.keyword_opportunity.brand_track_id      is 'Track id of the app whose brand the keyword is; null when it is none.';
comment on column mart.keyword_opportunity.is_own_brand        is 'True where the keyword is the app''s own brand; null where it is no brand.';
comment on column mart.keyword_opportunity.open_share          is '1 - 1 / rank, 0 to 1: the share that a better rank could still win; 0 for rank 1, 1 where not ranked.';
comment on column mart.keyword_opportunity.opportunity_score   is 'search_volume x chance / 100 x open_share, 0 to 100; null where volume or chance is missing.';
select ops.comment_columns('mart.keyword_opportunity');

create view mart.organic_share_of_voice_daily as
select a.store, a.track_id, a.app_name, c.country_code, c.country_name, d.device_code, s.date_day,
       s.requested_keyword_count, s.ranked_keyword_count, s.top_1_keyword_count, s.top_3_keyword_count, s.top_10_keyword_count, s.top_50_keyword_count,
       s.rank_sum::numeric / nullif(s.ranked_keyword_count, 0) as average_rank, v.voice_sum, v.voice_sum / nullif(s.requested_keyword_count, 0) as voice_share,
       v.voice_sum / nullif(o.voice_sum, 0) as portfolio_voice_share,
       w.volume_keyword_count, w.search_volume_sum, w.weighted_voice_sum, w.weighted_voice_sum / nullif(w.search_volume_sum, 0) as weighted_voice_share
from   core.fact_keyword_rank_summary as s
join   core.dim_app     as a on a.app_key = s.app_key
join   core.dim_country as c on c.country_key = s.country_key
join   core.dim_device  as d on d.device_key = s.device_key
cross  join lateral (select s.voice_billionths / 1000000000.0 as voice_sum) as v
left   join lateral (
  select sum(t.voice_billionths) / 1000000000 as voice_sum
  from   core.fact_keyword_rank_summary as t
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
comment on view   mart.organic_share_of_voice_daily                      is 'One row per app, country, device and day: its share of voice in the searches for its keywords. A rank counts 1 / rank: rank 1 counts 1, rank 2 counts 0.5, no rank counts 0. How much of the searches for our keywords do we reach? Is our share growing against the other apps in the portfolio?';
comment on column mart.organic_share_of_voice_daily.device_code          is 'IPHONE, IPAD, or ALL on Android. Choose one: devices cannot be added up.';
comment on column mart.organic_share_of_voice_daily.date_day             is 'Calendar day of the crawl.';
comment on column mart.organic_share_of_voice_daily.requested_keyword_count  is 'Requested keywords.';
comment on column mart.organic_share_of_voice_daily.ranked_keyword_count is 'Requested keywords for which the app ranks.';
comment on column mart.organic_share_of_voice_daily.top_1_keyword_count  is 'Keywords for which it is the first result.';
comment on column mart.organic_share_of_voice_daily.top_3_keyword_count  is 'Keywords for which it is among the first 3 results.';
comment on column mart.organic_share_of_voice_daily.top_10_keyword_count is 'Keywords for which it is among the first 10 results.';
comment on column mart.organic_share_of_voice_daily.top_50_keyword_count is 'Keywords for which it is among the first 50 results.';
comment on column mart.organic_share_of_voice_daily.average_rank         is 'Average rank over the keywords for which it ranks.';
comment on column mart.organic_share_of_voice_daily.voice_sum            is 'Sum of 1 / rank over its keywords.';
comment on column mart.organic_share_of_voice_daily.voice_share          is 'voice_sum over requested_keyword_count, 0 to 1: 1 would be the first place for every keyword. Over several rows: sum(voice_sum) / nullif(sum(requested_keyword_count), 0).';
comment on column mart.organic_share_of_voice_daily.portfolio_voice_share is 'voice_sum as a share of the voice_sum of all apps of the portfolio in the store, country, device and day, 0 to 1. Each app is tracked for its own keywords.';
comment on column mart.organic_share_of_voice_daily.volume_keyword_count is 'Keywords with a search volume.';
comment on column mart.organic_share_of_voice_daily.search_volume_sum    is 'Sum of the latest search volume scores of these keywords. The same scores apply to every day, so that only ranks change it. Null where no keyword has one.';
comment on column mart.organic_share_of_voice_daily.weighted_voice_sum   is 'Sum of search volume / rank over these.';
comment on column mart.organic_share_of_voice_daily.weighted_voice_share is 'weighted_voice_sum over search_volume_sum, 0 to 1: the share of voice weighted by search volume. The query reads every rank of each row: filter by app or by some weeks.';
select ops.comment_columns('mart.organic_share_of_voice_daily');
