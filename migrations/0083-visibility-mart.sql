-- Visibility beside the competitors that the account names; apps that are nothing but competitors have no rows of their own.

create or replace view mart.visibility_daily as
with cell as not materialized (
  select f.app_key, f.date_day, f.country_key, coalesce(max(f.score) filter (where f.kind = 'history'), max(f.score) filter (where f.kind = 'now')) as score,
         case when max(f.score) filter (where f.kind = 'history') is null and max(f.score) filter (where f.kind = 'now') is not null then 'now' else 'history' end as kind
  from   core.fact_visibility as f
  group  by 1, 2, 3
), named as (
  select t.app_key, t.competitor_app_key, o.store, o.track_id, coalesce(o.app_name, o.track_id) as app_name,
         case when t.valid_from = min(t.valid_from) over (partition by t.app_key) then '-infinity'::date else t.valid_from end as since,
         coalesce(t.valid_to, 'infinity'::date) as until
  from   core.tracked_competitor as t
  join   core.dim_app as a on a.app_key = t.app_key
  join   core.dim_app as o on o.app_key = t.competitor_app_key and o.store = a.store
), naming as (
  select n.app_key, range_agg(daterange(n.since, n.until)) as days
  from   named as n
  group  by 1
), own as not materialized (
  select l.*, a.store, a.track_id, a.app_name
  from   cell as l
  join   core.dim_app as a on a.app_key = l.app_key
  where  l.app_key not in (
           select t.competitor_app_key
           from   core.tracked_competitor as t
           where  not exists (select from core.tracked_app            as f where f.app_key = t.competitor_app_key)
           and    not exists (select from core.fact_keyword_standing  as f where f.app_key = t.competitor_app_key)
           and    not exists (select from core.fact_app_rating        as f where f.app_key = t.competitor_app_key))
), beside as (
  select o.store, o.date_day, o.country_key, o.app_key, true as is_own, o.score, o.kind, o.track_id, o.app_name
  from   own as o
  union  all
  select n.store, l.date_day, l.country_key, n.app_key, false, l.score, l.kind, n.track_id, n.app_name
  from   named as n
  join   cell  as l on l.app_key = n.competitor_app_key and l.date_day >= n.since and l.date_day < n.until
), among_named as (
  select b.*,
         coalesce(sum(b.score) filter (where not b.is_own) over others, 0) as named_sum, count(b.score) filter (where not b.is_own) over others as named_count,
         rank() over (partition by b.store, b.date_day, b.country_key, b.app_key order by b.score desc nulls last) as named_place,
         first_value(case when not b.is_own and b.score is not null then b.app_name end) over best as named_best_name,
         first_value(case when not b.is_own then b.score end) over best as named_best_score
  from   beside as b
  window others as (partition by b.store, b.date_day, b.country_key, b.app_key),
         best   as (partition by b.store, b.date_day, b.country_key, b.app_key order by b.is_own, b.score desc nulls last, b.track_id)
), among_followed as (
  select m.*,
         sum(m.score) over others as score_sum, count(m.score) over others as score_count,
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
       r.score / nullif(case when s.is_named then r.named_sum + r.score else r.score_sum end, 0) as visibility_share,
       case when r.score is not null then case when s.is_named then r.named_place else r.place end end as visibility_rank,
       case when s.is_named then r.named_count else s.other_count end as competitor_count,
       case when s.is_named then r.named_sum / nullif(r.named_count, 0)
            else (r.score_sum - coalesce(r.score, 0)) / nullif(s.other_count, 0) end as competitor_average_score,
       case when s.is_named then r.named_best_name
            when r.best_app_key = r.app_key then case when r.next_score is not null then r.next_app_name end
            when r.best_score is not null then r.best_app_name end as best_competitor_name,
       case when s.is_named then r.named_best_score when r.best_app_key = r.app_key then r.next_score else r.best_score end as best_competitor_score,
       case when s.is_named then 'named' else 'followed' end as competitor_source
from   among_followed as r
join   core.dim_country as c on c.country_key = r.country_key
left   join naming as n on n.app_key = r.app_key
cross  join lateral (
  select coalesce(n.days @> r.date_day, false) as is_named, r.score_count - case when r.score is null then 0 else 1 end as other_count) as s;
comment on view   mart.visibility_daily                          is 'One row an app, country and day: its visibility score beside those of its competitors, which are the apps of the same store that the account named as such on that day (before the first list that was seen, those of that list) and, where it named none, the other followed apps of the store. A competitor that is not followed itself has no row. Are we more visible than our competitors? Who overtook whom this month?';
comment on column mart.visibility_daily.visibility_share         is 'The score as a part of the scores of the app and its competitors in that country on that day, 0 to 1.';
comment on column mart.visibility_daily.competitor_count         is 'Competitors with a score there on that day.';
comment on column mart.visibility_daily.best_competitor_name     is 'Name of the most visible of them; of a named one whose name is not known the track id.';
comment on column mart.visibility_daily.competitor_source        is 'named: competitors are those that the account names for the app; followed: it names none, and they are the other followed apps of the store.';
