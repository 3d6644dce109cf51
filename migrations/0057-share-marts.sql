-- Marts about visibility and about paid search. Visibility stands beside that of the competitors that the account names; an app that is only a
-- competitor has no rows of its own.

create view ops.outside_competitor as
select t.competitor_app_key as app_key, o.store, o.track_id, o.app_name
from   core.tracked_competitor as t
join   core.dim_app            as o on o.app_key = t.competitor_app_key
-- not by ops.portfolio_app: copies of a month would stay as they are once retention removed that month of any fact it reads
where  not exists (select from core.tracked_app               as f where f.app_key = t.competitor_app_key)
and    not exists (select from core.configured_portfolio      as f where f.store = o.store and f.track_id = o.track_id and f.part = 'app')
and    not exists (select from core.fact_keyword_rank_summary as f where f.app_key = t.competitor_app_key)
and    not exists (select from core.fact_app_rating           as f where f.app_key = t.competitor_app_key)
group  by 1, 2, 3, 4;
comment on view   ops.outside_competitor          is 'One row per app that an account named as a competitor and that was never in the portfolio. No other list contains it, and it has no ranks and no ratings. Which apps have a visibility score only for comparison? How many are there?';
comment on column ops.outside_competitor.app_name is 'Name of the app as last seen.';
select ops.comment_columns('ops.outside_competitor');

create view mart.visibility_daily as
with cell as not materialized (
  -- a score a day, app and country: that of the history before the one of now; null where the day waits for its answer
  select f.app_key, f.date_day, f.country_key, coalesce(max(f.score) filter (where f.kind = 'history'), max(f.score) filter (where f.kind = 'now')) as score,
         case when bool_and(not f.is_answered) then null
              when max(f.score) filter (where f.kind = 'history') is null and max(f.score) filter (where f.kind = 'now') is not null then 'now' else 'history' end as kind,
         bool_or(f.is_answered) as is_answered
  from   (
    select v.app_key, v.date_day, v.country_key, v.kind, v.score, true as is_answered
    from   core.fact_visibility as v
    union  all
    select a.app_key, u.date_day, c.country_key, 'history', null, false
    from   ops.unanswered_visibility_daily as u
    join   core.dim_app     as a on a.store = u.store and a.track_id = u.track_id
    join   core.dim_country as c on c.country_code = u.country_code) as f
  group  by 1, 2, 3
), named as (
  -- competitors that the account names, and from which day until which
  select t.app_key, t.competitor_app_key, o.store, o.track_id, coalesce(o.app_name, o.track_id) as app_name,
         -- the first list holds for the days before it; where it named nobody, those have no competitors
         case when t.valid_from = min(t.valid_from) over (partition by t.app_key) and t.valid_from <= coalesce(f.first_day, 'infinity') then '-infinity'::date
              else t.valid_from end as since,
         coalesce(t.valid_to, 'infinity'::date) as until
  -- what several accounts name is named once
  from   (select n.app_key, n.competitor_app_key, lower(d.days) as valid_from, upper(d.days) as valid_to
          from   (select t.app_key, t.competitor_app_key, range_agg(daterange(t.valid_from, t.valid_to)) as spans
                  from   core.tracked_competitor as t
                  group  by 1, 2) as n
          cross  join unnest(n.spans) as d (days)) as t
  left   join (select l.app_key, min(l.valid_from) as first_day from core.tracked_app as l group by 1) as f on f.app_key = t.app_key
  join   core.dim_app as a on a.app_key = t.app_key
  join   core.dim_app as o on o.app_key = t.competitor_app_key and o.store = a.store
), naming as (
  -- the days on which an app has competitors that are named
  select n.app_key, range_agg(daterange(n.since, n.until)) as days
  from   named as n
  group  by 1
), own as not materialized (
  -- cells of apps of the portfolio, which have a row of their own
  select l.*, a.store, a.track_id, a.app_name
  from   cell as l
  join   core.dim_app as a on a.app_key = l.app_key
  where  l.app_key not in (select n.app_key from ops.outside_competitor as n)
), beside as (
  -- each of them (is_own), and beside it the cells of the competitors that are named for it; app_key is the app of the portfolio in both
  select o.store, o.date_day, o.country_key, o.app_key, true as is_own, o.score, o.kind, o.is_answered, o.track_id, o.app_name
  from   own as o
  union  all
  select n.store, l.date_day, l.country_key, n.app_key, false, l.score, l.kind, l.is_answered, n.track_id, n.app_name
  from   named as n
  join   cell  as l on l.app_key = n.competitor_app_key and l.date_day >= n.since and l.date_day < n.until
), among_named as (
  -- the app compared with those that are named for it
  select b.*,
         coalesce(sum(b.score) filter (where not b.is_own) over others, 0) as named_sum, count(b.score) filter (where not b.is_own) over others as named_count,
         bool_and(b.is_answered) over others as are_named_answered,
         rank() over (partition by b.store, b.date_day, b.country_key, b.app_key order by b.score desc nulls last) as named_place,
         first_value(case when not b.is_own and b.score is not null then b.app_name end) over best as named_best_name,
         first_value(case when not b.is_own then b.score end) over best as named_best_score
  from   beside as b
  window others as (partition by b.store, b.date_day, b.country_key, b.app_key),
         best   as (partition by b.store, b.date_day, b.country_key, b.app_key order by b.is_own, b.score desc nulls last, b.track_id)
), in_portfolio as (
  -- the app compared with all apps of the portfolio in its store
  select m.*,
         sum(m.score) over others as score_sum, count(m.score) over others as score_count, bool_and(m.is_answered) over others as are_all_answered,
         rank() over (partition by m.store, m.date_day, m.country_key order by m.score desc nulls last) as place,
         first_value(m.app_key)  over best as best_app_key,
         first_value(m.app_name) over best as best_app_name,
         first_value(m.score)    over best as best_score,
         nth_value(m.app_name, 2) over best as next_app_name,
         nth_value(m.score, 2)    over best as next_score
  from   among_named as m
  where  m.is_own
  window others as (partition by m.store, m.date_day, m.country_key),
         best   as (partition by m.store, m.date_day, m.country_key order by m.score desc nulls last, m.track_id
                    rows between unbounded preceding and unbounded following)
)
select r.store, r.track_id, r.app_name, c.country_code, c.country_name, r.date_day, r.score as visibility_score, r.kind as score_kind,
       s.is_complete, case when s.is_complete then round(r.score / nullif(case when s.is_named then r.named_sum + r.score else r.score_sum end, 0), 6) end as visibility_share,
       case when s.is_complete and r.score is not null then case when s.is_named then r.named_place else r.place end end as visibility_rank,
       case when s.is_named then r.named_count else s.other_count end as competitor_count,
       round(case when s.is_named then r.named_sum / nullif(r.named_count, 0)
                  else (r.score_sum - coalesce(r.score, 0)) / nullif(s.other_count, 0) end, 2) as competitor_average_score,
       case when s.is_named then r.named_best_name
            when r.best_app_key = r.app_key then case when r.next_score is not null then r.next_app_name end
            when r.best_score is not null then r.best_app_name end as best_competitor_name,
       case when s.is_named then r.named_best_score when r.best_app_key = r.app_key then r.next_score else r.best_score end as best_competitor_score,
       case when s.is_named then 'named' else 'portfolio' end as competitor_source
from   in_portfolio as r
join   core.dim_country as c on c.country_key = r.country_key
left   join naming as n on n.app_key = r.app_key
cross  join lateral (select coalesce(n.days @> r.date_day, false) as is_named) as w
cross  join lateral (
  select w.is_named, r.score_count - case when r.score is null then 0 else 1 end as other_count,
         case when w.is_named then r.are_named_answered else r.are_all_answered end as is_complete) as s;
comment on view   mart.visibility_daily                          is 'One row per app, country and day: its visibility score and those of its competitors. Competitors are the apps of the same store that the account named on that day (for days before the first list, the apps of that list; none if it was empty). If the account named none, they are the other portfolio apps in the store. A competitor outside the portfolio has no row. Nothing may be added up: average the scores, over complete rows. Are we more visible than our competitors? Who overtook whom this month?';
comment on column mart.visibility_daily.date_day                 is 'Day of the score.';
comment on column mart.visibility_daily.visibility_score         is 'Visibility score; null if the service reports none, and while there is no answer yet.';
comment on column mart.visibility_daily.score_kind               is 'history: the score of the day as the service keeps it; now: the score seen on the day, used if the former is missing; null while there is no answer yet.';
comment on column mart.visibility_daily.is_complete              is 'True when the requested scores of the app and its competitors in the country on that day all have an answer; if false, the average and the best score cover only some of the competitors.';
comment on column mart.visibility_daily.visibility_share         is 'Score as a share of the scores of the app and its competitors in that country on that day, 0 to 1; null while is_complete is false.';
comment on column mart.visibility_daily.visibility_rank          is 'Place among the app and its competitors: 1 is the most visible, and equal scores share a place. Null while is_complete is false.';
comment on column mart.visibility_daily.competitor_count         is 'Competitors with a score in the country on that day.';
comment on column mart.visibility_daily.competitor_average_score is 'Average score of the competitors; null without competitors.';
comment on column mart.visibility_daily.best_competitor_name     is 'Name of the most visible competitor, or its track id if the name is missing.';
comment on column mart.visibility_daily.best_competitor_score    is 'Its score.';
comment on column mart.visibility_daily.competitor_source        is 'named: the account names competitors for the app; portfolio: it names none, so the other portfolio apps in the store are the competitors.';
select ops.comment_columns('mart.visibility_daily');

create view mart.paid_share_of_voice as
with reported as (
  select 'market' as share_source, p.app_key, p.keyword_key, p.country_key, p.period_start, p.period_end, p.share, 1 as preference
  from   core.fact_paying_app as p
  union  all
  select 'market', p.app_key, p.keyword_key, p.country_key, p.period_start, p.period_end, p.app_share, 2
  from   core.fact_paid_keyword as p
  union  all
  select 'own keywords', t.app_key, t.keyword_key, t.country_key, t.period_start, t.period_end, t.share, 1
  from   core.fact_search_ads_top_app as t
  where  t.keyword_key is not null
), cell as (
  select t.share_source, t.app_key, t.keyword_key, t.country_key, t.period_start, t.period_end,
         coalesce(max(t.share) filter (where t.preference = 1), max(t.share)) as share
  from   reported as t
  group  by 1, 2, 3, 4, 5, 6
), placed as (
  select l.*, count(*) over payers as payer_count, rank() over (payers order by l.share desc nulls last) as place, sum(l.share) over payers as share_sum
  from   cell as l
  window payers as (partition by l.share_source, l.keyword_key, l.country_key, l.period_start, l.period_end)
)
select a.store, a.track_id, a.app_name, c.country_code, c.country_name, k.keyword, p.period_start, p.period_end, p.share_source,
       p.share as paid_impression_share, case when p.share is not null then p.place end as paid_rank, p.payer_count, p.share_sum as reported_share_sum,
       exists (select from core.tracked_app as t where t.app_key = p.app_key and t.valid_to is null) as is_tracked_app,
       v.search_volume, round(p.share * v.search_volume, 6) as paid_voice_sum, w.requested_keyword_count, w.answered_keyword_count,
       coalesce(w.answered_keyword_count = w.requested_keyword_count, true) and coalesce(w.unanswered_app_count = 0, true) as is_complete, kg.keyword_groups, ag.app_groups
from   placed as p
join   core.dim_app     as a on a.app_key = p.app_key
join   core.dim_country as c on c.country_key = p.country_key
join   core.dim_keyword as k on k.keyword_key = p.keyword_key
left   join lateral (
  select n.search_volume
  from   core.fact_keyword_metadata as n
  where  n.keyword_key = p.keyword_key and n.country_key = p.country_key and n.store = a.store and n.search_volume is not null
  order  by n.date_day desc limit 1) as m on true
left   join (
  -- as last seen: of those that track it now the largest
  select t.country_key, t.keyword_key, o.store, (array_agg(t.search_volume order by t.valid_to desc nulls first, t.search_volume desc))[1] as search_volume
  from   core.tracked_keyword as t
  join   core.dim_app as o on o.app_key = t.app_key
  where  t.search_volume is not null
  group  by 1, 2, 3) as t on t.country_key = p.country_key and t.keyword_key = p.keyword_key and t.store = a.store
cross  join lateral (select coalesce(m.search_volume, t.search_volume) as search_volume) as v
left   join ops.paid_voice_answer as w on w.share_source = p.share_source and w.country_code = c.country_code and w.period_start = p.period_start
                                      and w.period_end = p.period_end
left   join lateral (
  select string_agg(distinct n.group_name, ', ' order by n.group_name) as keyword_groups from core.grouped_keyword as n where lower(n.keyword) = lower(k.keyword)) as kg on true
left   join ops.app_groups     as ag on ag.store = a.store and ag.track_id = a.track_id;
comment on view   mart.paid_share_of_voice                       is 'One row per app, keyword, country, period and share_source: the app''s share of the impressions of the keyword''s advertisements. Choose one share_source and one period; then paid_voice_sum and search_volume may be added up across keywords and countries of one app. For one app, share_source and period, sum(paid_voice_sum) / nullif(sum(search_volume), 0) is the app''s share of voice weighted by search volume. Who pays for the keywords in the portfolio? What is our share of the paid voice?';
comment on column mart.paid_share_of_voice.period_start          is 'First day of the period.';
comment on column mart.paid_share_of_voice.period_end            is 'Last day of the period, inclusive.';
comment on column mart.paid_share_of_voice.share_source          is 'market: seen in the store over 14 days, for the keywords of the portfolio and for all keywords that its apps pay for; own keywords: reported by search ads for the keywords that the account bids on, by calendar month. Choose one.';
comment on column mart.paid_share_of_voice.paid_impression_share is 'The app''s share of the impressions, on the service''s own scale.';
comment on column mart.paid_share_of_voice.paid_rank             is 'Place among the reported payers; 1 has the largest share.';
comment on column mart.paid_share_of_voice.payer_count           is 'Number of reported payers. If only the keywords that an app pays for were requested, these are portfolio apps only.';
comment on column mart.paid_share_of_voice.reported_share_sum        is 'Sum of the shares of all reported payers, which may be less than the whole.';
comment on column mart.paid_share_of_voice.is_tracked_app        is 'True for an app that the account tracks.';
comment on column mart.paid_share_of_voice.search_volume         is 'Search volume score of the keyword as last seen; null if it is missing.';
comment on column mart.paid_share_of_voice.paid_voice_sum        is 'paid_impression_share x search_volume.';
comment on column mart.paid_share_of_voice.requested_keyword_count is 'Keywords of the country and period whose advertisers were requested keyword by keyword, whether they have an answer or not yet; null if only the keywords that an app pays for were requested, since a single answer lists those.';
comment on column mart.paid_share_of_voice.answered_keyword_count is 'Requested keywords with an answer, with or without advertisers.';
comment on column mart.paid_share_of_voice.is_complete           is 'False while a requested keyword of the country and period has no answer yet, or an app whose paid keywords were requested has none: sums, places and weighted shares then cover only a part.';
select ops.comment_columns('mart.paid_share_of_voice');
