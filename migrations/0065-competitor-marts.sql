-- Marts about competitors: their ranks for our keywords, and what they changed.

create view ops.empty_search_list as
select k.keyword_key, c.country_key, s.scope ->> 'store' as store, s.window_start as date_day
from   ops.slice as s
join   core.dim_keyword as k on k.keyword = s.scope ->> 'keyword'
join   core.dim_country as c on c.country_code = s.scope ->> 'country'
where  s.dataset = 'keyword_app' and s.state = 'empty'
group  by 1, 2, 3, 4;
comment on view   ops.empty_search_list          is 'One row per keyword, country, store and day for which the answer of keyword_app was a list without apps. Which searches show nothing?';
comment on column ops.empty_search_list.date_day is 'Day of observation.';
select ops.comment_columns('ops.empty_search_list');

create view mart.keyword_rank_vs_competitor as
with competitor as (
  select distinct t.app_key, t.competitor_app_key, 'named' as competitor_source
  from   core.tracked_competitor as t
  where  t.valid_to is null
  union  all
  select p.app_key, o.app_key, 'portfolio'
  from   ops.portfolio_app as p
  join   ops.portfolio_app as o on o.store = p.store and o.app_key <> p.app_key
  where  not exists (select from core.tracked_competitor as n
                     join   core.dim_app as c on c.app_key = n.competitor_app_key and c.store = p.store
                     where  n.app_key = p.app_key and n.valid_to is null)
)
select l.store, l.track_id, l.app_name, o.track_id as competitor_track_id, coalesce(o.app_name, o.track_id) as competitor_app_name, t.competitor_source,
       l.country_code, l.country_name, k.keyword, d.device_code, l.date_day, l.rank as keyword_rank, r.date_day as competitor_date_day,
       r.rank as competitor_keyword_rank, r.rank_source as competitor_rank_source, r.rank - l.rank as places_ahead,
       case when r.rank_source is null then 'unknown'
            when l.rank is null and r.rank is null then 'neither'
            when l.rank is null then 'only the competitor'
            when r.rank is null then 'only we'
            when l.rank < r.rank then 'ahead'
            when l.rank > r.rank then 'behind'
            else 'same' end as comparison,
       l.requested_keyword_count, l.answered_keyword_count, l.is_complete,
       case when (o.store, o.track_id, l.country_code, l.date_day) in (select n.store, n.track_id, n.country_code, n.date_day from ops.newest_unanswered_day as n) then false
            when own.date_day is not null then true end as is_competitor_complete, kg.keyword_groups, ag.app_groups
from   competitor       as t
join   ops.newest_rank_day as w on w.app_key = t.app_key
-- keywords of which the competitor has ranks of its own about that day: the others are not searched for day by day
cross  join lateral (
  select range_agg(int4range(f.keyword_key, f.keyword_key + 1)) as keyword_keys
  from   generate_series(-12, 6) as n (days)
  cross  join lateral (
    select y.keyword_key
    from   core.fact_keyword_rank as y
    where  y.app_key = t.competitor_app_key and y.date_day = w.date_day + n.days and y.country_key = w.country_key and y.device_key = w.device_key
    offset 0) as f
  offset 0) as q
join   ops.latest_keyword_rank as l on l.app_key = t.app_key and l.country_key = w.country_key and l.device_key = w.device_key
join   core.dim_app     as o on o.app_key = t.competitor_app_key and o.store = l.store
join   core.dim_keyword as k on k.keyword_key = l.keyword_key
join   core.dim_device  as d on d.device_key = l.device_key
-- its own rank, where it is in the portfolio for the keyword: in the night one of the two may have a newer day
left   join lateral (
  select f.date_day, f.rank
  from   core.fact_keyword_rank as f
  where  q.keyword_keys @> l.keyword_key
  and    f.app_key = t.competitor_app_key and f.date_day = l.date_day and f.country_key = l.country_key and f.keyword_key = l.keyword_key and f.device_key = l.device_key
  limit  1) as exact on true
-- else of the nearest day, the earlier of two
left   join lateral (
  select b.date_day, b.rank
  from   generate_series(1, 6) as n (days)
  cross  join (values (-1), (1)) as side (sign)
  cross  join lateral (
    select f.date_day, f.rank
    from   core.fact_keyword_rank as f
    where  f.app_key = t.competitor_app_key and f.date_day = l.date_day + side.sign * n.days and f.country_key = l.country_key
    and    f.keyword_key = l.keyword_key and f.device_key = l.device_key
    limit  1) as b
  where  q.keyword_keys @> l.keyword_key and exact.date_day is null
  order  by n.days, side.sign
  limit  1) as near on true
cross  join lateral (select coalesce(exact.date_day, near.date_day) as date_day, case when exact.date_day is null then near.rank else exact.rank end as rank) as own
-- or else its place in the newest list of the search, of the last five weeks: one answer has the lists of all devices, of which some or all may be empty
left   join (select n.keyword_key, n.country_key, n.store, array_agg(n.date_day) as days from ops.empty_search_list as n group by 1, 2, 3) as e
            on e.keyword_key = l.keyword_key and e.country_key = l.country_key and e.store = l.store
left   join lateral (
  select greatest(max(f.date_day), (
           select max(n.date_day) from unnest(e.days) as n (date_day)
           where  own.date_day is null and n.date_day between l.date_day - 35 and l.date_day + 7)) as date_day
  from   core.fact_keyword_app as f
  where  own.date_day is null and f.keyword_key = l.keyword_key and f.country_key = l.country_key and f.store = l.store
  and    f.date_day between l.date_day - 35 and l.date_day + 7) as list on true
left   join lateral (
  select min(f.position) as rank
  from   core.fact_keyword_app as f
  where  f.keyword_key = l.keyword_key and f.date_day = list.date_day and f.country_key = l.country_key and f.store = l.store and f.device_key = l.device_key
  and    f.app_key = t.competitor_app_key) as place on true
cross  join lateral (
  select coalesce(own.date_day, list.date_day) as date_day, case when own.date_day is null then place.rank else own.rank end as rank,
         case when own.date_day is not null then 'own rank' when list.date_day is not null then 'search list' end as rank_source) as r
left   join lateral (
  select string_agg(distinct n.group_name, ', ' order by n.group_name) as keyword_groups from core.grouped_keyword as n where lower(n.keyword) = lower(k.keyword)) as kg on true
left   join ops.app_groups     as ag on ag.store = l.store and ag.track_id = l.track_id;
comment on view   mart.keyword_rank_vs_competitor                         is 'One row per app, competitor, country, keyword and device: both ranks on the newest day of the keyword. Competitors are the apps of the same store that the account names now or, if it names none, the other portfolio apps in the store. A competitor outside the portfolio needs the dataset keyword_app. Do not add up ranks: choose one device and one competitor to count rows by comparison. For which keywords does a competitor rank above us? For which keywords do they rank while we do not?';
comment on column mart.keyword_rank_vs_competitor.competitor_track_id     is 'Track id of the competitor in the same store.';
comment on column mart.keyword_rank_vs_competitor.competitor_app_name     is 'Name of the competitor, or its track id if the name is missing.';
comment on column mart.keyword_rank_vs_competitor.competitor_source       is 'named: the account names it; portfolio: the account names none, and it is another portfolio app.';
comment on column mart.keyword_rank_vs_competitor.date_day                is 'Newest day of the keyword for our app.';
comment on column mart.keyword_rank_vs_competitor.keyword_rank            is 'Our rank; null when not ranked.';
comment on column mart.keyword_rank_vs_competitor.competitor_date_day     is 'Day of the competitor''s rank: date_day or, if the competitor has no rank of its own on that day, the nearest day within 6 days; else the newest search list from 35 days before date_day to 7 days after it. Null if neither was requested.';
comment on column mart.keyword_rank_vs_competitor.competitor_keyword_rank is 'The competitor''s rank; null when not ranked, not in the list, or unknown.';
comment on column mart.keyword_rank_vs_competitor.competitor_rank_source  is 'own rank: the competitor is in the portfolio for the keyword; search list: its place in the list of keyword_app, which ends after a few hundred apps; null if neither was requested.';
comment on column mart.keyword_rank_vs_competitor.is_competitor_complete  is 'False while ranks of the competitor that were requested for date_day have no answer: its rank is then that of another day, from a search list, or unknown. True if it has ranks of its own and none is waiting; null if it has none.';
comment on column mart.keyword_rank_vs_competitor.places_ahead            is 'Number of places by which we are ahead, negative when behind; null if either rank is null.';
comment on column mart.keyword_rank_vs_competitor.comparison              is 'ahead, behind or same; only we, only the competitor: the other does not rank; neither: neither of the two ranks; unknown: the rank of the competitor was not requested or has no answer yet (is_competitor_complete).';
select ops.comment_columns('mart.keyword_rank_vs_competitor', 'ops.latest_keyword_rank');

create view mart.app_page_change as
with change as (
  -- from one version of the page to the next; which versions there are is known from releases
  select h.app_key, h.country_key, h.language_code, h.valid_from as date_day, 'page' as change_source, v.property, 1::bigint as change_number, v.old_value, v.new_value
  from   core.app_history as h
  join   lateral (
    select p.*
    from   core.app_history as p
    where  p.app_key = h.app_key and p.country_key = h.country_key and p.language_code = h.language_code and p.valid_from < h.valid_from
    order  by p.valid_from desc limit 1) as p on true
  cross  join lateral (values
    ('title', p.app_name, h.app_name), ('description', p.description, h.description), ('screenshots', p.screenshots::text, h.screenshots::text),
    ('price', p.price_text, h.price_text), ('icon', p.icon_url, h.icon_url), ('video', p.video_url, h.video_url),
    ('category', p.category_name, h.category_name), ('developer', p.developer_name, h.developer_name),
    ('in-app products', p.in_app_products, h.in_app_products), ('removed', p.is_removed::text, h.is_removed::text)) as v (property, old_value, new_value)
  where  v.old_value is distinct from v.new_value
  union  all
  select r.app_key, r.country_key, r.language_code, r.version_at::date, 'release', 'version',
         row_number() over (partition by r.app_key, r.country_key, r.language_code, r.version_at::date order by r.version_at, r.version),
         nullif(r.before_version, ''), nullif(r.version, '')
  from   (select v.*, lag(v.version) over (partition by v.app_key, v.country_key, v.language_code order by v.version_at, v.version) as before_version
          from   core.app_version as v) as r
  -- the list also has changes of a price or a picture within a version
  where  r.version = '' or r.version is distinct from r.before_version
  union  all
  select g.app_key, g.country_key, g.language_code, g.version_at::date, 'release detail', case g.property when 'SUB_TITLE' then 'subtitle' else lower(replace(g.property, '_', ' ')) end,
         row_number() over (partition by g.app_key, g.country_key, g.language_code, g.version_at::date, g.property order by g.version_at, g.version), g.old_value #>> '{}', g.new_value #>> '{}'
  from   core.app_change as g
)
select a.store, a.track_id, a.app_name, exists (select from core.tracked_competitor as t where t.competitor_app_key = g.app_key and t.valid_to is null) as is_competitor,
       c.country_code, c.country_name, g.language_code, g.date_day, g.change_source, g.property, g.change_number, g.old_value, g.new_value,
       g.change_source <> 'release detail' or g.property not in ('title', 'description', 'screenshots', 'price', 'icon', 'video', 'category', 'developer',
                                                                 'in-app products', 'removed', 'version', 'name')
       and not (a.store = 'android' and g.property in ('video previews', 'inapp products'))
       and not (a.store = 'ios' and g.property in ('developer name', 'primary category id')) as is_main_source
from   change as g
join   core.dim_app     as a on a.app_key = g.app_key
join   core.dim_country as c on c.country_key = g.country_key;
comment on view   mart.app_page_change               is 'One row per change of an app''s page in the store, by country, language, day, source and property: title, subtitle, description, screenshots, price, version ... It covers the apps in the portfolio: list a competitor in portfolio.apps to see its changes. The subtitle needs the dataset app_change. Rows with is_main_source may be counted. What did a competitor change this month? What changed on the page before downloads rose?';
comment on column mart.app_page_change.is_competitor is 'True for an app that the account names as a competitor now.';
comment on column mart.app_page_change.country_code  is 'Country of the page, ISO 3166-1 alpha-2; ALL on Android, where pages differ by language.';
comment on column mart.app_page_change.language_code is 'Language of the page (Android); empty on iOS.';
comment on column mart.app_page_change.date_day      is 'Day on which the change was first seen (source page), or day of the release.';
comment on column mart.app_page_change.change_source is 'page: two visits to the page differ; release: a new version; release detail: a change that the service reports with a release (dataset app_change). One change may have a row for each source, on different days: is_main_source picks one.';
comment on column mart.app_page_change.property      is 'title, description, screenshots, price, icon, video, category, developer, in-app products, removed, version, and others that release details name, such as subtitle.';
comment on column mart.app_page_change.change_number is 'Number of the change among those of this property on this day by this source, 1 for the first: an app may have several releases on one day.';
comment on column mart.app_page_change.old_value     is 'Value before; null if there was none or the service does not report it.';
comment on column mart.app_page_change.new_value     is 'Value after; null if there is none.';
comment on column mart.app_page_change.is_main_source is 'True for the source from which a change of this property counts once: release for version, page for what the page shows, else release detail.';
select ops.comment_columns('mart.app_page_change');
