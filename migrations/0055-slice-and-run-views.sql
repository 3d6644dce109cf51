-- Slices, failures, runs, spent credits and freshness as an operator reads them.

-- what a plan is made from: the grid of coverage and the price of a selection are read as the reader too
create view ops.slice_log as
select s.slice_id, s.dataset, s.operation, s.scope, s.batch_id, s.window_start, s.window_end, s.requested_end, s.tail_of, s.as_of, s.fingerprint, s.class, s.state,
       s.planned_requests, s.planned_credits, s.run_id, s.plan_id, s.worker_id, s.attempt, s.failures,
       -- failed slices that are not requested again: a snapshot of an earlier day, since planning requests the one of today; those of a dataset
       -- that is switched off; and those of a dataset that is off by default, unless they are of a plan, the schedule or an automatic retry
       case when s.state <> 'failed' then s.due_at
            when s.class = 'snapshot' and s.as_of < ops.today() then null
            when exists (select from ops.dataset as d
                         where  d.dataset = s.dataset
                         and    (d.is_switched_off or not d.is_on and s.plan_id is null
                                 and not exists (select from ops.run as r where r.run_id = s.run_id
                                                 and   (r.kind = 'schedule' or r.kind = 'retry' and r.worker_id is null)))) then null
            else s.due_at end as due_at,
       s.error_code, s.error_message, s.rows_loaded, s.rows_rejected, s.is_folded, s.created_at, s.started_at, s.ended_at
from   ops.slice as s;
comment on view ops.slice_log is 'One row per slice in its current state, without the sums of ops.slice_status, which read its requests. What was requested for an app, and when?';
select ops.comment_columns('ops.slice_log', 'ops.slice');

create view ops.slice_status as
select s.slice_id, s.dataset, s.operation, s.scope ->> 'store' as store, s.scope ->> 'app' as track_id, s.scope ->> 'country' as country_code,
       s.scope ->> 'device' as device_code, s.scope, coalesce(cardinality(b.items), 0) as item_count, s.window_start as first_day,
       s.window_end - 1 as last_day, s.class, s.state, s.attempt, s.failures as failure_count, s.planned_requests as planned_request_count,
       s.planned_credits,
       -- counted only for the rows of a query
       (select count(*) from ops.request as r where r.slice_id = s.slice_id)
       + coalesce((select p.request_count from ops.past_slice_spend as p where p.slice_id = s.slice_id), 0) as request_count,
       (select coalesce(sum(r.cost), 0) from ops.request as r where r.slice_id = s.slice_id)
       + coalesce((select p.cost from ops.past_slice_spend as p where p.slice_id = s.slice_id), 0) as booked_credits,
       s.rows_loaded, s.rows_rejected, s.due_at, s.error_code, s.error_message, s.run_id, s.plan_id, s.created_at, s.started_at, s.ended_at,
       case when s.state not in ('loaded', 'empty', 'failed') then s.state else (
  -- of its cells those that no newer slice has answered or is about to
  select case when count(*) = 0 then 'superseded'
              when s.state <> 'failed'
                   and bool_or(case f.kind
                               when 'series' then c.date_day >= f.final_before and c.date_day >= f.request_from and c.date_day < f.request_before
                               when 'period' then f.window_end > f.final_before and f.window_end > f.request_from and f.window_end <= f.request_before
                               else f.final_before = '-infinity' end)
              then 'stale'
              else s.state end
  from   ops.slice_finality as f
  cross  join lateral (
    select i.item, d.date_day::date as date_day
    from   unnest(coalesce(b.items, array[''])) as i (item)
    cross  join generate_series(s.window_start::timestamp, s.window_end - 1, interval '1 day') as d (date_day)
    except
    select i.item, d.date_day::date
    from   (select *
            from   ops.slice as y
            where  hashtextextended(y.scope::text, 0) = hashtextextended(s.scope::text, 0) and y.window_end > s.window_start
            and    y.window_start < case when s.class = 'snapshot' then date 'infinity' else s.window_end end
            offset 0) as n -- a barrier: the index on datasets would be read from end to end for each slice
    left   join ops.batch as nb on nb.batch_id = n.batch_id
    cross  join lateral unnest(coalesce(nb.items, array[''])) as i (item)
    cross  join lateral generate_series(case when s.class = 'snapshot' then s.window_start else greatest(n.window_start, s.window_start) end::timestamp,
                                        case when s.class = 'snapshot' then s.window_end else least(n.window_end, s.window_end) end - 1, interval '1 day') as d (date_day)
    where  n.slice_id > s.slice_id and n.dataset = s.dataset and n.scope = s.scope and n.state not in ('failed', 'skipped', 'lost')) as c
  where  f.slice_id = s.slice_id) end as effective_state
from   ops.slice_log as s
left   join ops.batch as b on b.batch_id = s.batch_id;
comment on view   ops.slice_status                       is 'One row per slice: partition, window, state and cost. What did this slice cost? Which slices of an app are waiting, and for what?';
comment on column ops.slice_status.slice_id              is 'Number of the slice.';
comment on column ops.slice_status.operation             is 'Operation of the API for the slice.';
comment on column ops.slice_status.store                 is 'ios or android; null if the dataset is about the account.';
comment on column ops.slice_status.track_id              is 'Track id of the app; null if the dataset is not about an app.';
comment on column ops.slice_status.country_code          is 'Country; null if the dataset does not distinguish countries.';
comment on column ops.slice_status.device_code           is 'Device; null if the dataset does not distinguish devices.';
comment on column ops.slice_status.scope                 is 'Partition of the slice, with all its parts.';
comment on column ops.slice_status.item_count            is 'Number of requested keywords or ids; 0 if the scope identifies the partition.';
comment on column ops.slice_status.first_day             is 'First requested day.';
comment on column ops.slice_status.last_day              is 'Last requested day.';
comment on column ops.slice_status.class                 is 'Class for which credits are held for it.';
comment on column ops.slice_status.state                 is 'pending, running, deferred (waits for credits, a budget or the API), loaded, empty, skipped (unavailable) or failed.';
comment on column ops.slice_status.attempt               is 'Number of starts.';
comment on column ops.slice_status.failure_count         is 'Attempts that failed.';
comment on column ops.slice_status.planned_request_count is 'Expected number of requests.';
comment on column ops.slice_status.planned_credits       is 'Expected credits.';
comment on column ops.slice_status.request_count         is 'Requests that were sent for it.';
comment on column ops.slice_status.booked_credits        is 'Credits that were charged for it.';
comment on column ops.slice_status.rows_loaded           is 'Rows of its answer.';
comment on column ops.slice_status.rows_rejected         is 'Invalid items of its answer; they are in ops.reject.';
comment on column ops.slice_status.due_at                is 'Earliest next start; null when it may start immediately or has ended for good. For a failed slice: when it is requested again, by a worker or the first sync after this time.';
comment on column ops.slice_status.error_code            is 'Stable code of the last error.';
comment on column ops.slice_status.error_message         is 'Text of the last error, including what to do next.';
comment on column ops.slice_status.run_id                is 'Run that it belongs to.';
comment on column ops.slice_status.plan_id               is 'Plan that it belongs to; null when it belongs to none.';
comment on column ops.slice_status.created_at            is 'When it was planned.';
comment on column ops.slice_status.started_at            is 'When its last attempt started.';
comment on column ops.slice_status.ended_at              is 'When it ended.';
comment on column ops.slice_status.effective_state       is 'Its state, or superseded if newer slices have fetched or will fetch all of its cells, or stale if a cell of its answer is due again.';
select ops.comment_columns('ops.slice_status');

create view ops.failed_slice as
select f.slice_id, f.dataset, f.operation, f.scope, f.batch_id, f.window_start, f.window_end, f.run_id, f.plan_id, f.error_code, f.error_message, f.ended_at,
       f.due_at as next_try_at
from   ops.slice_log as f
left   join ops.batch as b on b.batch_id = f.batch_id
cross  join lateral (
  select array_agg(n.slice_id) as ids
  from   (select *
          from   ops.slice as s
          where  hashtextextended(s.scope::text, 0) = hashtextextended(f.scope::text, 0) and s.window_end > f.window_start
          and    s.window_start < case when f.class = 'snapshot' then date 'infinity' else f.window_end end
          offset 0) as n -- a barrier: the index on datasets would be read from end to end for each failure
  where  n.slice_id > f.slice_id and n.dataset = f.dataset and n.scope = f.scope
  and    (n.state in ('loaded', 'empty') or n.state = 'skipped' and n.error_code in ('bad_request', 'not_encodable')
          or f.class = 'snapshot' and n.state = 'failed')
) as newer
where  f.state = 'failed'
and    (newer.ids is null
        or exists (
          select i.item, d.date_day
          from   unnest(coalesce(b.items, array[''])) as i (item)
          cross  join generate_series(f.window_start::timestamp, case when f.class = 'snapshot' then f.window_start else f.window_end - 1 end,
                                      interval '1 day') as d (date_day)
          except
          select i.item, d.date_day
          from   ops.slice as n
          left   join ops.batch as nb on nb.batch_id = n.batch_id
          cross  join lateral unnest(coalesce(nb.items, array[''])) as i (item)
          cross  join lateral generate_series(case when f.class = 'snapshot' then f.window_start else greatest(n.window_start, f.window_start) end::timestamp,
                                              case when f.class = 'snapshot' then f.window_start else least(n.window_end, f.window_end) - 1 end,
                                              interval '1 day') as d (date_day)
          where  n.slice_id = any (newer.ids)));
comment on view   ops.failed_slice               is 'Failed slices with a cell (item and day) that no newer slice of the same dataset and scope has resolved. A newer slice resolves a cell when it is loaded or empty, or when the service refused its request as invalid. A newer snapshot of any day resolves the items that it has in common with a failed one; if it failed as well, it replaces them. What must be retried?';
comment on column ops.failed_slice.slice_id      is 'Number of the slice.';
comment on column ops.failed_slice.operation     is 'Operation of the API for the slice.';
comment on column ops.failed_slice.scope         is 'Partition of the slice.';
comment on column ops.failed_slice.batch_id      is 'List of the requested keywords or ids; null if the scope identifies the partition.';
comment on column ops.failed_slice.window_start  is 'First requested day.';
comment on column ops.failed_slice.window_end    is 'Day after the last requested day.';
comment on column ops.failed_slice.run_id        is 'Run that it belongs to.';
comment on column ops.failed_slice.plan_id       is 'Plan that it belongs to; null when it belongs to none.';
comment on column ops.failed_slice.error_code    is 'Stable code of the last error.';
comment on column ops.failed_slice.error_message is 'Text of the last error, including what to do next.';
comment on column ops.failed_slice.ended_at      is 'When it failed.';
comment on column ops.failed_slice.next_try_at   is 'When it is requested again: by a worker, or by the first sync after this time. Workers leave out what a person''s sync or retry started, unless someone has agreed to its dataset by name, or to everything and it is on (ops.agreement). Null if only storehouse retry requests it.';
select ops.comment_columns('ops.failed_slice');

create view ops.worker_status as
select w.worker_id, w.kind, w.account, w.host, w.pid, w.started_at, w.heartbeat_at, w.stopped_at, w.ended_as,
       w.stopped_at is null and exists (
         select from pg_catalog.pg_locks as l
         where  l.locktype = 'advisory' and l.granted and l.database = (select oid from pg_catalog.pg_database where datname = current_database())
         and    l.classid = x'53544f52'::integer::oid and l.objid = w.worker_id::oid and l.objsubid = 2) as is_running
from   ops.worker as w;
comment on view   ops.worker_status            is 'One row per process that sends requests to the API. Which workers run now, and since when?';
comment on column ops.worker_status.is_running is 'True while it holds the advisory lock on its number; a frozen process still holds it.';
select ops.comment_columns('ops.worker_status', 'ops.worker');

create view ops.run_summary as
select r.run_id, r.kind, r.account, r.as_of, r.plan_id, r.started_at,
       -- without a process, workers run its slices after its planning has ended
       case when r.worker_id is not null or r.ended_at is null then r.ended_at
            when s.open_count + s.deferred_count = 0           then greatest(r.ended_at, q.answered_at) end as ended_at,
       -- what waited is another run's by now, or loaded; what a limit or price did not pay for is cancelled, and only a plan keeps a count of it
       case when e.is_over and case when r.plan_id is null then r.max_credits is not null
                                    else exists (select from ops.plan as l where l.plan_id = r.plan_id and l.cancelled_slice_count > 0) end then 'limited'
            when p.was_killed                           then 'interrupted'
            when (r.outcome in ('planned', 'loaded') or e.is_over or r.outcome = 'deferred' and r.max_credits is null and r.plan_id is null) is not true then r.outcome
            when s.open_count > 0                       then 'unfinished'
            when s.deferred_count > 0                   then 'deferred'
            when s.failed_count > 0                     then 'failed'
            when r.planned_slices > 0 and s.slice_count = 0 and r.past_loaded_count + r.past_empty_count = 0
                 and r.past_request_count + q.request_count = 0 then 'unrequested'
            else 'loaded' end as outcome,
       r.error_code, r.error_message,
       r.planned_slices as planned_slice_count, r.planned_credits, r.naive_credits,
       r.past_loaded_count + s.loaded_count as loaded_count, r.past_empty_count + s.empty_count as empty_count, s.skipped_count, s.failed_count,
       s.open_count, s.deferred_count, r.past_rows_loaded + s.rows_loaded as rows_loaded, s.rows_rejected,
       r.past_request_count + q.request_count as request_count, r.past_credits + q.booked_credits as booked_credits
from   ops.run as r
cross  join lateral (
  select count(*)                                                as slice_count,
         count(*) filter (where state = 'loaded')                as loaded_count,
         count(*) filter (where state = 'empty')                 as empty_count,
         count(*) filter (where state = 'skipped')               as skipped_count,
         count(*) filter (where state = 'failed')                as failed_count,
         count(*) filter (where state in ('pending', 'running')) as open_count,
         count(*) filter (where state = 'deferred')              as deferred_count,
         coalesce(sum(rows_loaded), 0)                           as rows_loaded,
         coalesce(sum(rows_rejected), 0)                         as rows_rejected
  from   ops.slice where run_id = r.run_id) as s
cross  join lateral (
  -- what waits of its plan may be in another run; a plan may also be cancelled while it runs
  select (r.outcome = 'deferred' or r.outcome = 'loaded' and r.plan_id is not null and s.failed_count = 0) and s.open_count + s.deferred_count = 0
         and not exists (select from ops.slice as o where o.plan_id = r.plan_id and o.state in ('pending', 'running', 'deferred')) as is_over) as e
-- a join, since reading locks among the columns would have all runs summed up for the newest few
cross  join lateral (
  -- a run that any worker may go on with has no process, and a standby knows of none
  select r.outcome is null and r.ended_at is null and r.worker_id is not null and not pg_catalog.pg_is_in_recovery()
         and not exists (select from ops.worker_status as w where w.worker_id = r.worker_id and w.is_running) as was_killed) as p
cross  join lateral (
  -- what joined it later was paid for by others, and what left it or was cancelled was paid for here
  select count(*) as request_count, coalesce(sum(a.cost), 0) as booked_credits, max(a.received_at) as answered_at
  from   ops.request as a
  where  a.run_id = r.run_id) as q;
comment on view   ops.run_summary                     is 'One row per run (a sync, a backfill, a retry, a scheduled run): its plan and its result. What did last night cost? Which runs left failures?';
comment on column ops.run_summary.run_id              is 'Number of the run.';
comment on column ops.run_summary.kind                is 'sync, backfill, schedule, retry or import.';
comment on column ops.run_summary.as_of               is 'Day that counted as today.';
comment on column ops.run_summary.plan_id             is 'Plan that it ran; null when it ran none.';
comment on column ops.run_summary.started_at          is 'When it started.';
comment on column ops.run_summary.ended_at            is 'When it ended; null while it runs, or when its process was killed. A run without a process of its own (a scheduled run, a retry by workers) ends with its last answer, and not while slices of it wait.';
comment on column ops.run_summary.outcome             is 'Its result so far: loaded, failed, deferred (slices wait for credits, a budget or the API), unfinished (slices wait or run), limited (its credit limit did not pay for more, or slices of its plan were cancelled, and nothing of it waits), unrequested (nothing of it was requested: its slices were cancelled, or other runs have them), aborted or interrupted (stopped or killed); null while its process runs.';
comment on column ops.run_summary.error_code          is 'Stable code of the error that aborted it; null if none did.';
comment on column ops.run_summary.error_message       is 'Text of that error, including what to do next.';
comment on column ops.run_summary.planned_slice_count is 'Planned slices.';
comment on column ops.run_summary.planned_credits     is 'Planned credits.';
comment on column ops.run_summary.naive_credits       is 'Credits that the same cells would cost with one request per item and day.';
comment on column ops.run_summary.account             is 'Account that its requests are charged to; empty for that of API_TOKEN.';
comment on column ops.run_summary.loaded_count        is 'Number of its loaded slices.';
comment on column ops.run_summary.empty_count         is 'Number of its slices for which the service returned no rows.';
comment on column ops.run_summary.skipped_count       is 'Number of its unavailable slices.';
comment on column ops.run_summary.failed_count        is 'Number of its failed slices.';
comment on column ops.run_summary.open_count          is 'Number of its slices that are pending or running.';
comment on column ops.run_summary.deferred_count      is 'Number of its slices that wait for credits, a budget or the API.';
comment on column ops.run_summary.rows_loaded         is 'Rows of its answers.';
comment on column ops.run_summary.rows_rejected       is 'Number of invalid items of its answers.';
comment on column ops.run_summary.request_count       is 'Requests that were sent for it.';
comment on column ops.run_summary.booked_credits      is 'Credits charged for the requests of its slices.';

create view ops.credit_spend_daily as
select q.date_day, coalesce(a.account, '') as account, coalesce(q.dataset, '') as dataset, q.operation, q.class,
       sum(q.request_count)::bigint as request_count, sum(q.failed_request_count)::bigint as failed_request_count, sum(q.cost)::bigint as booked_credits
from   (select (received_at at time zone 'UTC')::date as date_day, account_id, dataset, operation, class, count(*) as request_count,
               count(error_code) as failed_request_count, sum(cost) as cost
        from   ops.request
        where  account_id <> 'import'
        group  by 1, 2, 3, 4, 5
        union  all
        select date_day, account_id, dataset, operation, class, sum(request_count), sum(failed_request_count), sum(cost)
        from   ops.past_spend_daily
        where  account_id <> 'import'
        group  by 1, 2, 3, 4, 5) as q
left   join ops.credit_account as a on a.account_id = q.account_id
group  by 1, 2, 3, 4, 5;
comment on view   ops.credit_spend_daily                      is 'One row per day (UTC), account, dataset, operation and class: the requests that were sent (imported answers do not count) and the credits charged for them. What did keyword ranks cost last month? On which day did we spend most?';
comment on column ops.credit_spend_daily.date_day             is 'Day (UTC) of the answer.';
comment on column ops.credit_spend_daily.dataset              is 'Dataset; empty for requests that a command sent for a person.';
comment on column ops.credit_spend_daily.class                is 'Class for which credits were held.';
comment on column ops.credit_spend_daily.request_count        is 'Requests.';
comment on column ops.credit_spend_daily.failed_request_count is 'Requests without a valid answer.';
comment on column ops.credit_spend_daily.booked_credits       is 'Credits charged.';
select ops.comment_columns('ops.credit_spend_daily');

create function ops.is_answer(state text, error_code text) returns boolean language sql immutable parallel safe
  return state in ('loaded', 'empty') or state = 'skipped' and error_code is not distinct from 'not_found';
comment on function ops.is_answer(text, text) is 'True for a slice with an answer, with or without rows, also if the service does not know its app or item (404); false for a refused request (400), which says nothing of it.';

create view ops.app_answer as
select s.dataset, s.scope ->> 'store' as store, s.scope ->> 'app' as track_id, s.scope ->> 'country' as country_code, s.scope ->> 'device' as device_code,
       coalesce(s.scope ->> 'context', s.scope ->> 'chart_version') as context, greatest(s.window_start, g.dropped_before) as window_start, s.window_end, s.state <> 'loaded' as is_empty,
       s.ended_at as answered_at
from   ops.slice as s
cross  join lateral (
  select max((m.month_start + interval '1 month')::date) as dropped_before
  from   ops.dropped_month as m
  where  m.dataset = s.dataset and m.dropped_at >= s.ended_at) as g
where  ops.is_answer(s.state, s.error_code) and s.scope ->> 'app' is not null and (g.dropped_before is null or s.window_end > g.dropped_before);
comment on view   ops.app_answer               is 'One row per answer about one app: its days, with or without rows, except those that retention has dropped since. Is a figure missing because the service has none, or because it was not requested? Since when has a dataset been requested for an app?';
comment on column ops.app_answer.country_code  is 'Country; null if the request named none, so that the answer is about all countries.';
comment on column ops.app_answer.device_code   is 'Device; null if the request named none.';
comment on column ops.app_answer.context       is 'Kind of figure, for datasets that request each kind separately: context of sales_metric, chart version of category_rank on iOS; else null.';
comment on column ops.app_answer.window_start  is 'First day of the answer that retention has not dropped.';
comment on column ops.app_answer.window_end    is 'Day after its last day.';
comment on column ops.app_answer.is_empty      is 'True if the answer has no rows, also if the service does not know the app (404).';
comment on column ops.app_answer.answered_at   is 'When it was loaded.';
select ops.comment_columns('ops.app_answer');

create view ops.unanswered_download_daily as
select s.dataset, s.scope ->> 'store' as store, s.scope ->> 'app' as track_id, s.scope ->> 'country' as country_code, s.scope ->> 'device' as device_code,
       s.scope ->> 'context' as context, d.date_day
from   ops.slice as s
join   core.dim_date as d on d.date_day >= s.window_start and d.date_day < s.window_end
where  s.dataset in ('download_revenue', 'sales_metric') and s.state in ('pending', 'running', 'deferred', 'failed')
and    not exists (
  select from ops.slice as n
  where  hashtextextended(n.scope::text, 0) = hashtextextended(s.scope::text, 0) and n.window_end > d.date_day and n.window_start <= d.date_day
  and    n.dataset = s.dataset and n.scope = s.scope and ops.is_answer(n.state, n.error_code))
group  by 1, 2, 3, 4, 5, 6, 7;
comment on view   ops.unanswered_download_daily             is 'One row per dataset, app, country, device, kind of figure and day for which downloads, estimated or reported by the store, were requested and have no answer yet. For which days do we have the downloads of some devices only?';
comment on column ops.unanswered_download_daily.dataset      is 'download_revenue: estimates; sales_metric: figures reported by the store.';
comment on column ops.unanswered_download_daily.country_code is 'Country; null if the request named none, so that it is about all countries.';
comment on column ops.unanswered_download_daily.device_code is 'Device; null if the request named none.';
comment on column ops.unanswered_download_daily.context      is 'Kind of figure of sales_metric: DOWNLOAD, REVENUE_TOTAL or PAGE_VIEW; null for estimates.';
select ops.comment_columns('ops.unanswered_download_daily');

create function ops.day_count(days datemultirange) returns bigint language sql immutable parallel safe
  return (select coalesce(sum(upper(r.span) - lower(r.span)), 0) from unnest(days) as r (span));
comment on function ops.day_count(datemultirange) is 'Number of days in closed ranges of days; 0 for none.';

create view ops.partition_days as
-- days as ranges, since slices have many
select s.dataset, s.scope ->> 'store' as store, s.scope ->> 'app' as track_id, s.scope ->> 'country' as country_code, s.scope ->> 'context' as context, s.scope,
       coalesce(range_agg(w.days * daterange(g.dropped_before, null)) filter (where w.is_answered), '{}') as answered_days,
       coalesce(range_agg(w.days) filter (where not w.is_answered), '{}') - coalesce(range_agg(w.days) filter (where w.is_answered), '{}') as unanswered_days
from   ops.slice as s
cross  join lateral (select daterange(s.window_start, s.window_end) as days, ops.is_answer(s.state, s.error_code) as is_answered) as w
-- as in ops.app_answer
cross  join lateral (
  select max((m.month_start + interval '1 month')::date) as dropped_before
  from   ops.dropped_month as m
  where  m.dataset = s.dataset and m.dropped_at >= s.ended_at) as g
where  (w.is_answered or s.state in ('pending', 'running', 'deferred', 'failed')) and s.scope ->> 'app' is not null
group  by 1, 2, 3, 4, 5, 6;
comment on view   ops.partition_days                 is 'One row per dataset and partition of an app, such as one device, kind of figure or chart version if each is requested separately: the days with an answer, and the days that wait for one. For which days does one device have an answer while another has none?';
comment on column ops.partition_days.country_code    is 'Country; null for requests that named none, so that they are about all countries.';
comment on column ops.partition_days.context         is 'Kind of figure of sales_metric: DOWNLOAD, REVENUE_TOTAL or PAGE_VIEW; null for other datasets.';
comment on column ops.partition_days.scope           is 'The partition, as in ops.slice.';
comment on column ops.partition_days.answered_days   is 'Days with an answer, except those that retention has dropped since.';
comment on column ops.partition_days.unanswered_days is 'Requested days without an answer yet.';
select ops.comment_columns('ops.partition_days');

create view ops.download_days as
select n.store, n.track_id, n.country_code,
       coalesce(range_agg(n.answered_days) filter (where n.dataset = 'download_revenue'), '{}') as estimated_days,
       coalesce(range_agg(n.unanswered_days) filter (where n.dataset = 'download_revenue'), '{}') as unestimated_days,
       coalesce(range_agg(n.answered_days) filter (where n.context = 'DOWNLOAD'), '{}') as reported_days,
       coalesce(range_agg(n.unanswered_days) filter (where n.context = 'DOWNLOAD'), '{}') as unreported_days,
       coalesce(range_agg(n.answered_days) filter (where n.context = 'REVENUE_TOTAL'), '{}') as revenue_days,
       coalesce(range_agg(n.unanswered_days) filter (where n.context = 'REVENUE_TOTAL'), '{}') as unanswered_revenue_days,
       coalesce(range_agg(n.answered_days) filter (where n.context = 'PAGE_VIEW'), '{}') as page_view_days,
       coalesce(range_agg(n.unanswered_days) filter (where n.context = 'PAGE_VIEW'), '{}') as unanswered_page_view_days
-- by partition, since a device waits for its own answer
from   ops.partition_days as n
where  n.dataset in ('download_revenue', 'sales_metric')
group  by 1, 2, 3;
comment on view   ops.download_days                  is 'One row per app and country whose downloads, revenue or page views were requested: the days with an answer, and the days on which a device has none yet. For which days do we know all downloads?';
comment on column ops.download_days.country_code     is 'Country; null for requests that named none, so that they are about all countries.';
comment on column ops.download_days.estimated_days   is 'Days for which there is an answer about estimates (download_revenue).';
comment on column ops.download_days.unestimated_days is 'Days for which the estimate of a requested device has no answer yet.';
comment on column ops.download_days.reported_days    is 'Days for which there is an answer about downloads reported by the store (sales_metric).';
comment on column ops.download_days.unreported_days  is 'Days for which the store''s downloads on a requested device have no answer yet.';
comment on column ops.download_days.revenue_days     is 'Days for which there is an answer about revenue reported by the store (sales_metric).';
comment on column ops.download_days.unanswered_revenue_days is 'Days for which the store''s revenue on a requested device has no answer yet.';
comment on column ops.download_days.page_view_days   is 'Days for which there is an answer about page views (sales_metric).';
comment on column ops.download_days.unanswered_page_view_days is 'Days for which the page views on a requested device have no answer yet.';
select ops.comment_columns('ops.download_days');

create view ops.unanswered_visibility_daily as
select s.scope ->> 'store' as store, split_part(i.item, ':', 2) as track_id, split_part(i.item, ':', 1) as country_code, d.date_day
from   ops.slice as s
join   ops.batch as b on b.batch_id = s.batch_id
cross  join lateral unnest(b.items) as i (item)
join   core.dim_date as d on d.date_day >= s.window_start and d.date_day < s.window_end
where  s.dataset = 'visibility' and s.state in ('pending', 'running', 'deferred', 'failed', 'lost')
-- a score of the history or of the day of observation, whichever came
and    not exists (select from core.dim_app as a
                   join   core.dim_country as c on c.country_code = split_part(i.item, ':', 1)
                   join   core.fact_visibility as f on f.app_key = a.app_key and f.date_day = d.date_day and f.country_key = c.country_key
                   where  a.store = s.scope ->> 'store' and a.track_id = split_part(i.item, ':', 2))
-- an app that the service does not know has an answer and no row
and    not exists (select from ops.slice as n
                   join   ops.batch as o on o.batch_id = n.batch_id
                   where  hashtextextended(n.scope::text, 0) = hashtextextended(s.scope::text, 0) and n.window_end > d.date_day and n.window_start <= d.date_day
                   and    n.dataset = s.dataset and n.scope = s.scope and n.slice_id > s.slice_id and n.state in ('loaded', 'empty', 'skipped')
                   and    i.item = any (o.items))
group  by 1, 2, 3, 4;
comment on view   ops.unanswered_visibility_daily is 'One row per app, country and day whose visibility score was requested and has no answer: not yet, or never if it can no longer be requested. Which days of visibility are incomplete? Whose scores are missing?';
select ops.comment_columns('ops.unanswered_visibility_daily');

create view ops.paid_voice_answer as
select u.share_source, u.country_code, u.period_start, u.period_end, nullif(count(distinct u.keyword), 0) as requested_keyword_count,
       case when count(u.keyword) > 0 then count(distinct u.keyword) filter (where u.is_answered) end as answered_keyword_count,
       count(distinct u.track_id) - count(distinct u.track_id) filter (where u.is_answered) as unanswered_app_count
from   (
  -- the advertisers of a keyword, or the keywords that an app pays for
  select 'market' as share_source, s.scope ->> 'country' as country_code, s.window_start as period_start, s.window_end - 1 as period_end,
         s.scope ->> 'keyword' as keyword, s.scope ->> 'app' as track_id, s.state in ('loaded', 'empty') as is_answered
  from   ops.slice as s
  where  s.dataset in ('paying_app', 'paid_keyword') and s.state <> 'skipped'
  union  all
  -- an item is a country, an id, an app and a keyword
  select 'own keywords', split_part(i.item, ' ', 1), s.window_start, s.window_end - 1, i.item, null, s.state in ('loaded', 'empty')
  from   ops.slice as s
  join   ops.batch as b on b.batch_id = s.batch_id
  cross  join lateral unnest(b.items) as i (item)
  where  s.dataset = 'search_ads_top_app' and s.state <> 'skipped') as u
group  by 1, 2, 3, 4;
comment on view   ops.paid_voice_answer                         is 'One row per source of paid shares, country and period: the keywords whose advertisers were requested keyword by keyword, and the apps whose paid keywords were requested. For which periods are paid shares complete? How many keywords are missing?';
comment on column ops.paid_voice_answer.share_source            is 'market or own keywords, as in mart.paid_share_of_voice.';
comment on column ops.paid_voice_answer.period_start            is 'First day of the period.';
comment on column ops.paid_voice_answer.period_end              is 'Last day of the period, inclusive.';
comment on column ops.paid_voice_answer.requested_keyword_count is 'Requested keywords, with or without an answer; a keyword on which the account bids several times counts as many times. Null if only the keywords that apps pay for were requested.';
comment on column ops.paid_voice_answer.answered_keyword_count  is 'Requested keywords with an answer; null as above.';
comment on column ops.paid_voice_answer.unanswered_app_count    is 'Apps whose paid keywords were requested and have no answer.';
select ops.comment_columns('ops.paid_voice_answer');

create view ops.freshness as
with answer as (
  -- a `with` in here is a barrier: planned as one with the joins below, both halves would come in the order of these, and every slice be sorted by its scope
  with many as (select dataset from ops.dataset where items_are_apps)
  select s.dataset, s.scope, s.scope ->> 'app' as track_id, s.scope ->> 'country' as country_code,
         max(s.window_start) filter (where s.state in ('loaded', 'empty')) as newest_start,
         max(s.window_end) filter (where s.state in ('loaded', 'empty')) as newest_end,
         max(s.window_end) filter (where s.state in ('pending', 'running', 'deferred')
                                         or s.state = 'failed' and s.slice_id in (select f.slice_id from ops.failed_slice as f)) as unanswered_end,
         max(s.ended_at) filter (where s.state in ('loaded', 'empty')) as last_loaded_at, max(s.as_of) as last_requested,
         count(*) filter (where s.state = 'loaded') as loaded_count,
         count(*) filter (where s.state in ('pending', 'running', 'deferred')) as open_count,
         max(s.slice_id) filter (where s.state = 'skipped') = max(s.slice_id) as is_unavailable
  from   ops.slice as s
  where  s.dataset not in (select m.dataset from many as m)
  group  by s.dataset, s.scope
  union  all
  -- calls about many apps: each app of the list stands for itself; slices of a list are summed up before it is taken apart
  select d.dataset, l.scope, split_part(i.item, ':', -1), coalesce(l.scope ->> 'country', case when i.item like '%:%' then split_part(i.item, ':', 1) end),
         max(l.newest_start), max(l.newest_end),
         greatest(max(l.open_end), case when max(l.failed_id) > coalesce(max(l.answered_id), 0) then max(l.failed_end) end),
         max(l.last_loaded_at), max(l.last_requested), sum(l.loaded_count)::bigint, sum(l.open_count)::bigint, max(l.skipped_id) = max(l.newest_id)
  from   many as d
  cross  join lateral (
    select s.scope, s.batch_id, max(s.window_start) filter (where s.state in ('loaded', 'empty')) as newest_start,
           max(s.window_end) filter (where s.state in ('loaded', 'empty')) as newest_end,
           max(s.window_end) filter (where s.state in ('pending', 'running', 'deferred')) as open_end,
           max(s.window_end) filter (where s.state = 'failed') as failed_end,
           max(s.slice_id) filter (where s.state in ('loaded', 'empty')) as answered_id,
           max(s.slice_id) filter (where s.state = 'failed') as failed_id,
           max(s.slice_id) filter (where s.state = 'skipped') as skipped_id, max(s.slice_id) as newest_id,
           max(s.ended_at) filter (where s.state in ('loaded', 'empty')) as last_loaded_at, max(s.as_of) as last_requested,
           count(*) filter (where s.state = 'loaded') as loaded_count,
           count(*) filter (where s.state in ('pending', 'running', 'deferred')) as open_count
    from   ops.slice as s
    where  s.dataset = d.dataset
    group  by s.scope, s.batch_id) as l
  left   join ops.batch as b on b.batch_id = l.batch_id
  left   join lateral unnest(b.items) as i (item) on true
  group  by d.dataset, l.scope, i.item
), due as (
  select a.*, a.scope ->> 'store' as store, n.due_end, n.due_end_before
  from   answer as a
  left   join ops.dataset_timing as o on o.dataset = a.dataset and o.scope = a.scope and not o.is_default
  left   join ops.dataset_timing as b on b.dataset = a.dataset and b.is_default
  cross  join lateral (
    select ops.due_end(case when o.dataset is null then b else o end, a.newest_start, a.newest_end, ops.today()) as due_end,
           ops.due_end(case when o.dataset is null then b else o end, a.newest_start, a.newest_end, ops.today() - 1) as due_end_before) as n
), place as (
  select d.dataset, d.store, d.track_id, d.country_code, max(d.newest_end) as newest_end, max(d.unanswered_end) as unanswered_end,
         max(d.last_loaded_at) as last_loaded_at, max(d.last_requested) as last_requested, sum(d.loaded_count) as loaded_count,
         sum(d.open_count)::bigint as open_count, bool_and(coalesce(d.is_unavailable, false)) as is_unavailable,
         -- requested without a day: the answer is about the newest one that the service has
         bool_or(d.scope ->> 'resolution' = 'last_day') as is_of_last_day,
         -- options that changed leave scopes behind: the one that was requested last counts
         (array_agg(d.due_end order by d.last_requested desc, d.newest_end desc nulls last))[1] as due_end,
         (array_agg(d.due_end_before order by d.last_requested desc, d.newest_end desc nulls last))[1] as due_end_before
  from   due as d
  group  by d.dataset, d.store, d.track_id, d.country_code
), member as (
  -- apps, and their countries, by the lists of all accounts and configurations that have had them
  select a.store, a.track_id, null as country_code, coalesce(t.valid_to, u.unread_since) as valid_to
  from   core.tracked_app as t
  join   core.dim_app     as a on a.app_key = t.app_key
  left   join ops.unread_account as u on u.account = t.account
  union  all
  select a.store, a.track_id, c.country_code, coalesce(t.valid_to, u.unread_since)
  from   core.tracked_country as t
  join   core.dim_app         as a on a.app_key = t.app_key
  join   core.dim_country     as c on c.country_key = t.country_key
  left   join ops.unread_account as u on u.account = t.account
  union  all
  select f.store, f.track_id, case f.part when 'country' then f.member end, f.valid_to
  from   core.configured_portfolio as f
  where  f.part in ('app', 'country')
), listed as materialized (
  -- left_on is null while a list has it; with the day of its app beside each country: a list joined with itself would be compared row by row
  select g.*, max(g.left_on) filter (where g.country_code is null) over (partition by g.store, g.track_id) as app_left_on
  from   (select store, track_id, country_code, case when bool_and(valid_to is not null) then max(valid_to) end as left_on
          from   member
          group  by 1, 2, 3) as g
), competitor as materialized (
  -- competitors, in the countries of the apps that have them
  select k.store, k.track_id, c.country_code, case when bool_and(n.left_on is not null) then max(n.left_on) end as left_on
  from   core.tracked_competitor as t
  join   core.dim_app as k on k.app_key = t.competitor_app_key
  join   core.dim_app as o on o.app_key = t.app_key
  join   listed       as c on c.store = o.store and c.track_id = o.track_id
  left   join ops.unread_account as u on u.account = t.account
  cross  join lateral (select coalesce(t.valid_to, u.unread_since, greatest(c.app_left_on, c.left_on)) as left_on) as n
  group  by 1, 2, 3
), land as materialized (
  -- what is about no app has a country for as long as an app has it
  select c.store, c.country_code, case when bool_and(n.left_on is not null) then max(n.left_on) end as left_on
  from   listed as c
  cross  join lateral (select greatest(c.app_left_on, c.left_on) as left_on) as n
  where  c.country_code is not null
  group  by 1, 2
)
select p.dataset, p.store, p.track_id, p.country_code,
       case when p.is_of_last_day
            then (select max(f.date_day) from core.fact_category_rank as f where f.app_key = o.app_key and f.resolution = 'last_day')
            else p.newest_end - 1 end as newest_day,
       case when p.is_of_last_day is not true then w.due_end - 1 end as due_day,
       case when p.is_of_last_day is not true then case when w.due_end > p.newest_end then w.due_end - p.newest_end when w.due_end <= p.newest_end then 0 end end as days_behind,
       case when w.due_end is null and p.open_count = 0 or p.is_unavailable then 'nothing due'
            when p.loaded_count = 0 and p.newest_end is not null and p.newest_end >= coalesce(p.unanswered_end, '-infinity')
                 and (w.due_end_before is null or p.newest_end >= w.due_end_before) then 'nothing due'
            -- one list of the day may be loaded while another one waits
            when p.unanswered_end >= w.due_end then 'late'
            when p.newest_end >= w.due_end then 'on time'
            when p.unanswered_end > coalesce(p.newest_end, '-infinity') then 'late'
            when p.newest_end >= w.due_end_before then 'on time'
            else 'stopped' end as freshness_state,
       p.last_loaded_at, p.open_count
from   place as p
left   join ops.dataset as d on d.dataset = p.dataset
left   join listed as a on a.store = p.store and a.track_id = p.track_id and a.country_code is null
left   join listed as c on c.store = p.store and c.track_id = p.track_id and c.country_code = p.country_code
left   join competitor as r on r.store = p.store and r.track_id = p.track_id and r.country_code is null
left   join competitor as e on e.store = p.store and e.track_id = p.track_id and e.country_code = p.country_code
left   join land   as n on n.store = p.store and n.country_code = p.country_code and p.track_id is null
left   join core.dim_app as o on o.store = p.store and o.track_id = p.track_id and p.is_of_last_day
-- what left on the day of its last request is requested no more
cross  join lateral (
  select greatest(a.left_on, c.left_on, n.left_on, case when a.store is null or a.left_on is not null then greatest(r.left_on, e.left_on) end) >= p.last_requested as has_left) as l
cross  join lateral (
  select (d.is_on is not false or not d.is_switched_off and exists (select from ops.next_run as r where p.dataset = any (r.datasets)))
         and l.has_left is not true and (p.country_code = any (d.countries)) is not false as is_due) as i
cross  join lateral (
  select case when i.is_due then p.due_end end as due_end, case when i.is_due then p.due_end_before end as due_end_before) as w;
comment on view   ops.freshness                 is 'One row per requested dataset, app and country: its newest loaded day, the day that is due according to the timing of the dataset, and when it was loaded. Which apps are behind? How old is the data in a report?';
comment on column ops.freshness.store           is 'ios or android; null if the dataset is about the account.';
comment on column ops.freshness.track_id        is 'Track id of the app; null if the dataset is not about an app.';
comment on column ops.freshness.country_code    is 'Country; null if the dataset does not distinguish countries.';
comment on column ops.freshness.newest_day      is 'Newest day that is loaded or empty; null when there is none. For charts that are requested for all countries at once (resolution last_day), which name no day, it is the newest day of their rows.';
comment on column ops.freshness.due_day         is 'Newest day that should be loaded by the end of today; null if nothing is due: the dataset is off or limited to other countries, it is fetched only once, the app, country or competitor is no longer in the portfolio, or nothing has been planned yet. Also null for charts of all countries at once (resolution last_day): it is not known in advance which day the service has.';
comment on column ops.freshness.days_behind     is 'Days from newest_day to due_day; 1 on each day until its run is over. Null if nothing is loaded or due_day is null.';
comment on column ops.freshness.freshness_state is 'on time: the due day is loaded, or only today''s run is missing; late: requested, but all or some of it has no answer yet; stopped: due since yesterday or longer, and not requested; nothing due: nothing is due, the service does not have it (unavailable), or all answers are empty and requests continue.';
comment on column ops.freshness.last_loaded_at  is 'When the last answer was loaded.';
comment on column ops.freshness.open_count      is 'Number of slices that are waiting or running.';
select ops.comment_columns('ops.freshness');
