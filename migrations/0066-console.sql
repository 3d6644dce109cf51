-- The console: the record of its actions, and what its pages read of the ledger beside the views for operators, as views: the reader sees
-- no table of ops.

create table ops.audit (
  audit_id     bigint      primary key generated always as identity,
  acted_at     timestamptz not null,
  user_name    text        not null,
  user_role    text        check (user_role in ('viewer', 'operator')),
  signed_in_by text        not null check (signed_in_by in ('loopback', 'password', 'proxy')),
  from_address text        not null,
  action       text        not null,
  subject      text        not null,
  credits      integer     not null,
  outcome      text        not null default 'begun' check (outcome in ('begun', 'started', 'done', 'refused', 'failed')),
  note         text        not null default '',
  ended_at     timestamptz,
  run_id       bigint
);
comment on table  ops.audit              is 'Actions of people in the console: who did what, from where, at which price. A row is written before the action begins.';
comment on column ops.audit.audit_id     is 'Number of the action.';
comment on column ops.audit.acted_at     is 'When.';
comment on column ops.audit.user_name    is 'Name that was given at sign-in, or that the reverse proxy reported; local where no sign-in was wanted, unknown where sign-in was refused.';
comment on column ops.audit.user_role    is 'viewer or operator; null where sign-in was refused.';
comment on column ops.audit.signed_in_by is 'proxy (a reverse proxy vouches for the name), password (of all who know it any may give any name), loopback (this machine, without sign-in).';
comment on column ops.audit.from_address is 'Network address that the request came from.';
comment on column ops.audit.action       is 'Name of the action, such as sign-in or retry.';
comment on column ops.audit.subject      is 'Fields of its form, of a change of keywords what was removed and added; empty for sign-in and sign-out, and where the form was refused.';
comment on column ops.audit.credits      is 'Most credits that were agreed to; of a change of the configuration what the next sync was expected to spend more for it; 0 for what spends nothing.';
comment on column ops.audit.outcome      is 'begun (it has not ended, or its process was killed), started (the run that it started has not ended; where its process was killed the next console to start settles it), done, refused or failed.';
comment on column ops.audit.note         is 'Text that the person saw afterwards; of an action that started a run, what became of the run once it has ended.';
comment on column ops.audit.ended_at     is 'When it ended; null while it has not.';
comment on column ops.audit.run_id       is 'Run that it started, once that has begun; null where it started none.';

create view ops.audit_log as
select audit_id, acted_at, user_name, user_role, signed_in_by, from_address, action, subject, credits, outcome, note, ended_at, run_id from ops.audit;
comment on view ops.audit_log is 'One row per action of a person in the console. Who started this retry? What was agreed to last week, and at which price?';
select ops.comment_columns('ops.audit_log', 'ops.audit');

create view ops.run_log as
select run_id, kind, account, worker_id, plan_id, as_of, datasets, days, max_credits, planned_slices, planned_credits, started_at, ended_at, outcome, past_loaded_count,
       past_empty_count
from   ops.run;
comment on view ops.run_log is 'One row per run as its process left it, without the sums of ops.run_summary, which read its slices. Which runs have not ended?';
select ops.comment_columns('ops.run_log', 'ops.run');

create view ops.request_log as
select request_id, account_id, slice_id, run_id, attempt, page, dataset, class, operation, store, track_id, country_code, status, error_code, cost, remaining, duration_ms, byte_count, worker_id, received_at, caller,
       (received_at at time zone 'UTC')::date as received_day
from   ops.request;
comment on view   ops.request_log             is 'One row per request that was sent: its slice, its outcome and its cost. Which requests failed yesterday?';
comment on column ops.request_log.attempt     is 'Attempt of the slice.';
comment on column ops.request_log.page        is 'Page within the attempt, from 0.';
comment on column ops.request_log.status      is 'Status of the HTTP answer; null where there was none.';
comment on column ops.request_log.error_code  is 'Stable code of what was wrong with the answer; null for a valid one.';
comment on column ops.request_log.cost        is 'Credits charged.';
comment on column ops.request_log.remaining   is 'Credits left, as the answer says; null where it does not.';
comment on column ops.request_log.duration_ms is 'How long it took, in ms.';
comment on column ops.request_log.byte_count  is 'Bytes of the answer.';
comment on column ops.request_log.received_day is 'Day (UTC) on which the last byte was received.';
comment on column ops.request_log.worker_id   is 'Process that sent it; null when it is not in ops.worker.';
select ops.comment_columns('ops.request_log', 'ops.request');

create view ops.reject_log as
select reject_id, slice_id, dataset, reason, item, fetched_at from ops.reject;
comment on view ops.reject_log is 'One row per invalid item of an answer, with its reason. What did not fit, and why?';
select ops.comment_columns('ops.reject_log', 'ops.reject');

create view ops.slice_item as
select s.slice_id, s.dataset, b.items from ops.slice as s join ops.batch as b on b.batch_id = s.batch_id;
comment on view   ops.slice_item       is 'One row per slice that requests keywords or ids by name: which ones.';
comment on column ops.slice_item.items is 'The keywords or ids, sorted.';
comment on column ops.slice_item.slice_id is 'Number of the slice.';
select ops.comment_columns('ops.slice_item');

create view ops.unfinished_sync as
with run as materialized (
  select r.run_id, r.account, r.datasets, r.days, r.kind, r.ended_at,
         case when r.kind <> 'sync'                                     then null
              when r.outcome in ('interrupted', 'aborted')              then r.outcome
              when r.outcome = 'deferred' and r.max_credits is not null then 'limited'
              -- its process was killed
              when r.outcome is null and not exists (
                     select from ops.worker_status as w where w.worker_id = r.worker_id and w.is_running) then 'interrupted' end as ended_as
  from   ops.run as r
  where  r.kind in ('sync', 'schedule')
), planned as materialized (
  -- a sync plans until its end, when nothing is left to plan
  select account, dataset, days, max(run_id) as run_id, max(ended_at) filter (where kind = 'sync') as ended_at
  from   run, unnest(datasets) as dataset where ended_as is null group by account, dataset, days
)
select r.run_id, r.account, r.ended_as
from   run as r
where  r.ended_as is not null
and    exists (select from unnest(r.datasets) as d (dataset)
               where  not exists (select from planned as p where p.account = r.account and p.dataset = d.dataset
                                  and (p.run_id > r.run_id or p.ended_at > r.ended_at) and (p.days is null or p.days @> r.days))
               -- as the last planning has noted
               and    not exists (select from ops.dataset as o where o.dataset = d.dataset and not o.is_on));
comment on view   ops.unfinished_sync          is 'One row per sync that ended before all was requested that it planned, unless runs of its account that began or, as syncs, ended later have planned each of its datasets that is on, not for fewer days. What it had not begun was cancelled, so that no slice says that it is missing. Which syncs have to be run again?';
comment on column ops.unfinished_sync.ended_as is 'interrupted (stopped or killed), aborted (by an error that concerns everything), or limited (by its credit limit).';
select ops.comment_columns('ops.unfinished_sync', 'ops.run');

create view ops.credit_balance as
select account_id, account, total, remaining, resets_at, period_hours, held, in_flight, overlapped, pace_per_second, observed_at from ops.credit_account;
comment on view ops.credit_balance is 'One row per account: its allowance as the service last reported it, and what is held for calls in flight. What is left, and until when?';
select ops.comment_columns('ops.credit_balance', 'ops.credit_account');

create view ops.credit_budget_use as
select account_id, budget, period, starts_on, ends_on, credits, datasets, apps, taken_credits, refused_at from ops.credit_budget;
comment on view ops.credit_budget_use is 'One row per budget and day or month: its limit and what is taken of it. Which budget is used up? How much of a budget was used last month?';
select ops.comment_columns('ops.credit_budget_use', 'ops.credit_budget');

create view ops.credit_forecast_day as
select account_id, made_on, date_day, starts_at, planned_credits, waiting_credits, budget_credits, made_at from ops.credit_forecast;
comment on view ops.credit_forecast_day is 'One row per day to come and day on which it was foreseen. What is the rest of the period expected to cost? What was expected of last night the day before?';
select ops.comment_columns('ops.credit_forecast_day', 'ops.credit_forecast');

create view ops.credit_price as
select operation, documented, learned, last_seen_at, last_charged from ops.credit_cost;
comment on view ops.credit_price is 'One row per operation that was called: its documented price and the one that the service charges. Which prices differ?';
select ops.comment_columns('ops.credit_price', 'ops.credit_cost');

create view ops.next_run_price as
select account, line_id, datasets, runs_at, slices, requests, credits, over_budget_slices, over_budget_credits, priced_at from ops.next_run;
comment on view ops.next_run_price is 'One row per account and line of the crontab that plans: its next run and what that is expected to cost. What will tonight cost?';
select ops.comment_columns('ops.next_run_price', 'ops.next_run');

create view ops.portfolio_list as
select dataset from ops.dataset where stage = 'portfolio';
comment on view ops.portfolio_list is 'One row per dataset that lists what the account tracks, from which all else is planned. Which datasets say nothing of the market?';
select ops.comment_columns('ops.portfolio_list', 'ops.dataset');

create view ops.list_timing as
select dataset, scope, pack_days from ops.dataset_timing where not is_default;
comment on view ops.list_timing is 'One row per partition with a timing of its own, such as figures of an app that is not connected. How many days wait until they are requested together?';
select ops.comment_columns('ops.list_timing', 'ops.dataset_timing');

create view ops.past_coverage as
select dataset, scope, scope_hash, until_day, final_days, batch_id, operation, fingerprint, slice_ids, starts, ends, planned, kinds, final_window, final_as_of
from   ops.slice_past;
comment on view ops.past_coverage is 'One row per partition, list, operation and fingerprint: what slices say of days past, as plans read it. Up to which day does a plan not read slices?';
select ops.comment_columns('ops.past_coverage', 'ops.slice_past');

create view ops.slice_batch as
select batch_id, items from ops.batch;
comment on view ops.slice_batch is 'One row per list of keywords or ids that slices request by name; ops.slice_log names it. Which keywords does a list have?';
select ops.comment_columns('ops.slice_batch', 'ops.batch');

create view ops.retention_log as
select dataset, table_name, month_start, action, rows_gone, bytes_gone, dropped_by, dropped_at, is_done from ops.dropped_month;
comment on view ops.retention_log is 'One row per dataset, table and month that retention dropped or detached. Which months are gone, and since when?';
select ops.comment_columns('ops.retention_log', 'ops.dropped_month');

create view ops.report_shape as
select org_id, report_level, period_start, period_end, shape, slice_id, fetched_at from ops.search_ads_report_shape;
comment on view ops.report_shape is 'One row per answer of a DAILY report of search ads: what its rows are like, by which plans choose the cheaper way to days that works. Do reports by day name their day?';
select ops.comment_columns('ops.report_shape', 'ops.search_ads_report_shape');

create view ops.report_week as
select org_id, report_level, currency, attribution, goal_id, period_start, digest, last_seen_on from ops.search_ads_report_week;
comment on view ops.report_week is 'One row per week of search-ads reports and digest of its figures, by which plans request only the days of weeks that changed. Which weeks did the service restate?';
select ops.comment_columns('ops.report_week', 'ops.search_ads_report_week');
