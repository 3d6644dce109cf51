-- First views: ranks with names spelled out, movers, and coverage.

create view mart.keyword_rank_daily as
select a.store, a.track_id, a.app_name, c.country_code, c.country_name, k.keyword, d.device_code, f.date_day,
       f.rank as keyword_rank, f.rank is not null as is_ranked, f.observed_at
from   core.fact_keyword_rank as f
join   core.dim_app     as a on a.app_key = f.app_key
join   core.dim_country as c on c.country_key = f.country_key
join   core.dim_keyword as k on k.keyword_key = f.keyword_key
join   core.dim_device  as d on d.device_key = f.device_key;
comment on view   mart.keyword_rank_daily              is 'One row an app, country, keyword, device and day that was asked for. Where did we rank for a keyword last month? In which countries are we not ranked at all?';
comment on column mart.keyword_rank_daily.store        is 'ios or android.';
comment on column mart.keyword_rank_daily.track_id     is 'Track id of the app in its store.';
comment on column mart.keyword_rank_daily.app_name     is 'Name of the app.';
comment on column mart.keyword_rank_daily.country_code is 'Country, ISO 3166-1 alpha-2.';
comment on column mart.keyword_rank_daily.country_name is 'Name of the country.';
comment on column mart.keyword_rank_daily.keyword      is 'The keyword.';
comment on column mart.keyword_rank_daily.device_code  is 'IPHONE, IPAD, or ALL on Android.';
comment on column mart.keyword_rank_daily.date_day     is 'Calendar day of the crawl.';
comment on column mart.keyword_rank_daily.keyword_rank is 'Position in the search results, 1 is the top; null when asked for and not ranked.';
comment on column mart.keyword_rank_daily.is_ranked    is 'False when asked for and not ranked.';
comment on column mart.keyword_rank_daily.observed_at  is 'Crawl time by the service''s own clock, without zone.';

create view mart.keyword_rank_movers as
select a.store, a.track_id, a.app_name, c.country_code, k.keyword, d.device_code, p.days_back, now.date_day,
       now.rank as keyword_rank, before.rank as previous_rank, before.rank - now.rank as places_gained
from   core.dim_app as a
cross  join (values (1), (7), (30), (90)) as p (days_back)
cross  join lateral (select max(l.date_day) as date_day from core.fact_keyword_rank as l where l.app_key = a.app_key) as latest
join   core.fact_keyword_rank as now    on now.app_key = a.app_key and now.date_day = latest.date_day
join   core.fact_keyword_rank as before on before.app_key = a.app_key and before.date_day = latest.date_day - p.days_back
                                       and before.country_key = now.country_key and before.keyword_key = now.keyword_key and before.device_key = now.device_key
join   core.dim_country as c on c.country_key = now.country_key
join   core.dim_keyword as k on k.keyword_key = now.keyword_key
join   core.dim_device  as d on d.device_key = now.device_key;
comment on view   mart.keyword_rank_movers               is 'One row an app, country, keyword, device and span of 1, 7, 30 or 90 days up to the newest day of the app. Which keywords gained most this week? Which were lost since last month?';
comment on column mart.keyword_rank_movers.store         is 'ios or android.';
comment on column mart.keyword_rank_movers.track_id      is 'Track id of the app in its store.';
comment on column mart.keyword_rank_movers.app_name      is 'Name of the app.';
comment on column mart.keyword_rank_movers.country_code  is 'Country, ISO 3166-1 alpha-2.';
comment on column mart.keyword_rank_movers.keyword       is 'The keyword.';
comment on column mart.keyword_rank_movers.device_code   is 'IPHONE, IPAD, or ALL on Android.';
comment on column mart.keyword_rank_movers.days_back     is 'Days between the two ranks.';
comment on column mart.keyword_rank_movers.date_day      is 'Newest day of the app.';
comment on column mart.keyword_rank_movers.keyword_rank  is 'Rank on that day; null when not ranked.';
comment on column mart.keyword_rank_movers.previous_rank is 'Rank on the earlier day; null when not ranked then.';
comment on column mart.keyword_rank_movers.places_gained is 'Places gained since then, negative when lost; null when one of the two is no rank.';

create view ops.coverage_daily as
with cell as (
  select distinct on (s.dataset, s.scope, i.item, d.date_day)
         s.dataset, s.scope, i.item, d.date_day::date as date_day, s.state
  from   ops.slice as s
  left   join ops.batch as b on b.batch_id = s.batch_id
  cross  join lateral unnest(coalesce(b.items, array[''])) as i (item)
  cross  join lateral generate_series(s.window_start::timestamp, s.window_end - 1, interval '1 day') as d (date_day)
  order  by s.dataset, s.scope, i.item, d.date_day, s.slice_id desc
)
select dataset, scope ->> 'store' as store, scope ->> 'app' as track_id, scope ->> 'country' as country_code, scope ->> 'device' as device_code, date_day,
       count(*)                                                  as cell_count,
       count(*) filter (where state = 'loaded')                  as loaded_count,
       count(*) filter (where state = 'empty')                   as empty_count,
       count(*) filter (where state in ('pending', 'running'))   as open_count,
       count(*) filter (where state = 'deferred')                as deferred_count,
       count(*) filter (where state = 'skipped')                 as skipped_count,
       count(*) filter (where state = 'failed')                  as failed_count
from   cell
group  by dataset, scope, date_day;
comment on view   ops.coverage_daily                is 'One row a dataset, partition and day that was asked for: how many cells (keywords, or the partition itself) stand in which state. A day without a row was never asked for. Which days of an app are incomplete? What waits for credits?';
comment on column ops.coverage_daily.dataset        is 'Dataset.';
comment on column ops.coverage_daily.store          is 'ios or android; null where the dataset is about the account.';
comment on column ops.coverage_daily.track_id       is 'Track id of the app; null where the dataset is not about an app.';
comment on column ops.coverage_daily.country_code   is 'Country; null where the dataset tells none apart.';
comment on column ops.coverage_daily.device_code    is 'Device; null where the dataset tells none apart.';
comment on column ops.coverage_daily.date_day       is 'The day.';
comment on column ops.coverage_daily.cell_count     is 'Cells asked for.';
comment on column ops.coverage_daily.loaded_count   is 'Cells that are loaded.';
comment on column ops.coverage_daily.empty_count    is 'Cells that were asked for and the service had nothing.';
comment on column ops.coverage_daily.open_count     is 'Cells that are pending or running.';
comment on column ops.coverage_daily.deferred_count is 'Cells that wait for credits.';
comment on column ops.coverage_daily.skipped_count  is 'Cells that cannot be had.';
comment on column ops.coverage_daily.failed_count   is 'Cells that failed; storehouse retry asks for them again.';
