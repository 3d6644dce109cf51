-- Marts about organic search: ranks, what moved, where the chances are. Ranks are looked up by key behind barriers (offset 0), because a join
-- may choose to read every rank there is. Dimensions are left joins, so that a query reads only those whose columns it selects.

create view mart.keyword_rank_daily as
select a.store, a.track_id, a.app_name, c.country_code, c.country_name, k.keyword, d.device_code, f.date_day,
       f.rank as keyword_rank, f.rank is not null as is_ranked, case when f.rank is null then 'unranked' else 'ranked' end as ranking_state, f.observed_at, kg.keyword_groups, ag.app_groups
from   core.fact_keyword_rank as f
left   join core.dim_app     as a on a.app_key = f.app_key
left   join core.dim_country as c on c.country_key = f.country_key
left   join core.dim_keyword as k on k.keyword_key = f.keyword_key
left   join core.dim_device  as d on d.device_key = f.device_key
left   join lateral (
  select string_agg(distinct n.group_name, ', ' order by n.group_name) as keyword_groups from core.grouped_keyword as n where lower(n.keyword) = lower(k.keyword)) as kg on true
left   join ops.app_groups     as ag on ag.store = a.store and ag.track_id = a.track_id;
comment on view   mart.keyword_rank_daily               is 'One row per app, country, keyword, device and requested day with an answer. Days without an answer are in keyword_not_requested_daily. Do not add up ranks: average them within one device, and count rows by ranking_state. Where did we rank for a keyword last month? In which countries are we not ranked at all?';
comment on column mart.keyword_rank_daily.date_day      is 'Calendar day on which the service crawled the store.';
comment on column mart.keyword_rank_daily.keyword_rank  is 'Position in the search results, 1 is the top; null when not ranked.';
comment on column mart.keyword_rank_daily.is_ranked     is 'False when the keyword was requested and the app does not rank for it.';
comment on column mart.keyword_rank_daily.ranking_state is 'ranked, or unranked: the keyword was requested and the app does not rank for it.';
comment on column mart.keyword_rank_daily.observed_at   is 'When the service crawled the store, by its own clock, without time zone.';
select ops.comment_columns('mart.keyword_rank_daily');

create view mart.keyword_not_requested_daily as
select a.store, a.track_id, a.app_name, c.country_code, c.country_name, k.keyword, d.device_code, g.date_day, kg.keyword_groups, ag.app_groups
from   ops.portfolio_app as a
cross  join lateral (select max(l.date_day) as date_day from core.fact_keyword_rank_summary as l where l.app_key = a.app_key) as newest
cross  join lateral (select n.country_key, min(n.valid_from) as first_day from core.tracked_keyword as n where n.app_key = a.app_key group by 1) as s
join   core.dim_country as c on c.country_key = s.country_key
join   core.dim_device  as d on (d.device_key = 0) = (a.store = 'android')
join   core.dim_date    as g on g.date_day >= s.first_day and g.date_day <= newest.date_day
-- the keywords of a day are read at once, by its key: looked up one by one they would take many times as long
cross  join lateral (
  select range_agg(int4range(f.keyword_key, f.keyword_key + 1)) as keyword_keys
  from   core.fact_keyword_rank as f
  where  f.app_key = a.app_key and f.date_day = g.date_day and f.country_key = s.country_key and f.device_key = d.device_key
  offset 0) as q
cross  join lateral (
  -- a keyword that several accounts track is one
  select distinct n.keyword_key
  from   core.tracked_keyword as n
  where  n.app_key = a.app_key and n.country_key = s.country_key and n.valid_from <= g.date_day and g.date_day < coalesce(n.valid_to, date 'infinity')
  and    (q.keyword_keys @> n.keyword_key) is not true
  -- of a country, an app or an account that left no list is read any more, which would say that its keywords left as well
  and    n.account not in (
    select l.account
    from   (select m.account, m.valid_to, 'country' as part from core.tracked_country as m
            where  m.app_key = a.app_key and m.country_key = s.country_key and m.valid_from <= g.date_day
            union  all
            select m.account, m.valid_to, 'app' from core.tracked_app as m where m.app_key = a.app_key and m.valid_from <= g.date_day
            union  all
            select u.account, u.unread_since, 'account' from ops.unread_account as u) as l
    group  by l.account, l.part
    having bool_and(coalesce(l.valid_to <= g.date_day, false)))
  offset 0) as t -- a barrier: joined first, the keywords of a day would be read once for each of them
join   core.dim_keyword as k on k.keyword_key = t.keyword_key
left   join lateral (
  select string_agg(distinct n.group_name, ', ' order by n.group_name) as keyword_groups from core.grouped_keyword as n where lower(n.keyword) = lower(k.keyword)) as kg on true
left   join ops.app_groups     as ag on ag.store = a.store and ag.track_id = a.track_id
-- days of months that retention removed are no gaps
where  not exists (select from ops.dropped_month as o
                   where  o.table_name = 'core.fact_keyword_rank' and o.is_done and o.month_start = date_trunc('month', g.date_day::timestamp)::date);
comment on view   mart.keyword_not_requested_daily is 'One row per app, country, keyword, device and day without an answer, although the account tracked the keyword, its country and the app on that day; up to the newest day of the app. ops.coverage_daily shows why. Rows may be counted. On which days do we not know our rank? Which tracked keywords have gaps?';
select ops.comment_columns('mart.keyword_not_requested_daily');

create view ops.newest_rank_day as
select p.app_key, p.store, p.track_id, p.app_name, l.country_key, l.device_key, l.date_day
from   ops.portfolio_app as p
cross  join lateral (
  select s.country_key, s.device_key, max(s.date_day) as date_day
  from   core.fact_keyword_rank_summary as s
  where  s.app_key = p.app_key
  group  by 1, 2) as l;
comment on view   ops.newest_rank_day          is 'One row per portfolio app, country and device with ranks: its newest day, complete or not. Up to which day do we have ranks?';
comment on column ops.newest_rank_day.date_day is 'Newest day with a rank of any keyword.';
select ops.comment_columns('ops.newest_rank_day');

create view ops.latest_keyword_rank as
select l.app_key, l.store, l.track_id, l.app_name, l.country_key, c.country_code, c.country_name, l.device_key, r.keyword_key, r.date_day, r.rank,
       w.answered_keyword_count + coalesce(u.keyword_count, 0) as requested_keyword_count, w.answered_keyword_count, u.keyword_count is null as is_complete
from   ops.newest_rank_day as l
join   core.dim_country as c on c.country_key = l.country_key
cross  join lateral (
  select s.answered_keyword_count
  from   core.fact_keyword_rank_summary as s
  where  s.app_key = l.app_key and s.date_day = l.date_day and s.country_key = l.country_key and s.device_key = l.device_key
  offset 0) as w -- a barrier: joined, the newest days of an app would be searched for once for each of its days
cross  join lateral (
  -- counted where a slice is about that day: all days of a backfill would be
  select case when exists (select from ops.unanswered_rank_slice as n
                           where  n.store = l.store and n.track_id = l.track_id and n.country_code = c.country_code
                           and    n.window_end > l.date_day and n.window_start <= l.date_day)
              then (select nullif(count(*), 0)
                    from   ops.unanswered_keyword as n
                    where  n.store = l.store and n.track_id = l.track_id and n.country_code = c.country_code and n.date_day = l.date_day) end as keyword_count) as u
cross  join lateral (
  -- all days, since as many keywords of one day as of another may be others; each by its key, where a span of days would read all countries
  select distinct on (f.keyword_key) f.keyword_key, f.date_day, f.rank
  from   generate_series(0, 6) as o (days)
  cross  join lateral (
    select n.keyword_key, n.date_day, n.rank
    from   core.fact_keyword_rank as n
    where  n.app_key = l.app_key and n.date_day = l.date_day - o.days and n.country_key = l.country_key and n.device_key = l.device_key
    offset 0) as f
  order  by f.keyword_key, f.date_day desc
  offset 0) as r;
comment on view   ops.latest_keyword_rank                         is 'One row per portfolio app, country, keyword and device: the newest rank, at most 6 days older than the newest day of the app in that country and on that device, so that a keyword stays in the list while its newest day is incomplete. Where do we rank now? Which keywords wait for their newest day?';
comment on column ops.latest_keyword_rank.date_day                is 'Day of the rank.';
comment on column ops.latest_keyword_rank.rank                    is 'Position in the search results, 1 is the top; null when not ranked.';
comment on column ops.latest_keyword_rank.requested_keyword_count is 'Keywords requested for the newest day of the app in that country and on that device.';
comment on column ops.latest_keyword_rank.answered_keyword_count  is 'Requested keywords with an answer, ranked or not.';
comment on column ops.latest_keyword_rank.is_complete             is 'True when all requested keywords of the newest day have an answer.';
select ops.comment_columns('ops.latest_keyword_rank');

create view ops.newest_unanswered_day as
select l.store, l.track_id, n.country_code, n.date_day
from   (select d.store, d.track_id, d.country_key, max(d.date_day) - 6 as since_day from ops.newest_rank_day as d group by 1, 2, 3) as l
join   core.dim_country as c on c.country_key = l.country_key
cross  join lateral (
  select u.country_code, u.date_day
  from   ops.unanswered_keyword_daily as u
  where  u.store = l.store and u.track_id = l.track_id and u.country_code = c.country_code and u.date_day >= l.since_day
  offset 0) as n; -- a barrier: joined, all days without an answer would be counted
comment on view   ops.newest_unanswered_day is 'One row per portfolio app, country and day with requested ranks without an answer. Only the newest day of the app in the country and the 6 days before it count, so older days that a backfill waits for have no row. Which of the newest days are incomplete?';
select ops.comment_columns('ops.newest_unanswered_day');

create view mart.keyword_rank_movers as
select l.store, l.track_id, l.app_name, l.country_code, l.country_name, k.keyword, d.device_code, p.days_back, l.date_day,
       coalesce(exact.date_day, near.date_day) as previous_day, l.rank as keyword_rank, before.rank as previous_rank, before.rank - l.rank as places_gained,
       case when before.date_day is null then 'not requested before'
            when l.rank is null and before.rank is null then 'unranked'
            when before.rank is null then 'entered'
            when l.rank is null then 'left'
            when l.rank < before.rank then 'gained'
            when l.rank > before.rank then 'lost'
            else 'same' end as movement,
       l.requested_keyword_count, l.answered_keyword_count, l.is_complete, kg.keyword_groups, ag.app_groups
from   ops.latest_keyword_rank as l
cross  join (values (1, 1), (7, 2), (30, 3), (90, 7)) as p (days_back, tolerance)
left   join lateral (
  select b.date_day, b.rank
  from   core.fact_keyword_rank as b
  where  b.app_key = l.app_key and b.date_day = l.date_day - p.days_back and b.country_key = l.country_key
  and    b.keyword_key = l.keyword_key and b.device_key = l.device_key
  limit  1) as exact on true
-- a gap on just that day: the nearest one, the earlier of two
left   join lateral (
  select b.date_day, b.rank
  from   generate_series(1, p.tolerance) as o (days)
  cross  join (values (-1), (1)) as side (sign)
  cross  join lateral (
    select f.date_day, f.rank
    from   core.fact_keyword_rank as f
    where  f.app_key = l.app_key and f.date_day = l.date_day - p.days_back + side.sign * o.days and f.country_key = l.country_key
    and    f.keyword_key = l.keyword_key and f.device_key = l.device_key
    limit  1) as b
  where  exact.date_day is null and side.sign * o.days < p.days_back
  order  by o.days, side.sign
  limit  1) as near on true
cross  join lateral (select coalesce(exact.date_day, near.date_day) as date_day, case when exact.date_day is null then near.rank else exact.rank end as rank) as before
join   core.dim_keyword as k on k.keyword_key = l.keyword_key
join   core.dim_device  as d on d.device_key = l.device_key
left   join lateral (
  select string_agg(distinct n.group_name, ', ' order by n.group_name) as keyword_groups from core.grouped_keyword as n where lower(n.keyword) = lower(k.keyword)) as kg on true
left   join ops.app_groups     as ag on ag.store = l.store and ag.track_id = l.track_id;
comment on view   mart.keyword_rank_movers               is 'One row per app, country, keyword, device and number of days (1, 7, 30, 90) before the newest day of the keyword. Choose one device and one days_back; then rows may be counted by movement, and places_gained averaged. Which keywords gained most this week? Which have we lost since last month?';
comment on column mart.keyword_rank_movers.days_back     is 'Days between the two ranks, provided that the earlier day has an answer.';
comment on column mart.keyword_rank_movers.date_day      is 'Newest day of the keyword, at most 6 days older than the newest day of the app in that country and on that device.';
comment on column mart.keyword_rank_movers.previous_day  is 'The earlier day: date_day minus days_back. If the keyword has no answer for that day, the nearest day with an answer: at most 1 day off for days_back 1 (never date_day), 2 for 7, 3 for 30 and 7 for 90. Null if there is none.';
comment on column mart.keyword_rank_movers.keyword_rank  is 'Rank on the newest day; null when not ranked.';
comment on column mart.keyword_rank_movers.previous_rank is 'Rank on the earlier day; null when not ranked or not requested.';
comment on column mart.keyword_rank_movers.places_gained is 'Places gained since the earlier day, negative when lost; null if either rank is null.';
comment on column mart.keyword_rank_movers.movement      is 'gained, lost or same; entered: ranked now but not before; left: ranked before but not now; unranked: not ranked on either day; not requested before: there is no answer for the earlier day or near it.';
select ops.comment_columns('mart.keyword_rank_movers', 'ops.latest_keyword_rank');

create view mart.keyword_opportunity as
select f.store, f.track_id, f.app_name, f.country_code, f.country_name, k.keyword, d.device_code, f.date_day, f.rank as keyword_rank,
       v.search_volume as search_volume, v.search_popularity, v.chance,
       v.competing_app_count, v.brand_track_id, v.brand_track_id = f.track_id as is_own_brand, round(o.open_share, 4) as open_share,
       round(v.search_volume * v.chance / 100 * o.open_share, 2) as opportunity_score,
       f.requested_keyword_count, f.answered_keyword_count, f.is_complete, kg.keyword_groups, ag.app_groups
from   ops.latest_keyword_rank as f
join   core.dim_keyword as k on k.keyword_key = f.keyword_key
join   core.dim_device  as d on d.device_key = f.device_key
left   join lateral (
  select n.*
  from   core.fact_keyword_metadata as n
  where  n.keyword_key = f.keyword_key and n.country_key = f.country_key and n.store = f.store
  order  by n.date_day desc limit 1) as m on true
left   join lateral (
  select n.*
  from   core.tracked_keyword as n
  where  n.app_key = f.app_key and n.country_key = f.country_key and n.keyword_key = f.keyword_key
  order  by n.valid_to desc nulls first, n.valid_from desc, n.account desc limit 1) as t on true
-- a newer answer, or list, may leave the volume out
left   join lateral (
  select n.search_volume
  from   core.fact_keyword_metadata as n
  where  n.keyword_key = f.keyword_key and n.country_key = f.country_key and n.store = f.store and n.search_volume is not null
  order  by n.date_day desc limit 1) as w on true
left   join lateral (
  select n.search_volume
  from   core.tracked_keyword as n
  where  n.app_key = f.app_key and n.country_key = f.country_key and n.keyword_key = f.keyword_key and n.search_volume is not null
  order  by n.valid_to desc nulls first, n.valid_from desc, n.account desc limit 1) as u on true
cross  join lateral (select 1 - coalesce(1.0 / nullif(f.rank, 0), 0) as open_share) as o
cross  join lateral (
  select coalesce(w.search_volume, u.search_volume) as search_volume,
         -- a newer answer, or list, may leave these out as well; only then older ones are read
         coalesce(m.popularity, (
           select n.popularity
           from   core.fact_keyword_metadata as n
           where  n.keyword_key = f.keyword_key and n.country_key = f.country_key and n.store = f.store and n.popularity is not null
           order  by n.date_day desc limit 1)) as search_popularity,
         coalesce(case d.device_code when 'IPHONE' then m.iphone_chance when 'IPAD' then m.ipad_chance else m.chance end, (
           select q.chance
           from   core.fact_keyword_metadata as n
           cross  join lateral (select case d.device_code when 'IPHONE' then n.iphone_chance when 'IPAD' then n.ipad_chance else n.chance end as chance) as q
           where  n.keyword_key = f.keyword_key and n.country_key = f.country_key and n.store = f.store and q.chance is not null
           order  by n.date_day desc limit 1), t.chance, (
           select n.chance
           from   core.tracked_keyword as n
           where  n.app_key = f.app_key and n.country_key = f.country_key and n.keyword_key = f.keyword_key and n.chance is not null
           order  by n.valid_to desc nulls first, n.valid_from desc, n.account desc limit 1)) as chance,
         coalesce(case d.device_code when 'IPHONE' then m.iphone_app_count when 'IPAD' then m.ipad_app_count else m.app_count end, (
           select q.app_count
           from   core.fact_keyword_metadata as n
           cross  join lateral (select case d.device_code when 'IPHONE' then n.iphone_app_count when 'IPAD' then n.ipad_app_count else n.app_count end as app_count) as q
           where  n.keyword_key = f.keyword_key and n.country_key = f.country_key and n.store = f.store and q.app_count is not null
           order  by n.date_day desc limit 1), t.app_count, (
           select n.app_count
           from   core.tracked_keyword as n
           where  n.app_key = f.app_key and n.country_key = f.country_key and n.keyword_key = f.keyword_key and n.app_count is not null
           order  by n.valid_to desc nulls first, n.valid_from desc, n.account desc limit 1)) as competing_app_count,
         coalesce(m.brand_track_id, t.brand_track_id) as brand_track_id) as v
left   join lateral (
  select string_agg(distinct n.group_name, ', ' order by n.group_name) as keyword_groups from core.grouped_keyword as n where lower(n.keyword) = lower(k.keyword)) as kg on true
left   join ops.app_groups     as ag on ag.store = f.store and ag.track_id = f.track_id;
comment on view   mart.keyword_opportunity                     is 'One row per app, country, keyword and device on the newest day of the keyword: its potential. opportunity_score = search_volume x chance / 100 x open_share: the volume that an app like ours can expect to win and that our rank does not reach yet. Choose one device; then scores may be added up across keywords and countries. Which keywords are most worth the work? For which keywords with a high volume and a good chance do we not rank?';
comment on column mart.keyword_opportunity.date_day            is 'Newest day of the keyword, at most 6 days older than the newest day of the app in that country and on that device.';
comment on column mart.keyword_opportunity.keyword_rank        is 'Rank on that day; null when not ranked.';
comment on column mart.keyword_opportunity.search_volume       is 'Search volume score, 0 to 100, as last seen: from keyword_metadata if that is loaded, else from the account''s own list.';
comment on column mart.keyword_opportunity.search_popularity   is 'Search-ads popularity score as last seen (iOS); null if the service reports none.';
comment on column mart.keyword_opportunity.chance              is 'Chance to rank, 0 to 100, as the service scores it, as last seen.';
comment on column mart.keyword_opportunity.competing_app_count is 'Number of apps that the search returns, as last seen.';
comment on column mart.keyword_opportunity.brand_track_id      is 'Track id of the app whose brand the keyword is; null if it is no brand.';
comment on column mart.keyword_opportunity.is_own_brand        is 'True if the keyword is the app''s own brand; null if it is no brand.';
comment on column mart.keyword_opportunity.open_share          is '1 - 1 / rank, 0 to 1: the share that a better rank could still win; 0 for rank 1, and 1 when not ranked.';
comment on column mart.keyword_opportunity.opportunity_score   is 'search_volume x chance / 100 x open_share, 0 to 100; null if the volume or the chance is missing.';
select ops.comment_columns('mart.keyword_opportunity', 'ops.latest_keyword_rank');

create view ops.requested_keyword_day as
-- one grouping of both: a filter on days reaches the slices as well, of which a backfill leaves many open
select u.app_key, u.country_key, u.device_key, u.store, u.track_id, u.app_name, u.country_code, u.country_name, u.device_code, u.date_day,
       (sum(u.answered) + sum(u.unanswered))::bigint as requested_keyword_count, sum(u.answered)::bigint as answered_keyword_count, sum(u.unanswered) = 0 as is_complete,
       max(u.ranked) as ranked_keyword_count, max(u.top_1) as top_1_keyword_count, max(u.top_3) as top_3_keyword_count, max(u.top_10) as top_10_keyword_count,
       max(u.top_50) as top_50_keyword_count, max(u.rank_sum) as rank_sum, round(max(u.voice_billionths) / 1000000000.0, 9) as voice_sum
from   (
  select a.app_key, c.country_key, d.device_key, a.store, a.track_id, a.app_name, c.country_code, c.country_name, d.device_code, s.date_day,
         s.answered_keyword_count::bigint as answered, 0::bigint as unanswered, s.ranked_keyword_count as ranked, s.top_1_keyword_count as top_1,
         s.top_3_keyword_count as top_3, s.top_10_keyword_count as top_10, s.top_50_keyword_count as top_50, s.rank_sum, s.voice_billionths
  from   core.fact_keyword_rank_summary as s
  join   core.dim_app     as a on a.app_key = s.app_key
  join   core.dim_country as c on c.country_key = s.country_key
  join   core.dim_device  as d on d.device_key = s.device_key
  union  all
  -- an answer has all devices of its store
  select a.app_key, c.country_key, d.device_key, a.store, a.track_id, a.app_name, c.country_code, c.country_name, d.device_code, n.date_day,
         0, n.keyword_count, null, null, null, null, null, null, null
  from   ops.unanswered_keyword_daily as n
  join   core.dim_app     as a on a.store = n.store and a.track_id = n.track_id
  join   core.dim_country as c on c.country_code = n.country_code
  join   core.dim_device  as d on (d.device_key = 0) = (a.store = 'android')) as u
-- the day before the names: rows are sorted by them in this order, and names of one app and country are all the same
group  by 1, 2, 3, 10, 4, 5, 6, 7, 8, 9;
comment on view   ops.requested_keyword_day                         is 'One row per app, country, device and day whose ranks were requested, whether they have an answer or not yet: counts and sums over the keywords with an answer, null if none has one. For which apps and days are ranks complete?';
comment on column ops.requested_keyword_day.requested_keyword_count is 'Requested keywords, whether they have an answer or not yet; without those whose rank was rejected (ops.reject), which mart.keyword_not_requested_daily names.';
comment on column ops.requested_keyword_day.answered_keyword_count  is 'Requested keywords with an answer, ranked or not.';
comment on column ops.requested_keyword_day.is_complete             is 'True when all requested keywords have an answer.';
comment on column ops.requested_keyword_day.voice_sum               is 'Sum of 1 / rank.';

create view mart.organic_share_of_voice_daily as
select s.store, s.track_id, s.app_name, s.country_code, s.country_name, s.device_code, s.date_day,
       s.requested_keyword_count, s.answered_keyword_count, s.is_complete,
       s.ranked_keyword_count, s.top_1_keyword_count, s.top_3_keyword_count, s.top_10_keyword_count, s.top_50_keyword_count, s.rank_sum,
       round(s.rank_sum::numeric / nullif(s.ranked_keyword_count, 0), 2) as average_rank,
       s.voice_sum, round(s.voice_sum / nullif(s.answered_keyword_count, 0), 6) as voice_share,
       case when s.is_complete and (u.days @> s.date_day) is not true
            then (select round(s.voice_sum / nullif(sum(t.voice_billionths) / 1000000000, 0), 6)
                  from   core.fact_keyword_rank_summary as t
                  where  t.date_day = s.date_day and t.country_key = s.country_key and t.device_key = s.device_key) end as portfolio_voice_share,
       ag.app_groups
from   ops.requested_keyword_day as s
-- days without some answers are made once, not for each row; and not at all where no share of the portfolio is selected. Days before the first answer have none
left   join (select n.store, n.country_code, range_agg(daterange(n.date_day, n.date_day + 1)) as days
             from   ops.unanswered_keyword_daily as n
             where  n.date_day >= (select min(f.date_day) from core.fact_keyword_rank_summary as f)
             group  by 1, 2) as u on u.store = s.store and u.country_code = s.country_code
left   join ops.app_groups     as ag on ag.store = s.store and ag.track_id = s.track_id;
comment on view   mart.organic_share_of_voice_daily                      is 'One row per app, country, device and day whose ranks were requested: its share of voice in the searches for its keywords. Figures are null while no keyword has an answer. A rank counts as 1 / rank: rank 1 counts 1, rank 2 counts 0.5, and no rank counts 0. Choose one device; then counts and columns that end in _sum may be added up across apps, countries and days. Compute shares and averages from those sums. How many of the searches for our keywords do we reach? Is our share growing compared with the other apps in the portfolio?';
comment on column mart.organic_share_of_voice_daily.device_code          is 'IPHONE, IPAD, or ALL on Android. Choose one: figures of several devices cannot be added up.';
comment on column mart.organic_share_of_voice_daily.date_day             is 'Calendar day on which the service crawled the store.';
comment on column mart.organic_share_of_voice_daily.requested_keyword_count is 'Requested keywords, whether they have an answer or not yet; without those whose rank was rejected (ops.reject), which mart.keyword_not_requested_daily names.';
comment on column mart.organic_share_of_voice_daily.answered_keyword_count is 'Requested keywords with an answer, ranked or not.';
comment on column mart.organic_share_of_voice_daily.is_complete          is 'True when all requested keywords have an answer. If false, shares and averages cover only some of the keywords: leave the day out.';
comment on column mart.organic_share_of_voice_daily.ranked_keyword_count is 'Answered keywords for which the app ranks.';
comment on column mart.organic_share_of_voice_daily.top_1_keyword_count  is 'Keywords for which the app is the first result.';
comment on column mart.organic_share_of_voice_daily.top_3_keyword_count  is 'Keywords for which the app is among the first 3 results.';
comment on column mart.organic_share_of_voice_daily.top_10_keyword_count is 'Keywords for which the app is among the first 10 results.';
comment on column mart.organic_share_of_voice_daily.top_50_keyword_count is 'Keywords for which the app is among the first 50 results.';
comment on column mart.organic_share_of_voice_daily.rank_sum             is 'Sum of the ranks.';
comment on column mart.organic_share_of_voice_daily.average_rank         is 'Average rank over the keywords for which the app ranks. For several rows: sum(rank_sum) / nullif(sum(ranked_keyword_count), 0).';
comment on column mart.organic_share_of_voice_daily.voice_sum            is 'Sum of 1 / rank over the app''s keywords.';
comment on column mart.organic_share_of_voice_daily.voice_share          is 'voice_sum divided by answered_keyword_count, 0 to 1: 1 would be the first place for every keyword. For several rows: sum(voice_sum) / nullif(sum(answered_keyword_count), 0).';
comment on column mart.organic_share_of_voice_daily.portfolio_voice_share is 'voice_sum as a share of the voice_sum of all portfolio apps in the same store and country, on the same device and day, 0 to 1; null while a requested keyword of any of these apps has no answer. Each app is tracked for its own keywords.';
select ops.comment_columns('mart.organic_share_of_voice_daily');
select ops.comment_columns('ops.requested_keyword_day', 'mart.organic_share_of_voice_daily');

create view mart.weighted_share_of_voice_daily as
select s.store, s.track_id, s.app_name, s.country_code, s.country_name, s.device_code, s.date_day,
       -- sums of a month stay when retention removes its ranks
       s.requested_keyword_count, s.answered_keyword_count, s.is_complete and w.rank_count > 0 as is_complete,
       case when w.rank_count > 0 then w.volume_keyword_count end as volume_keyword_count, w.search_volume_sum, round(w.weighted_voice_sum, 6) as weighted_voice_sum,
       round(w.weighted_voice_sum / nullif(w.search_volume_sum, 0), 6) as weighted_voice_share, ag.app_groups
from   ops.requested_keyword_day as s
left   join lateral (
  select count(*) as rank_count, count(v.search_volume) as volume_keyword_count, sum(v.search_volume) as search_volume_sum,
         sum(coalesce(v.search_volume / nullif(r.rank, 0), 0)) filter (where v.search_volume is not null) as weighted_voice_sum
  from   core.fact_keyword_rank as r
  left   join lateral (
    select m.search_volume
    from   core.fact_keyword_metadata as m
    where  m.keyword_key = r.keyword_key and m.country_key = r.country_key and m.store = s.store and m.search_volume is not null
    order  by m.date_day desc limit 1) as m on true
  left   join lateral (
    select t.search_volume
    from   core.tracked_keyword as t
    where  t.app_key = r.app_key and t.country_key = r.country_key and t.keyword_key = r.keyword_key and t.search_volume is not null
    order  by t.valid_to desc nulls first, t.valid_from desc, t.account desc limit 1) as t on true
  cross  join lateral (select coalesce(m.search_volume, t.search_volume) as search_volume) as v
  where  r.app_key = s.app_key and r.date_day = s.date_day and r.country_key = s.country_key and r.device_key = s.device_key
) as w on true
left   join ops.app_groups     as ag on ag.store = s.store and ag.track_id = s.track_id;
comment on view   mart.weighted_share_of_voice_daily                      is 'One row per app, country, device and day: its share of voice, each keyword weighted by its search volume. It reads every rank behind each row: filter by app or by a few weeks. Choose one device; then counts and columns that end in _sum may be added up across apps, countries and days. How much of the search volume of our keywords do we reach? Does our share grow where people search most?';
comment on column mart.weighted_share_of_voice_daily.device_code          is 'IPHONE, IPAD, or ALL on Android. Choose one: figures of several devices cannot be added up.';
comment on column mart.weighted_share_of_voice_daily.date_day             is 'Calendar day on which the service crawled the store.';
comment on column mart.weighted_share_of_voice_daily.is_complete          is 'True when all requested keywords have an answer and their ranks are stored. If false, shares cover only some of the keywords, or retention removed the ranks of the day: leave the day out.';
comment on column mart.weighted_share_of_voice_daily.volume_keyword_count is 'Answered keywords with a search volume; null while no keyword has an answer, and after retention removed the ranks of the day.';
comment on column mart.weighted_share_of_voice_daily.search_volume_sum    is 'Sum of the latest search volume scores of these keywords. The same scores apply to every day, so changes over time come from ranks alone. Null if no keyword has a score.';
comment on column mart.weighted_share_of_voice_daily.weighted_voice_sum   is 'Sum of search volume / rank over these keywords.';
comment on column mart.weighted_share_of_voice_daily.weighted_voice_share is 'weighted_voice_sum divided by search_volume_sum, 0 to 1. For several rows: sum(weighted_voice_sum) / nullif(sum(search_volume_sum), 0).';
select ops.comment_columns('mart.weighted_share_of_voice_daily', 'mart.organic_share_of_voice_daily');

create view mart.keyword_group_daily as
select u.store, u.track_id, u.app_name, u.country_code, u.country_name, u.device_code, u.group_name, u.date_day,
       (sum(u.answered) + sum(u.unanswered))::bigint as requested_keyword_count, sum(u.answered)::bigint as answered_keyword_count, sum(u.unanswered) = 0 as is_complete,
       max(u.ranked) as ranked_keyword_count, max(u.top_1) as top_1_keyword_count, max(u.top_3) as top_3_keyword_count, max(u.top_10) as top_10_keyword_count,
       max(u.top_50) as top_50_keyword_count, max(u.rank_sum) as rank_sum, round(max(u.rank_sum)::numeric / nullif(max(u.ranked), 0), 2) as average_rank,
       round(max(u.voice_billionths) / 1000000000.0, 9) as voice_sum, round(max(u.voice_billionths) / 1000000000.0 / nullif(sum(u.answered), 0), 6) as voice_share
from   (
  select a.store, a.track_id, a.app_name, c.country_code, c.country_name, d.device_code, f.group_name, f.date_day, f.answered, 0::bigint as unanswered,
         f.ranked, f.top_1, f.top_3, f.top_10, f.top_50, f.rank_sum, f.voice_billionths
  from   ops.portfolio_app as a
  cross  join lateral (
    select n.country_key, n.device_key, g.group_name, n.date_day, count(*) as answered, count(n.rank) as ranked, count(*) filter (where n.rank <= 1) as top_1,
           count(*) filter (where n.rank <= 3) as top_3, count(*) filter (where n.rank <= 10) as top_10, count(*) filter (where n.rank <= 50) as top_50,
           coalesce(sum(n.rank), 0) as rank_sum, coalesce(sum(1000000000 / nullif(n.rank, 0)), 0) as voice_billionths
    from   core.fact_keyword_rank as n
    join   (select distinct m.group_name, k.keyword_key
            from   core.grouped_keyword as m
            join   core.dim_keyword     as k on lower(k.keyword) = lower(m.keyword)) as g on g.keyword_key = n.keyword_key
    where  n.app_key = a.app_key
    group  by 1, 2, 3, 4) as f
  join   core.dim_country   as c on c.country_key = f.country_key
  join   core.dim_device    as d on d.device_key = f.device_key
  union  all
  -- an answer has all devices of its store
  select a.store, a.track_id, a.app_name, c.country_code, c.country_name, d.device_code, g.group_name, n.date_day, 0, count(*), null, null, null, null, null, null, null
  from   ops.unanswered_keyword as n
  join   core.dim_app       as a on a.store = n.store and a.track_id = n.track_id
  join   core.dim_country   as c on c.country_code = n.country_code
  join   core.dim_device    as d on (d.device_key = 0) = (a.store = 'android')
  -- also a keyword that no answer has named yet, however it is written
  join   (select distinct m.group_name, lower(m.keyword) as keyword from core.grouped_keyword as m) as g on g.keyword = lower(n.keyword)
  group  by 1, 2, 3, 4, 5, 6, 7, 8) as u
group  by 8, 4, 6, 7, 2, 1, 3, 5;
comment on view   mart.keyword_group_daily            is 'One row per app, country, device, group of keywords (portfolio.groups of the configuration) and day whose ranks were requested: counts and share of voice for the keywords of the group. It reads every rank of its days: filter by app or by a few weeks. Choose one device and one group_name, since a keyword may be in several groups; then counts and columns that end in _sum may be added up across apps, countries and days. Compute shares and averages from those sums. How does each group of keywords perform? Is our share of the searches for our brand falling?';
comment on column mart.keyword_group_daily.group_name is 'Name of the group.';
select ops.comment_columns('mart.keyword_group_daily', 'mart.organic_share_of_voice_daily');
