-- What an operator asks of the ledger, as views.

create view ops.slice_status as
select s.slice_id, s.dataset, s.operation, s.scope ->> 'store' as store, s.scope ->> 'app' as track_id, s.scope ->> 'country' as country_code,
       s.scope ->> 'device' as device_code, s.scope, coalesce(cardinality(b.items), 0) as item_count, s.window_start as first_day,
       s.window_end - 1 as last_day, s.class, s.state, s.attempt, s.failures as failure_count, s.planned_requests as planned_request_count,
       s.planned_credits, q.request_count, q.booked_credits, s.rows_loaded, s.rows_rejected, s.due_at, s.error_code, s.error_message,
       s.run_id, s.plan_id, s.created_at, s.started_at, s.ended_at
from   ops.slice as s
left   join ops.batch as b on b.batch_id = s.batch_id
cross  join lateral (select count(*) as request_count, coalesce(sum(r.cost), 0) as booked_credits from ops.request as r where r.slice_id = s.slice_id) as q;
comment on view   ops.slice_status                       is 'One row a slice: who and when it is about, how it stands, what it cost. What did this slice cost? Which slices of an app wait for credits?';
comment on column ops.slice_status.slice_id              is 'Number of the slice.';
comment on column ops.slice_status.dataset               is 'Dataset.';
comment on column ops.slice_status.operation             is 'Operation of the API that answers it.';
comment on column ops.slice_status.store                 is 'ios or android; null where the dataset is about the account.';
comment on column ops.slice_status.track_id              is 'Track id of the app; null where the dataset is not about an app.';
comment on column ops.slice_status.country_code          is 'Country; null where the dataset tells none apart.';
comment on column ops.slice_status.device_code           is 'Device; null where the dataset tells none apart.';
comment on column ops.slice_status.scope                 is 'Who it is about, with every part.';
comment on column ops.slice_status.item_count            is 'Keywords or ids asked for; 0 where the scope says it all.';
comment on column ops.slice_status.first_day             is 'First day asked for.';
comment on column ops.slice_status.last_day              is 'Last day asked for.';
comment on column ops.slice_status.class                 is 'Class in which credits are held for it.';
comment on column ops.slice_status.state                 is 'pending, running, deferred (waits for credits), loaded, empty, skipped (cannot be had) or failed.';
comment on column ops.slice_status.attempt               is 'How often it was begun.';
comment on column ops.slice_status.failure_count         is 'Attempts that failed.';
comment on column ops.slice_status.planned_request_count is 'Requests it was planned to take.';
comment on column ops.slice_status.planned_credits       is 'Credits it was planned to cost.';
comment on column ops.slice_status.request_count         is 'Requests that were made for it.';
comment on column ops.slice_status.booked_credits        is 'Credits that were booked for it.';
comment on column ops.slice_status.rows_loaded           is 'Rows of its answer.';
comment on column ops.slice_status.rows_rejected         is 'Items of its answer that did not fit; they are in ops.reject.';
comment on column ops.slice_status.due_at                is 'When it is tried again; null when it waits for nothing.';
comment on column ops.slice_status.error_code            is 'Stable code of the last error.';
comment on column ops.slice_status.error_message         is 'The last error in words, with what to do next.';
comment on column ops.slice_status.run_id                is 'The run it belongs to.';
comment on column ops.slice_status.plan_id               is 'The plan it belongs to; null when it belongs to none.';
comment on column ops.slice_status.created_at            is 'When it was planned.';
comment on column ops.slice_status.started_at            is 'When its last attempt began.';
comment on column ops.slice_status.ended_at              is 'When it ended.';

create view ops.credit_spend_daily as
select (received_at at time zone 'UTC')::date as date_day, coalesce(dataset, '') as dataset, operation, class,
       count(*) as request_count, count(*) filter (where error_code is not null) as failed_request_count, sum(cost) as booked_credits
from   ops.request
group  by 1, 2, 3, 4;
comment on view   ops.credit_spend_daily                      is 'One row a day (UTC), dataset, operation and class: requests and the credits booked for them. What did keyword ranks cost last month? On which day was most spent?';
comment on column ops.credit_spend_daily.date_day             is 'Day of the answer, UTC.';
comment on column ops.credit_spend_daily.dataset              is 'Dataset; empty for what a command asked by itself.';
comment on column ops.credit_spend_daily.operation            is 'Operation of the API.';
comment on column ops.credit_spend_daily.class                is 'Class in which credits were held.';
comment on column ops.credit_spend_daily.request_count        is 'Requests.';
comment on column ops.credit_spend_daily.failed_request_count is 'Requests that brought no answer to read.';
comment on column ops.credit_spend_daily.booked_credits       is 'Credits booked.';

create view ops.run_summary as
select r.run_id, r.kind, r.as_of, r.plan_id, r.started_at, r.ended_at, r.outcome, r.planned_slices as planned_slice_count, r.planned_credits, r.naive_credits,
       s.loaded_count, s.empty_count, s.skipped_count, s.failed_count, s.open_count, s.deferred_count, s.rows_loaded, s.rows_rejected, q.request_count, q.booked_credits
from   ops.run as r
cross  join lateral (
  select count(*) filter (where state = 'loaded')                as loaded_count,
         count(*) filter (where state = 'empty')                 as empty_count,
         count(*) filter (where state = 'skipped')               as skipped_count,
         count(*) filter (where state = 'failed')                as failed_count,
         count(*) filter (where state in ('pending', 'running')) as open_count,
         count(*) filter (where state = 'deferred')              as deferred_count,
         coalesce(sum(rows_loaded), 0)                           as rows_loaded,
         coalesce(sum(rows_rejected), 0)                         as rows_rejected
  from   ops.slice where run_id = r.run_id) as s
cross  join lateral (
  select count(*) as request_count, coalesce(sum(p.cost), 0) as booked_credits
  from   (-- a run in the foreground has a process of its own: what joined it later was paid for by others, and what left it was paid for here
          select a.cost
          from   ops.request as a
          where  a.worker_id = r.worker_id and a.received_at >= r.started_at and a.slice_id is not null
          union  all
          select a.cost
          from   ops.slice as o join ops.request as a on a.slice_id = o.slice_id
          where  r.worker_id is null and o.run_id = r.run_id) as p) as q;
comment on view   ops.run_summary                     is 'One row a run (a sync, a backfill, a retry, a tick of the schedule): what was planned and what became of it. What did last night cost? Which runs left failures?';
comment on column ops.run_summary.run_id              is 'Number of the run.';
comment on column ops.run_summary.kind                is 'What began it.';
comment on column ops.run_summary.as_of               is 'The day that counted as today.';
comment on column ops.run_summary.plan_id             is 'The plan that it ran; null when it ran none.';
comment on column ops.run_summary.started_at          is 'When it began.';
comment on column ops.run_summary.ended_at            is 'When it ended; null while it goes on or when it was killed.';
comment on column ops.run_summary.outcome             is 'How it ended.';
comment on column ops.run_summary.planned_slice_count is 'Slices that it planned.';
comment on column ops.run_summary.planned_credits     is 'Credits that it planned.';
comment on column ops.run_summary.naive_credits       is 'Credits that asking for one thing at a time would have cost.';
comment on column ops.run_summary.loaded_count        is 'Its slices that are loaded.';
comment on column ops.run_summary.empty_count         is 'Its slices of which the service had nothing.';
comment on column ops.run_summary.skipped_count       is 'Its slices that cannot be had.';
comment on column ops.run_summary.failed_count        is 'Its slices that failed.';
comment on column ops.run_summary.open_count          is 'Its slices that are pending or running.';
comment on column ops.run_summary.deferred_count      is 'Its slices that wait for credits.';
comment on column ops.run_summary.rows_loaded         is 'Rows of its answers.';
comment on column ops.run_summary.rows_rejected       is 'Items of its answers that did not fit.';
comment on column ops.run_summary.request_count       is 'Requests that its own process made; of a tick of the schedule, those for its slices.';
comment on column ops.run_summary.booked_credits      is 'Credits booked for them.';

create view ops.freshness as
select dataset, scope ->> 'store' as store, scope ->> 'app' as track_id, scope ->> 'country' as country_code,
       max(window_end - 1) filter (where state in ('loaded', 'empty')) as newest_day,
       max(ended_at) filter (where state in ('loaded', 'empty'))       as last_loaded_at,
       count(*) filter (where state in ('pending', 'running', 'deferred')) as open_count
from   ops.slice
group  by 1, 2, 3, 4;
comment on view   ops.freshness                is 'One row a dataset, app and country that was asked for: the newest day that is there and when it came. Which apps are behind? How old is what a report shows?';
comment on column ops.freshness.dataset        is 'Dataset.';
comment on column ops.freshness.store          is 'ios or android; null where the dataset is about the account.';
comment on column ops.freshness.track_id       is 'Track id of the app; null where the dataset is not about an app.';
comment on column ops.freshness.country_code   is 'Country; null where the dataset tells none apart.';
comment on column ops.freshness.newest_day     is 'Newest day that was answered; null when none was.';
comment on column ops.freshness.last_loaded_at is 'When the last answer was loaded.';
comment on column ops.freshness.open_count     is 'Slices that wait or run.';
