with list as (
  select f.category_code, f.country_key, f.chart, f.device_key, f.chart_version, f.date_day, max(f.category_name) as category_name
  from   (
    select o.category_code, o.country_key, o.chart, o.device_key, o.chart_version, o.date_day, o.category_name from core.fact_top_chart as o
    union  all
    select assumeNotNull(e.category_code), assumeNotNull(e.country_key), assumeNotNull(e.chart), assumeNotNull(e.device_key), assumeNotNull(e.chart_version),
           assumeNotNull(e.date_day), null
    from   ops.empty_chart as e) as f
  group  by f.category_code, f.country_key, f.chart, f.device_key, f.chart_version, f.date_day
), listed as (
  select n.*, lagInFrame(toNullable(n.date_day)) over chart as previous_day, leadInFrame(toNullable(n.date_day)) over chart as next_day
  from   list as n
  window chart as (partition by n.category_code, n.country_key, n.chart, n.device_key, n.chart_version order by n.date_day
                   rows between unbounded preceding and unbounded following)
), place as (
  select l.category_code, l.country_key, l.chart, l.device_key, l.chart_version, l.date_day, f.app_key, f.rank as chart_rank, null as previous_chart_rank,
         null as previous_category_name
  from   list as l
  join   core.fact_top_chart as f on f.category_code = l.category_code and f.country_key = l.country_key and f.chart = l.chart and f.date_day = l.date_day
                                 and f.device_key = l.device_key and f.chart_version = l.chart_version
  union  all
  -- the places of a list are the earlier ones of the next list
  select l.category_code, l.country_key, l.chart, l.device_key, l.chart_version, assumeNotNull(l.next_day), f.app_key, null, f.rank, f.category_name
  from   listed as l
  join   core.fact_top_chart as f on f.category_code = l.category_code and f.country_key = l.country_key and f.chart = l.chart and f.date_day = l.date_day
                                 and f.device_key = l.device_key and f.chart_version = l.chart_version
  where  l.next_day is not null
), both as (
  select p.category_code, p.country_key, p.chart, p.device_key, p.chart_version, p.date_day, p.app_key,
         max(p.chart_rank) as chart_rank, max(p.previous_chart_rank) as previous_chart_rank, max(p.previous_category_name) as previous_category_name
  from   place as p
  group  by p.category_code, p.country_key, p.chart, p.device_key, p.chart_version, p.date_day, p.app_key
)
select a.store as store, a.track_id as track_id, coalesce(a.app_name, a.track_id) as app_name, c.country_code as country_code,
       c.country_name as country_name, d.device_code as device_code, n.category_code as category_code,
       coalesce(n.category_name, m.previous_category_name) as category_name,
       n.chart as chart,
       n.chart_version as chart_version, n.date_day as date_day, n.previous_day as previous_day, m.chart_rank as chart_rank,
       m.previous_chart_rank as previous_chart_rank, m.previous_chart_rank - m.chart_rank as places_gained,
       multiIf(n.previous_day is null, 'first list',
               m.previous_chart_rank is null, 'entered',
               m.chart_rank is null, 'left',
               m.chart_rank < m.previous_chart_rank, 'gained',
               m.chart_rank > m.previous_chart_rank, 'lost',
               'same') as movement,
       m.app_key in (select p.app_key from ops.portfolio_app as p) as is_portfolio_app
from   listed as n
join   both as m on m.category_code = n.category_code and m.country_key = n.country_key and m.chart = n.chart and m.date_day = n.date_day
                and m.device_key = n.device_key and m.chart_version = n.chart_version
join   core.dim_app     as a on a.app_key = m.app_key
join   core.dim_country as c on c.country_key = n.country_key
join   core.dim_device  as d on d.device_key = n.device_key
