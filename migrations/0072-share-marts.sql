-- Marts about visibility and about paid search.

create view mart.visibility_daily as
with told as (
  select f.app_key, f.date_day, f.country_key, coalesce(max(f.score) filter (where f.kind = 'history'), max(f.score) filter (where f.kind = 'now')) as score,
         case when max(f.score) filter (where f.kind = 'history') is null and max(f.score) filter (where f.kind = 'now') is not null then 'now' else 'history' end as kind
  from   core.fact_visibility as f
  group  by 1, 2, 3
), ranked as (
  select t.*, a.store, a.track_id, a.app_name,
         sum(t.score) over others as score_sum, count(t.score) over others as score_count,
         rank() over (partition by a.store, t.date_day, t.country_key order by t.score desc nulls last) as place,
         first_value(a.app_key)  over best as best_app_key,
         first_value(a.app_name) over best as best_app_name,
         first_value(t.score)    over best as best_score,
         nth_value(a.app_name, 2) over best as next_app_name,
         nth_value(t.score, 2)    over best as next_score
  from   told as t
  join   core.dim_app as a on a.app_key = t.app_key
  window others as (partition by a.store, t.date_day, t.country_key),
         best   as (partition by a.store, t.date_day, t.country_key order by t.score desc nulls last, a.track_id
                    rows between unbounded preceding and unbounded following)
)
select r.store, r.track_id, r.app_name, c.country_code, c.country_name, r.date_day, r.score as visibility_score, r.kind as score_kind,
       r.score / nullif(r.score_sum, 0) as visibility_share, case when r.score is not null then r.place end as visibility_rank,
       r.score_count - case when r.score is null then 0 else 1 end as competitor_count,
       (r.score_sum - coalesce(r.score, 0)) / nullif(r.score_count - case when r.score is null then 0 else 1 end, 0) as competitor_average_score,
       case when r.best_app_key = r.app_key then case when r.next_score is not null then r.next_app_name end
            when r.best_score is not null then r.best_app_name end as best_competitor_name,
       case when r.best_app_key = r.app_key then r.next_score else r.best_score end as best_competitor_score
from   ranked as r
join   core.dim_country as c on c.country_key = r.country_key;
comment on view   mart.visibility_daily                          is 'One row an app, country and day: its visibility score beside those of its competitors, which are the other followed apps of the store that have a score there on that day. Are we more visible than our competitors? Who overtook whom this month?';
comment on column mart.visibility_daily.store                    is 'ios or android.';
comment on column mart.visibility_daily.track_id                 is 'Track id of the app in its store.';
comment on column mart.visibility_daily.app_name                 is 'Name of the app.';
comment on column mart.visibility_daily.country_code             is 'Country, ISO 3166-1 alpha-2.';
comment on column mart.visibility_daily.country_name             is 'Name of the country.';
comment on column mart.visibility_daily.date_day                 is 'Day of the score.';
comment on column mart.visibility_daily.visibility_score         is 'Visibility score; null where the service tells none.';
comment on column mart.visibility_daily.score_kind               is 'history: the score of the day as the service keeps it; now: where that is missing, the score that was seen on the day.';
comment on column mart.visibility_daily.visibility_share         is 'The score as a part of the scores of all followed apps of the store, country and day, 0 to 1.';
comment on column mart.visibility_daily.visibility_rank          is 'Place among them, 1 is the most visible; equal scores share a place.';
comment on column mart.visibility_daily.competitor_count         is 'Competitors with a score.';
comment on column mart.visibility_daily.competitor_average_score is 'Average of their scores; null without competitors.';
comment on column mart.visibility_daily.best_competitor_name     is 'Name of the most visible of them.';
comment on column mart.visibility_daily.best_competitor_score    is 'Its score.';

create view mart.paid_share_of_voice as
with told as (
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
  from   told as t
  group  by 1, 2, 3, 4, 5, 6
), placed as (
  select l.*, count(*) over payers as payer_count, rank() over (payers order by l.share desc nulls last) as place, sum(l.share) over payers as share_sum
  from   cell as l
  window payers as (partition by l.share_source, l.keyword_key, l.country_key, l.period_start, l.period_end)
)
select a.store, a.track_id, a.app_name, c.country_code, c.country_name, k.keyword, p.period_start, p.period_end, p.share_source,
       p.share as paid_impression_share, case when p.share is not null then p.place end as paid_rank, p.payer_count, p.share_sum as told_share_sum,
       exists (select from core.tracked_app as t where t.app_key = p.app_key and t.is_current) as is_tracked_app,
       v.search_volume, p.share * v.search_volume as paid_voice_sum
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
  select t.country_key, t.keyword_key, o.store, max(t.search_volume) as search_volume
  from   core.tracked_keyword as t
  join   core.dim_app as o on o.app_key = t.app_key
  where  t.is_current
  group  by 1, 2, 3) as t on t.country_key = p.country_key and t.keyword_key = p.keyword_key and t.store = a.store
cross  join lateral (select coalesce(m.search_volume, t.search_volume) as search_volume) as v;
comment on view   mart.paid_share_of_voice                       is 'One row an app, keyword, country, period and share_source: which part of the impressions of the keyword''s advertisements the app has. sum(paid_voice_sum) / nullif(sum(search_volume), 0) of one app over keywords, share_source and period is its share of voice, keywords counted by their volume. Who pays for the keywords that we follow? Which part of the paid voice is ours?';
comment on column mart.paid_share_of_voice.store                 is 'ios or android.';
comment on column mart.paid_share_of_voice.track_id              is 'Track id of the app in its store.';
comment on column mart.paid_share_of_voice.app_name              is 'Name of the app.';
comment on column mart.paid_share_of_voice.country_code          is 'Country, ISO 3166-1 alpha-2.';
comment on column mart.paid_share_of_voice.country_name          is 'Name of the country.';
comment on column mart.paid_share_of_voice.keyword               is 'The keyword.';
comment on column mart.paid_share_of_voice.period_start          is 'First day that the part is about.';
comment on column mart.paid_share_of_voice.period_end            is 'Last day of them, counted in.';
comment on column mart.paid_share_of_voice.share_source          is 'market: what is seen in the store, over 14 days, of followed keywords and of all that followed apps pay for; own keywords: what search ads tell the account of the keywords that it bids on, by calendar month. Choose one.';
comment on column mart.paid_share_of_voice.paid_impression_share is 'The app''s part of the impressions, as the service scales it.';
comment on column mart.paid_share_of_voice.paid_rank             is 'Its place among those that are told to pay, 1 has the largest part.';
comment on column mart.paid_share_of_voice.payer_count           is 'Apps that are told to pay: of a keyword of which only the app''s own side was asked for, the followed ones.';
comment on column mart.paid_share_of_voice.told_share_sum        is 'Sum of the parts of all apps that are told to pay; they need not add up to everything.';
comment on column mart.paid_share_of_voice.is_tracked_app        is 'True for an app that the account tracks.';
comment on column mart.paid_share_of_voice.search_volume         is 'Search volume score of the keyword as last seen; null where it is not known.';
comment on column mart.paid_share_of_voice.paid_voice_sum        is 'paid_impression_share x search_volume.';
