-- Which days are loaded, final, stale, missing. Stale has one definition in SQL, ops.slice_finality, as it has one in the program.

create view ops.slice_finality as
select s.slice_id, s.dataset, s.scope, s.batch_id, s.window_start, s.window_end, s.state, s.rows_rejected, t.kind,
       case when s.state in ('pending', 'running', 'deferred') then date 'infinity'
            when t.kind = 'snapshot'
            then case when s.as_of > ops.today() - t.refresh_days and s.fingerprint <> 'changed since' then date 'infinity' else date '-infinity' end
            when s.as_of >= ops.today() then date 'infinity'
            when s.state in ('empty', 'skipped') and s.as_of <= r.repeat_day - t.empty_holds_days
                 and case when t.empty_until_days is null then s.tail_of is null
                          else t.pack_is_full is null or s.tail_of is not null or s.window_end - s.window_start <= t.empty_until_days end
            then case when t.empty_until_days is null then date '-infinity'
                      else least(s.as_of + 1 - t.settle_days - t.lookback_days, r.requested_until + 1 - t.settle_days - t.empty_until_days) end
            else s.as_of + 1 - t.settle_days - t.lookback_days
                 - case when t.empty_until_days is null and s.as_of < r.repeat_day
                        and  (s.state = 'empty' or s.state = 'skipped' and coalesce(s.error_code, '') not in ('bad_request', 'not_encodable'))
                        then t.empty_early_days else 0 end
       end as final_before,
       greatest(coalesce(t.first_day, r.request_before - t.history_days),
                (date_trunc('month', ops.today()::timestamp) - make_interval(months => t.keep_months))::date) as request_from,
       r.request_before,
       (select max((m.month_start + interval '1 month')::date) from ops.dropped_month as m
        where  m.dataset = s.dataset and m.dropped_at >= s.ended_at and s.state in ('loaded', 'empty')) as dropped_before
from   ops.slice as s
left   join ops.dataset_timing as o on o.dataset = s.dataset and o.scope = s.scope and not o.is_default
left   join ops.dataset_timing as b on b.dataset = s.dataset and b.is_default
cross  join lateral (select (case when o.dataset is null then b else o end).*) as t
cross  join lateral (select ops.today() + 1 - t.settle_days as published) as p
cross  join lateral (select p.published - case when t.pack_days is null then 0 else (p.published - date '2007-01-01') % t.pack_days end as packed_end) as e
-- answers of nothing are requested again with the next pack, where its call has room for them
cross  join lateral (select e.packed_end as request_before, case when t.pack_is_full then ops.today() else e.packed_end - 1 + t.settle_days end as repeat_day,
                            case when t.pack_is_full or t.pack_days is null then ops.today() else s.as_of + t.empty_holds_days end as requested_until) as r;
comment on view   ops.slice_finality               is 'One row per slice: up to which day its answer is final, and which days a sync without dates requests. A loaded day on or after final_before and within those requested days is stale, unless another slice has a final answer for it. Which answers were received while the source still restated them?';
comment on column ops.slice_finality.slice_id      is 'Number of the slice.';
comment on column ops.slice_finality.scope         is 'Partition of the slice.';
comment on column ops.slice_finality.batch_id      is 'List of the requested keywords or ids; null if the scope identifies the partition.';
comment on column ops.slice_finality.window_start  is 'First requested day.';
comment on column ops.slice_finality.window_end    is 'Day after the last requested day.';
comment on column ops.slice_finality.state         is 'State of the slice.';
comment on column ops.slice_finality.rows_rejected is 'Number of invalid items of its answer.';
comment on column ops.slice_finality.kind          is 'series, period (final only as a whole) or snapshot (final until refresh_days have passed); null before the first planning.';
comment on column ops.slice_finality.final_before  is 'Days before this one are final; infinity for a slice that waits, runs or was requested today; -infinity if none of its days is still final.';
comment on column ops.slice_finality.request_from      is 'First day that a sync requests; null for a snapshot.';
comment on column ops.slice_finality.request_before    is 'Day after the last day that a sync requests; null for a snapshot.';
comment on column ops.slice_finality.dropped_before   is 'Days before this one were dropped by retention after the slice ended; null if none were.';
select ops.comment_columns('ops.slice_finality');

create view ops.coverage_daily as
with cell as (
  select p.dataset, p.scope, c.date_day, c.cell_count, case when c.newest & 32 > 0 then 7 else c.newest & 15 end as state, c.newest & 16 > 0 as is_partial,
         not c.holds and c.newest & 15 in (1, 2) and c.newest & 32 = 0 and not c.is_refused as is_stale
  from   (select dataset, scope from ops.slice group by dataset, scope) as p
  cross  join lateral (
    with own as (
      select f.*, coalesce(f.batch_id, 0) as list, s.error_code
      from   ops.slice_finality as f
      join   ops.slice          as s on s.slice_id = f.slice_id
      where  hashtextextended(f.scope::text, 0) = hashtextextended(p.scope::text, 0) and f.scope = p.scope and f.dataset = p.dataset
    ), alike as (
      -- items in the same lists have the same state on every day, so each group is computed once and multiplied by its size
      select i.lists, count(*) as cell_count,
             exists (select from own as r join ops.batch as rb on rb.batch_id = r.batch_id
                     where  r.list = any (i.lists) and r.state = 'skipped' and r.error_code in ('bad_request', 'not_encodable')
                     and    cardinality(rb.items) = 1) as is_refused
      from   (select m.item, array_agg(distinct l.list) as lists
              from   (select distinct list from own) as l
              left   join ops.batch as b on b.batch_id = l.list
              cross  join lateral unnest(coalesce(b.items, array[''])) as m (item)
              group  by m.item) as i
      group  by i.lists
    )
    select a.cell_count, a.is_refused, d.date_day, max(d.newest) as newest,
           bool_or(d.holds
                   or f.kind = 'snapshot'
                   and exists (select from own as n
                               where  n.window_end > f.window_end and n.slice_id > f.slice_id and n.list = any (a.lists)
                               and    (n.state not in ('failed', 'skipped', 'lost')
                                       or n.state = 'skipped' and n.error_code in ('bad_request', 'not_encodable')))) as holds
    from   own as f
    -- `offset 0` is a barrier: without it the planner would join a filter on the day with every slice, and evaluate these expressions once per group of items
    cross  join lateral (
      select t.date_day,
             -- the newest slice decides: its number, and behind it in six bits its state, whether some of its answer did not fit, whether the day was dropped since
             f.slice_id * 64 + case f.state when 'loaded' then 1 when 'empty' then 2 when 'deferred' then 4 when 'skipped' then 5 when 'failed' then 6 when 'lost' then 8 else 3 end
               + case when f.rows_rejected > 0 then 16 else 0 end
               + case when case f.kind when 'period' then f.window_start else t.date_day end < f.dropped_before then 32 else 0 end as newest,
             case f.kind
               when 'series' then t.date_day < f.final_before or t.date_day < f.request_from or t.date_day >= f.request_before
               when 'period' then f.window_end <= f.final_before or f.window_end <= f.request_from or f.window_end > f.request_before
               when 'snapshot' then f.final_before = 'infinity'
               else true end as holds
      from   core.dim_date as t where t.date_day >= f.window_start and t.date_day < f.window_end offset 0) as d
    join   alike as a on f.list = any (a.lists)
    -- what holds now is in a newer snapshot, or that failed as well (ops.failed_slice)
    and    not (f.kind is not distinct from 'snapshot' and f.state = 'failed'
                and exists (select from own as n
                            where  n.window_end > f.window_start and n.slice_id > f.slice_id and n.list = any (a.lists)
                            and    (n.state in ('loaded', 'empty', 'failed') or n.state = 'skipped' and n.error_code in ('bad_request', 'not_encodable'))))
    group  by a.lists, a.cell_count, a.is_refused, d.date_day) as c
)
select dataset, scope ->> 'store' as store, scope ->> 'app' as track_id, scope ->> 'country' as country_code, scope ->> 'device' as device_code, date_day,
       sum(cell_count)::bigint                                                as cell_count,
       coalesce(sum(cell_count) filter (where state = 1), 0)::bigint                as loaded_count,
       coalesce(sum(cell_count) filter (where state = 2), 0)::bigint                as empty_count,
       coalesce(sum(cell_count) filter (where state = 3), 0)::bigint                as open_count,
       coalesce(sum(cell_count) filter (where state = 4), 0)::bigint                as deferred_count,
       coalesce(sum(cell_count) filter (where state = 5), 0)::bigint                as skipped_count,
       coalesce(sum(cell_count) filter (where state = 6), 0)::bigint                as failed_count,
       coalesce(sum(cell_count) filter (where state = 1 and is_partial), 0)::bigint as partial_count,
       coalesce(sum(cell_count) filter (where is_stale), 0)::bigint                 as stale_count,
       coalesce(sum(cell_count) filter (where state = 7), 0)::bigint                as dropped_count,
       coalesce(sum(cell_count) filter (where state = 8), 0)::bigint                as lost_count
from   cell
group  by dataset, scope, date_day;
comment on view   ops.coverage_daily                is 'One row per dataset, partition and requested day: number of cells (keywords, or the partition itself) in each state. A day without a row was never requested, or it belongs to a failed snapshot that a newer one replaces. Which days of an app are incomplete? What waits for credits, a budget or the API?';
comment on column ops.coverage_daily.store          is 'ios or android; null if the dataset is about the account.';
comment on column ops.coverage_daily.track_id       is 'Track id of the app; null if the dataset is not about an app.';
comment on column ops.coverage_daily.country_code   is 'Country; null if the dataset does not distinguish countries.';
comment on column ops.coverage_daily.device_code    is 'Device; null if the dataset does not distinguish devices.';
comment on column ops.coverage_daily.cell_count     is 'Requested cells.';
comment on column ops.coverage_daily.loaded_count   is 'Loaded cells, including those of partial_count.';
comment on column ops.coverage_daily.empty_count    is 'Cells for which the service returned no rows.';
comment on column ops.coverage_daily.open_count     is 'Cells that are pending or running.';
comment on column ops.coverage_daily.deferred_count is 'Cells that wait for credits, a budget or the API.';
comment on column ops.coverage_daily.skipped_count  is 'Unavailable cells.';
comment on column ops.coverage_daily.failed_count   is 'Cells whose newest slice failed; storehouse retry requests them again. A failed snapshot does not count if a newer one was answered or failed as well and replaces it.';
comment on column ops.coverage_daily.partial_count  is 'Loaded cells of slices whose answer has invalid items; ops.reject lists these items with their reasons.';
comment on column ops.coverage_daily.stale_count    is 'Loaded or empty cells that are due again (ops.slice_finality): they were received while the source still restated them, or they are snapshots older than refresh_days.';
comment on column ops.coverage_daily.dropped_count  is 'Cells that were loaded or empty, in a month that retention later dropped or detached. No other count includes them.';
comment on column ops.coverage_daily.lost_count     is 'Snapshot cells that were not fetched in time: they can no longer be requested.';
select ops.comment_columns('ops.coverage_daily');

create function ops.due_end(timing ops.dataset_timing, newest_start date, newest_end date, today date) returns date language sql immutable parallel safe
  return case timing.kind
         when 'snapshot' then case when timing.refresh_days < 3650 then today + 2 - timing.refresh_days end
         when 'series' then today + 1 - timing.settle_days
                            - case when timing.pack_days is null then 0 else (today + 1 - timing.settle_days - date '2007-01-01') % timing.pack_days end
         -- the next periods are as long as the newest one: calendar months, or so many days
         when 'period' then case when extract(day from newest_start) = 1 and newest_end = (newest_start + interval '1 month')::date
                            then date_trunc('month', (today + 1 - timing.settle_days)::timestamp)::date
                            else coalesce(greatest(newest_end, newest_end + (today + 1 - timing.settle_days - newest_end) / (newest_end - newest_start) * (newest_end - newest_start)),
                                          today + 1 - timing.settle_days) end
         end;
comment on function ops.due_end(ops.dataset_timing, date, date, date) is 'Day after the newest day that a dataset with this timing should have by the end of the given day; newest_start and newest_end are the bounds of its newest answer. Null if nothing is due: the snapshot is fetched only once, or there is no timing.';

create view ops.unanswered_rank_slice as
select s.scope ->> 'store' as store, s.scope ->> 'app' as track_id, s.scope ->> 'country' as country_code, s.window_start, s.window_end, s.batch_id, s.scope,
       a.app_key, c.country_key, s.ended_at, false as is_unavailable
from   ops.slice as s
left   join core.dim_app     as a on a.store = s.scope ->> 'store' and a.track_id = s.scope ->> 'app'
left   join core.dim_country as c on c.country_code = s.scope ->> 'country'
where  s.dataset = 'keyword_rank' and s.state in ('pending', 'running', 'deferred', 'failed')
-- an answer that leaves a keyword out is an answer all the same
and    not (s.state = 'failed' and exists (
  select from ops.slice as n
  where  hashtextextended(n.scope::text, 0) = hashtextextended(s.scope::text, 0) and n.window_end >= s.window_end and n.window_start <= s.window_start
  and    n.dataset = s.dataset and n.scope = s.scope and n.batch_id = s.batch_id and n.slice_id > s.slice_id and n.state in ('loaded', 'empty')))
union  all
select s.scope ->> 'store', s.scope ->> 'app', s.scope ->> 'country', s.window_start, s.window_end, s.batch_id, s.scope, a.app_key, c.country_key, s.ended_at, true
from   ops.slice as s
-- a barrier: of all apps ever seen, few have such slices
cross  join lateral (select n.app_key from core.dim_app as n where n.store = s.scope ->> 'store' and n.track_id = s.scope ->> 'app' offset 0) as a
join   core.dim_country as c on c.country_code = s.scope ->> 'country'
-- history may reach back to before a keyword was known
where  s.dataset = 'keyword_rank' and s.class <> 'history' and s.state in ('empty', 'skipped') and (s.state = 'empty' or s.error_code = 'not_found')
and    exists (
  select from core.fact_keyword_rank_summary as f
  where  f.app_key = a.app_key and f.country_key = c.country_key and f.date_day >= s.window_start and f.date_day < s.window_end and f.has_rows)
and    not exists (
  select from ops.slice as n
  where  hashtextextended(n.scope::text, 0) = hashtextextended(s.scope::text, 0) and n.window_end >= s.window_end and n.window_start <= s.window_start
  and    n.dataset = s.dataset and n.scope = s.scope and n.batch_id = s.batch_id and n.slice_id > s.slice_id and n.state in ('loaded', 'empty'));
comment on view   ops.unanswered_rank_slice              is 'One row per slice of ranks that is pending, running, deferred, failed, or (apart from history) unavailable while other keywords of its days have an answer, without a newer answer of the same list; with the keys of its app and country. Which requests for ranks have no answer?';
comment on column ops.unanswered_rank_slice.window_start is 'First requested day.';
comment on column ops.unanswered_rank_slice.window_end   is 'Day after the last requested day.';
comment on column ops.unanswered_rank_slice.batch_id     is 'List of the requested keywords.';
comment on column ops.unanswered_rank_slice.scope        is 'Partition of the slice.';
comment on column ops.unanswered_rank_slice.ended_at     is 'When it failed or was unavailable; null if it waits for its first answer.';
comment on column ops.unanswered_rank_slice.is_unavailable is 'True if the service has no data for it (404 or an empty answer).';
select ops.comment_columns('ops.unanswered_rank_slice');

create view ops.refused_keyword as
select r.scope, b.items[1] as keyword
from   ops.slice as r
join   ops.batch as b on b.batch_id = r.batch_id
where  r.dataset = 'keyword_rank' and r.state = 'skipped' and r.error_code in ('bad_request', 'not_encodable') and cardinality(b.items) = 1;
comment on view   ops.refused_keyword       is 'One row per keyword of a partition of ranks that the service refused when it was the only one requested: plans leave it out. Which keywords have no ranks, and will have none?';
comment on column ops.refused_keyword.scope is 'Partition of the slice.';
select ops.comment_columns('ops.refused_keyword');

create view ops.unanswered_keyword as
select o.store, o.track_id, o.country_code, o.date_day, i.item as keyword
from   (select w.store, w.track_id, w.country_code, w.scope, w.batch_id, d.date_day, bool_and(w.is_unavailable) as is_unavailable,
               -- a slice that failed stays so when another one brings the answer
               array(select f.keyword_key from core.fact_keyword_rank as f
                     where  f.app_key = w.app_key and f.date_day = d.date_day and f.country_key = w.country_key) as answered
        from   ops.unanswered_rank_slice as w
        cross  join lateral (select g::date as date_day from generate_series(w.window_start::timestamp, w.window_end - 1, interval '1 day') as g) as d
        -- answers of months that retention removed since are gone
        where  not exists (select from ops.dropped_month as m
                           where  m.table_name = 'core.fact_keyword_rank' and m.is_done and m.dropped_at >= w.ended_at
                           and    m.month_start = date_trunc('month', d.date_day::timestamp)::date)
        group  by w.store, w.track_id, w.country_code, w.scope, w.batch_id, w.app_key, w.country_key, d.date_day) as o
join   ops.batch        as b on b.batch_id = o.batch_id
cross  join lateral unnest(b.items) as i (item)
left   join core.dim_keyword as k on k.keyword = i.item
where  (k.keyword_key = any (o.answered)) is not true
-- of a day without any answer, unavailable keywords are no gap
and    (not o.is_unavailable or cardinality(o.answered) > 0)
and    (o.scope, i.item) not in (select r.scope, r.keyword from ops.refused_keyword as r)
group  by 1, 2, 3, 4, 5;
comment on view   ops.unanswered_keyword is 'One row per app, country, day and keyword whose rank was requested and has no answer: it is pending, running, deferred or failed, or unavailable while other keywords of the day have an answer. While a backfill waits, choose a few weeks only. Which keywords are missing?';
select ops.comment_columns('ops.unanswered_keyword');

create view ops.unanswered_keyword_daily as
select s.store, s.track_id, s.country_code, d.date_day, c.keyword_count
from   (
  -- once for each partition: a backfill has thousands of slices, and each of them many days; grouped by keys of other tables as well, each slice
  -- would be planned as a partition of its own
  select w.store, w.track_id, w.country_code, w.scope, max(w.app_key) as app_key, max(w.country_key) as country_key, min(w.window_start) as first_day, max(w.window_end) as end_day,
         array_agg(w.batch_id) as batch_ids, array_agg(w.window_start) as starts, array_agg(w.window_end) as ends, array_agg(w.ended_at) as ended, array_agg(w.is_unavailable) as unavailable
  from   ops.unanswered_rank_slice as w
  group  by 1, 2, 3, 4) as s
cross  join lateral (
  select s.scope in (select r.scope from ops.refused_keyword as r) as has_refused,
         -- a list twice for a day
         (select bool_or(o.is_twice)
             from   (select u.window_end > lead(u.window_start) over (partition by u.batch_id order by u.window_start, u.window_end) as is_twice
                     from   unnest(s.batch_ids, s.starts, s.ends) as u (batch_id, window_start, window_end)) as o)
         -- a keyword in two lists
         or exists (select from (select distinct u.batch_id from unnest(s.batch_ids) as u (batch_id)) as q
                    join   ops.batch as b on b.batch_id = q.batch_id
                    cross  join lateral unnest(b.items) as i (item)
                    group  by i.item
                    having count(*) > 1) as is_shared,
         coalesce((select range_agg(daterange(f.date_day, f.date_day + 1))
                   from   core.fact_keyword_rank_summary as f
                   where  f.app_key = s.app_key and f.country_key = s.country_key and f.date_day >= s.first_day and f.date_day < s.end_day), '{}') as answered_days
  offset 0) as x -- barriers: what stands for a partition, or a day, would be worked out again wherever it is named
cross  join lateral (
  select g.date_day, sum(t.item_count)::bigint as item_count, range_agg(t.keyword_keys) as keyword_keys, sum(t.unnamed_count)::bigint as unnamed_count
  from   (select u.window_start, u.window_end, u.ended_at, u.is_unavailable, sum(n.item_count) as item_count, range_agg(n.keyword_keys) as keyword_keys, sum(n.unnamed_count) as unnamed_count
          from   unnest(s.batch_ids, s.starts, s.ends, s.ended, s.unavailable) as u (batch_id, window_start, window_end, ended_at, is_unavailable)
          join   ops.batch as b on b.batch_id = u.batch_id
          cross  join lateral (
            -- keyword by keyword only where some may be answered, in two lists, or refused; without a key where no answer has named them
            select count(*) as item_count, coalesce(range_agg(int4range(k.keyword_key, k.keyword_key + 1)) filter (where k.keyword_key is not null), '{}') as keyword_keys,
                   count(*) filter (where k.keyword_key is null) as unnamed_count
            from   unnest(b.items) as i (item)
            left   join core.dim_keyword as k on k.keyword = i.item
            where  (x.is_shared or x.has_refused or x.answered_days && datemultirange(daterange(u.window_start, u.window_end)))
            and    (s.scope, i.item) not in (select r.scope, r.keyword from ops.refused_keyword as r)
            having x.is_shared or x.has_refused or x.answered_days && datemultirange(daterange(u.window_start, u.window_end))
            union  all
            select cardinality(b.items), '{}', 0
            where  (x.is_shared or x.has_refused or x.answered_days && datemultirange(daterange(u.window_start, u.window_end))) is not true) as n
          group  by 1, 2, 3, 4) as t
  cross  join lateral (select n::date as date_day from generate_series(t.window_start::timestamp, t.window_end - 1, interval '1 day') as n) as g
  -- of a day without any answer, unavailable keywords are no gap
  where  (not t.is_unavailable or x.answered_days @> g.date_day)
  and    (t.ended_at is null
          or not exists (select from ops.dropped_month as m
                         where  m.table_name = 'core.fact_keyword_rank' and m.is_done and m.dropped_at >= t.ended_at
                         and    m.month_start = date_trunc('month', g.date_day::timestamp)::date))
  group  by g.date_day) as d
cross  join lateral (
  -- lists of a day without any answer are counted as a whole, unless they share keywords
  select case when (x.is_shared or x.answered_days @> d.date_day) is not true then d.item_count
              else (select coalesce(sum(upper(r.span) - lower(r.span)), 0) from unnest(d.keyword_keys) as r (span))
                   - (select count(distinct n.keyword_key)
                      from   core.fact_keyword_rank as n
                      where  n.app_key = s.app_key and n.date_day = d.date_day and n.country_key = s.country_key and n.keyword_key <@ d.keyword_keys)
                   + case when d.unnamed_count = 0 or x.is_shared is not true then d.unnamed_count
                          else (select count(distinct i.item)
                                from   unnest(s.batch_ids, s.starts, s.ends, s.ended, s.unavailable) as u (batch_id, window_start, window_end, ended_at, is_unavailable)
                                join   ops.batch as b on b.batch_id = u.batch_id
                                cross  join lateral unnest(b.items) as i (item)
                                where  u.window_start <= d.date_day and u.window_end > d.date_day and (not u.is_unavailable or x.answered_days @> d.date_day)
                                and    (u.ended_at is null
                                        or not exists (select from ops.dropped_month as m
                                                       where  m.table_name = 'core.fact_keyword_rank' and m.is_done and m.dropped_at >= u.ended_at
                                                       and    m.month_start = date_trunc('month', d.date_day::timestamp)::date))
                                and    not exists (select from core.dim_keyword as k where k.keyword = i.item)
                                and    (s.scope, i.item) not in (select r.scope, r.keyword from ops.refused_keyword as r)) end end as keyword_count
  offset 0) as c
where  c.keyword_count > 0;
comment on view   ops.unanswered_keyword_daily               is 'One row per app, country and day with keywords whose ranks were requested and have no answer: their number. Which days of ranks are incomplete? How many keywords are missing?';
comment on column ops.unanswered_keyword_daily.keyword_count is 'Keywords that are pending, running, deferred or failed, or unavailable (404 or an empty answer) while other keywords of the day have an answer.';
select ops.comment_columns('ops.unanswered_keyword_daily');

create view ops.charted_app as
with recursive step (app_key) as (
  -- one step through an index from app to app: as many steps as there are apps, however many rows they have
  select min(app_key) from core.fact_category_rank
  union  all
  select (select min(f.app_key) from core.fact_category_rank as f where f.app_key > r.app_key) from step as r where r.app_key is not null
)
select r.app_key from step as r where r.app_key is not null;
comment on view   ops.charted_app         is 'One row per app with places in the charts of its categories (core.fact_category_rank). For which apps do we know places in charts?';
comment on column ops.charted_app.app_key is 'Key of the app in core.dim_app.';
select ops.comment_columns('ops.charted_app');

create view ops.reviewed_app as
with recursive step (app_key) as (
  select min(app_key) from core.review
  union  all
  select (select min(f.app_key) from core.review as f where f.app_key > r.app_key) from step as r where r.app_key is not null
)
select r.app_key from step as r where r.app_key is not null;
comment on view   ops.reviewed_app         is 'One row per app with reviews. For which apps do we have reviews?';
comment on column ops.reviewed_app.app_key is 'Key of the app in core.dim_app.';
select ops.comment_columns('ops.reviewed_app');

create view ops.portfolio_app as
with recursive ranked (app_key) as (
  -- as in ops.charted_app
  select min(app_key) from core.fact_keyword_rank_summary
  union  all
  select (select min(f.app_key) from core.fact_keyword_rank_summary as f where f.app_key > r.app_key) from ranked as r where r.app_key is not null
), rated (app_key) as (
  select min(app_key) from core.fact_app_rating
  union  all
  select (select min(f.app_key) from core.fact_app_rating as f where f.app_key > r.app_key) from rated as r where r.app_key is not null
), estimated (app_key) as (
  select min(app_key) from core.fact_download_revenue
  union  all
  select (select min(f.app_key) from core.fact_download_revenue as f where f.app_key > r.app_key) from estimated as r where r.app_key is not null
), sold (app_key) as (
  select min(app_key) from core.fact_sales_metric
  union  all
  select (select min(f.app_key) from core.fact_sales_metric as f where f.app_key > r.app_key) from sold as r where r.app_key is not null
), visible (app_key) as (
  select min(app_key) from core.fact_visibility
  union  all
  select (select min(f.app_key) from core.fact_visibility as f where f.app_key > r.app_key) from visible as r where r.app_key is not null
), known (app_key) as (
  select app_key from core.tracked_app
  union  select app_key from ranked
  union  select app_key from rated
  union  select app_key from ops.charted_app
  union  select app_key from ops.reviewed_app
  union  select app_key from estimated
  union  select app_key from sold
  -- a competitor outside the portfolio has nothing but a score
  union  select v.app_key from visible as v where not exists (select from core.tracked_competitor as n where n.competitor_app_key = v.app_key)
)
select a.app_key, a.store, a.track_id, a.app_name
from   known as k
join   core.dim_app as a on a.app_key = k.app_key;
comment on view   ops.portfolio_app          is 'One row per app that is or was in the portfolio: tracked by the account, or with ranks, ratings, reviews, sales or estimates. Apps that were only seen in charts, searches or lists of competitors have no row. Which apps do marts report on? How many are there?';
comment on column ops.portfolio_app.app_name is 'Name of the app as last seen.';
select ops.comment_columns('ops.portfolio_app');
