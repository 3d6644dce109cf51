-- Who entered and left a chart, and where the store featured an app.

create view ops.empty_chart as
select s.scope ->> 'category_code' as category_code, c.country_key, s.scope ->> 'chart' as chart, d.device_key, coalesce(s.scope ->> 'chart_version', '') as chart_version,
       g.date_day
from   ops.slice as s
join   core.dim_country as c on c.country_code = s.scope ->> 'country'
join   core.dim_device  as d on d.device_code = s.scope ->> 'device'
join   core.dim_date    as g on g.date_day >= s.window_start and g.date_day < s.window_end
where  s.dataset = 'top_chart' and s.state = 'empty'
group  by 1, 2, 3, 4, 5, 6;
comment on view   ops.empty_chart               is 'One row per chart and day for which an answer of top_chart had no app. If a later answer has apps, they are in core.fact_top_chart. Which charts are empty?';
comment on column ops.empty_chart.category_code is 'Category: its id on iOS (36 is overall), its name on Android (OVERALL).';
comment on column ops.empty_chart.chart         is 'FREE, PAID or GROSSING.';
comment on column ops.empty_chart.chart_version is 'v1 or v2 of the iOS charts; empty on Android.';
comment on column ops.empty_chart.date_day      is 'Day of the chart.';
select ops.comment_columns('ops.empty_chart');

create view mart.chart_movement_daily as
with recursive chart (category_code, country_key, chart) as (
  -- one step through the index from chart to chart, however many rows they have
  (select f.category_code, f.country_key, f.chart from core.fact_top_chart as f order by 1, 2, 3 limit 1)
  union  all
  select n.*
  from   chart as p
  cross  join lateral (
    select f.category_code, f.country_key, f.chart
    from   core.fact_top_chart as f
    where  (f.category_code, f.country_key, f.chart) > (p.category_code, p.country_key, p.chart)
    order  by 1, 2, 3 limit 1) as n
), empty_list as materialized (
  select e.category_code, e.country_key, e.chart, e.device_key, e.chart_version, array_agg(e.date_day) as days
  from   ops.empty_chart as e
  group  by 1, 2, 3, 4, 5
)
select a.store, a.track_id, coalesce(a.app_name, a.track_id) as app_name, c.country_code, c.country_name, d.device_code, n.category_code,
       coalesce(n.category_name, m.previous_category_name) as category_name, n.chart, n.chart_version, n.date_day, l.previous_day,
       m.chart_rank, m.previous_chart_rank, m.previous_chart_rank - m.chart_rank as places_gained,
       case when l.previous_day is null then 'first list'
            when m.previous_chart_rank is null then 'entered'
            when m.chart_rank is null then 'left'
            when m.chart_rank < m.previous_chart_rank then 'gained'
            when m.chart_rank > m.previous_chart_rank then 'lost'
            else 'same' end as movement,
       exists (select from ops.portfolio_app as p where p.app_key = m.app_key) as is_portfolio_app
from   chart as h
-- by key and day: a filter on days reads no other lists of their month
cross  join lateral (
  select h.category_code, h.country_key, h.chart, f.device_key, f.chart_version, f.date_day, max(f.category_name) as category_name
  from   (
    select o.device_key, o.chart_version, o.date_day, o.category_name
    from   core.fact_top_chart as o
    where  o.category_code = h.category_code and o.country_key = h.country_key and o.chart = h.chart
    union  all
    select e.device_key, e.chart_version, g.date_day, null
    from   empty_list as e
    cross  join unnest(e.days) as g (date_day)
    where  e.category_code = h.category_code and e.country_key = h.country_key and e.chart = h.chart) as f
  group  by f.date_day, f.device_key, f.chart_version) as n
left   join empty_list as e on e.category_code = n.category_code and e.country_key = n.country_key and e.chart = n.chart and e.device_key = n.device_key
                           and e.chart_version = n.chart_version
-- looked up through an index: a window over all days would read all of them for any of them
cross  join lateral (
  select greatest(max(f.date_day), (select max(g.date_day) from unnest(e.days) as g (date_day) where g.date_day < n.date_day)) as previous_day
  from   core.fact_top_chart as f
  where  f.category_code = n.category_code and f.country_key = n.country_key and f.chart = n.chart and f.date_day < n.date_day
  and    f.device_key = n.device_key and f.chart_version = n.chart_version) as l
cross  join lateral (
  select coalesce(t.app_key, y.app_key) as app_key, t.rank as chart_rank, y.rank as previous_chart_rank, y.category_name as previous_category_name
  from   (select f.app_key, f.rank
          from   core.fact_top_chart as f
          where  f.category_code = n.category_code and f.country_key = n.country_key and f.chart = n.chart and f.date_day = n.date_day
          and    f.device_key = n.device_key and f.chart_version = n.chart_version) as t
  full   join (select f.app_key, f.rank, f.category_name
               from   core.fact_top_chart as f
               where  f.category_code = n.category_code and f.country_key = n.country_key and f.chart = n.chart and f.date_day = l.previous_day
               and    f.device_key = n.device_key and f.chart_version = n.chart_version) as y on y.app_key = t.app_key) as m
join   core.dim_app     as a on a.app_key = m.app_key
join   core.dim_country as c on c.country_key = n.country_key
join   core.dim_device  as d on d.device_key = n.device_key;
comment on view   mart.chart_movement_daily                     is 'One row per chart (country, device, category, chart and chart_version), day and app that is in the chart or has left it since the previous list. Needs the dataset top_chart. Do not add up ranks: choose one chart to count rows by movement. Who entered the chart this week? Which competitor fell out of the top hundred?';
comment on column mart.chart_movement_daily.app_name            is 'Name of the app, or its track id if the name is missing.';
comment on column mart.chart_movement_daily.category_code       is 'Category: its id on iOS (36 is overall), its name on Android (OVERALL).';
comment on column mart.chart_movement_daily.chart               is 'FREE, PAID or GROSSING.';
comment on column mart.chart_movement_daily.chart_version       is 'v1 or v2 of the iOS charts; empty on Android. Choose one.';
comment on column mart.chart_movement_daily.date_day            is 'Day of the chart.';
comment on column mart.chart_movement_daily.previous_day        is 'Day of the previous list: the day before, unless that has no answer; null for the first list. If a list is empty, all apps have left.';
comment on column mart.chart_movement_daily.chart_rank          is 'Place in the chart, 1 is the top; null when the app has left.';
comment on column mart.chart_movement_daily.previous_chart_rank is 'Place in the previous list; null when the app was not in it.';
comment on column mart.chart_movement_daily.places_gained       is 'Places gained since then, negative when lost; null if either place is null.';
comment on column mart.chart_movement_daily.movement            is 'entered, left, gained, lost or same; first list: there is no earlier list to compare with.';
comment on column mart.chart_movement_daily.is_portfolio_app    is 'True for a portfolio app.';
select ops.comment_columns('mart.chart_movement_daily');

create view mart.featuring_daily as
select a.store, a.track_id, a.app_name, c.country_code, c.country_name, f.category_code, f.date_day, f.card_number, f.card_type, f.label, f.title, f.card_name,
       f.position as card_rank, f.listed_count as listed_app_count, f.link_url, f.image_url
from   core.fact_featuring as f
join   core.dim_app     as a on a.app_key = f.app_key
join   core.dim_country as c on c.country_key = f.country_key;
comment on view   mart.featuring_daily                  is 'One row per app, country, category, day and card on which the store showed the app (iOS). Needs the dataset featuring. Rows may be counted by any column. Where and when were we featured? In how many countries?';
comment on column mart.featuring_daily.country_code     is 'Country of the store, ISO 3166-1 alpha-2; ALL if the answer names none.';
comment on column mart.featuring_daily.category_code    is 'Id of the category whose page showed the app (36 is overall).';
comment on column mart.featuring_daily.date_day         is 'Day on which the card was shown.';
comment on column mart.featuring_daily.card_number      is 'Number of the card within the day, country and category.';
comment on column mart.featuring_daily.card_type        is 'Kind of card as the service names it (FullImage, AppList, Grid ...).';
comment on column mart.featuring_daily.label            is 'Label above the title.';
comment on column mart.featuring_daily.title            is 'Title of the card.';
comment on column mart.featuring_daily.card_name        is 'Name of what the card presents.';
comment on column mart.featuring_daily.card_rank        is 'Place of the app among those on the card, 1 is the first; null if the card does not list it.';
comment on column mart.featuring_daily.listed_app_count is 'Number of apps on the card; null if the answer has no list of them.';
comment on column mart.featuring_daily.link_url         is 'Address that the card links to.';
comment on column mart.featuring_daily.image_url        is 'Address of its picture.';
select ops.comment_columns('mart.featuring_daily');
