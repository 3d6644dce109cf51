-- Which days are loaded, final, stale, missing. Stale has one definition in SQL, ops.slice_finality, as it has one in the program.

create view ops.slice_finality as
select s.slice_id, s.dataset, s.scope, s.batch_id, s.window_start, s.window_end, s.state, s.rows_rejected, t.kind,
       case when s.state in ('pending', 'running', 'deferred') then date 'infinity'
            when t.kind = 'snapshot'
            then case when s.as_of > ops.today() - t.refresh_days and s.fingerprint <> 'changed since' then date 'infinity' else date '-infinity' end
            when s.as_of >= ops.today() then date 'infinity'
            when s.state in ('empty', 'skipped') and s.as_of <= ops.today() - t.empty_holds_days
            then case when t.empty_until_days is null then date '-infinity'
                      else least(s.as_of + 1 - t.settle_days - t.lookback_days, ops.today() + 1 - t.settle_days - t.empty_until_days) end
            else s.as_of + 1 - t.settle_days - t.lookback_days
                 - case when s.state = 'empty' and t.empty_until_days is null then t.empty_early_days else 0 end
       end as final_before,
       greatest(coalesce(t.first_day, r.ask_before - t.history_days),
                (date_trunc('month', ops.today()::timestamp) - make_interval(months => t.keep_months))::date) as ask_from,
       r.ask_before,
       (select max((m.month_start + interval '1 month')::date) from ops.dropped_month as m
        where  m.dataset = s.dataset and m.dropped_at >= s.ended_at and s.state in ('loaded', 'empty')) as gone_before
from   ops.slice as s
left   join ops.dataset_timing as o on o.dataset = s.dataset and o.scope = s.scope and not o.is_default
left   join ops.dataset_timing as b on b.dataset = s.dataset and b.is_default
cross  join lateral (select (case when o.dataset is null then b else o end).*) as t
cross  join lateral (select ops.today() + 1 - t.settle_days as published) as p
cross  join lateral (select p.published - case when t.pack_days is null then 0 else (p.published - date '2007-01-01') % t.pack_days end as ask_before) as r;
comment on view   ops.slice_finality               is 'One row a slice: up to which day its answer is final, and which days a sync that names none would ask for. An answered day from final_before on and within these is stale, unless another slice holds it. Which answers were given while the source still restated them? When does an answer stop to count?';
comment on column ops.slice_finality.slice_id      is 'Number of the slice.';
comment on column ops.slice_finality.scope         is 'Who it is about.';
comment on column ops.slice_finality.batch_id      is 'List of keywords or ids asked for; null where the scope says it all.';
comment on column ops.slice_finality.window_start  is 'First day asked for.';
comment on column ops.slice_finality.window_end    is 'Day after the last one asked for.';
comment on column ops.slice_finality.state         is 'State of the slice.';
comment on column ops.slice_finality.rows_rejected is 'Items of its answer that did not fit.';
comment on column ops.slice_finality.kind          is 'series, period (final only as a whole) or snapshot (final while it is young); null while nobody has planned yet.';
comment on column ops.slice_finality.final_before  is 'Its days before this one are final; infinity for one that waits, runs or was asked for today, -infinity where nothing of it is final any more.';
comment on column ops.slice_finality.ask_from      is 'First day that a sync would ask for; null for a snapshot.';
comment on column ops.slice_finality.ask_before    is 'Day after the last one that a sync would ask for; null for a snapshot.';
comment on column ops.slice_finality.gone_before   is 'Its days before this one were dropped by retention since; null where none was.';
select ops.comment_columns('ops.slice_finality');

create view ops.coverage_daily as
with part as (
  select f.dataset, f.scope, i.item, d.date_day,
         -- dropped as long as the newest slice is from before
         max(f.slice_id) = max(f.slice_id) filter (where case f.kind when 'period' then f.window_start else d.date_day end < f.gone_before) as is_gone,
         -- the newest slice decides: its number, and behind it in three bits its state and whether some of its answer did not fit
         max(f.slice_id * 16 + case f.state when 'loaded' then 1 when 'empty' then 2 when 'deferred' then 4 when 'skipped' then 5 when 'failed' then 6 else 3 end
             + case when f.rows_rejected > 0 then 8 else 0 end) as newest,
         bool_or(case f.kind
                 when 'series' then d.date_day < f.final_before or d.date_day < f.ask_from or d.date_day >= f.ask_before
                 when 'period' then f.window_end <= f.final_before or f.window_end <= f.ask_from or f.window_end > f.ask_before
                 when 'snapshot' then f.final_before = 'infinity'
                      or exists (select from ops.slice as n
                                 where  hashtextextended(n.scope::text, 0) = hashtextextended(f.scope::text, 0) and n.window_end > f.window_end
                                 and    n.dataset = f.dataset and n.scope = f.scope and n.slice_id > f.slice_id
                                 and    (n.state not in ('failed', 'skipped') or n.state = 'skipped' and n.error_code in ('bad_request', 'not_encodable'))
                                 and    (n.batch_id is not distinct from f.batch_id
                                         or i.item = any ((select items from ops.batch as nb where nb.batch_id = n.batch_id)::text[])))
                 else true end) as holds
  from   ops.slice_finality as f
  left   join ops.batch as b on b.batch_id = f.batch_id
  cross  join lateral unnest(coalesce(b.items, array[''])) as i (item)
  join   core.dim_date as d on d.date_day >= f.window_start and d.date_day < f.window_end
  group  by f.dataset, f.scope, i.item, d.date_day
), cell as (
  select dataset, scope, date_day, case when coalesce(is_gone, false) then 7 else newest & 7 end as state, newest & 8 > 0 as is_partial,
         not holds and newest & 7 in (1, 2) and is_gone is not true
         and not exists (select from ops.slice as r join ops.batch as rb on rb.batch_id = r.batch_id
                         where  r.dataset = part.dataset and hashtextextended(r.scope::text, 0) = hashtextextended(part.scope::text, 0) and r.scope = part.scope
                         and    r.state = 'skipped' and r.error_code in ('bad_request', 'not_encodable') and rb.items = array[part.item]) as is_stale
  from   part
)
select dataset, scope ->> 'store' as store, scope ->> 'app' as track_id, scope ->> 'country' as country_code, scope ->> 'device' as device_code, date_day,
       count(*)                                         as cell_count,
       count(*) filter (where state = 1)                as loaded_count,
       count(*) filter (where state = 2)                as empty_count,
       count(*) filter (where state = 3)                as open_count,
       count(*) filter (where state = 4)                as deferred_count,
       count(*) filter (where state = 5)                as skipped_count,
       count(*) filter (where state = 6)                as failed_count,
       count(*) filter (where state = 1 and is_partial) as partial_count,
       count(*) filter (where is_stale)                 as stale_count,
       count(*) filter (where state = 7)                as dropped_count
from   cell
group  by dataset, scope, date_day;
comment on view   ops.coverage_daily                is 'One row a dataset, partition and day that was asked for: how many cells (keywords, or the partition itself) stand in which state. A day without a row was never asked for. Which days of an app are incomplete? What waits for credits?';
comment on column ops.coverage_daily.store          is 'ios or android; null where the dataset is about the account.';
comment on column ops.coverage_daily.track_id       is 'Track id of the app; null where the dataset is not about an app.';
comment on column ops.coverage_daily.country_code   is 'Country; null where the dataset tells none apart.';
comment on column ops.coverage_daily.device_code    is 'Device; null where the dataset tells none apart.';
comment on column ops.coverage_daily.cell_count     is 'Cells asked for.';
comment on column ops.coverage_daily.loaded_count   is 'Cells that are loaded; those of partial_count among them.';
comment on column ops.coverage_daily.empty_count    is 'Cells that were asked for and the service had nothing.';
comment on column ops.coverage_daily.open_count     is 'Cells that are pending or running.';
comment on column ops.coverage_daily.deferred_count is 'Cells that wait for credits.';
comment on column ops.coverage_daily.skipped_count  is 'Cells that cannot be had.';
comment on column ops.coverage_daily.failed_count   is 'Cells of which the newest slice failed; storehouse retry asks for them again, save for a snapshot that a newer one made good.';
comment on column ops.coverage_daily.partial_count  is 'Loaded cells of slices of whose answer some rows did not fit: ops.reject has these rows, each with its reason.';
comment on column ops.coverage_daily.stale_count    is 'Loaded or empty cells that are to be asked for again, as ops.slice_finality tells: they were answered while the source still restated them, or are snapshots past their refresh_days.';
comment on column ops.coverage_daily.dropped_count  is 'Cells that were loaded or empty and are in a month that retention dropped or detached since; they are in no other count.';
select ops.comment_columns('ops.coverage_daily');

create view ops.freshness as
select dataset, scope ->> 'store' as store, scope ->> 'app' as track_id, scope ->> 'country' as country_code,
       max(window_end - 1) filter (where state in ('loaded', 'empty')) as newest_day,
       max(ended_at) filter (where state in ('loaded', 'empty'))       as last_loaded_at,
       count(*) filter (where state in ('pending', 'running', 'deferred')) as open_count
from   ops.slice
group  by 1, 2, 3, 4;
comment on view   ops.freshness                is 'One row a dataset, app and country that was asked for: the newest day that is there and when it came. Which apps are behind? How old is what a report shows?';
comment on column ops.freshness.store          is 'ios or android; null where the dataset is about the account.';
comment on column ops.freshness.track_id       is 'Track id of the app; null where the dataset is not about an app.';
comment on column ops.freshness.country_code   is 'Country; null where the dataset tells none apart.';
comment on column ops.freshness.newest_day     is 'Newest day that was answered; null when none was.';
comment on column ops.freshness.last_loaded_at is 'When the last answer was loaded.';
comment on column ops.freshness.open_count     is 'Slices that wait or run.';
select ops.comment_columns('ops.freshness');
