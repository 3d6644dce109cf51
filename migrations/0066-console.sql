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
comment on table  ops.audit              is 'Actions of people in the console: who did what, from where, and at which price. A row is written before the action begins.';
comment on column ops.audit.audit_id     is 'Number of the action.';
comment on column ops.audit.acted_at     is 'When the person acted.';
comment on column ops.audit.user_name    is 'Name given at sign-in or reported by the reverse proxy; local if no sign-in was required, unknown if sign-in was refused.';
comment on column ops.audit.user_role    is 'viewer or operator; null if sign-in was refused.';
comment on column ops.audit.signed_in_by is 'proxy (a reverse proxy vouches for the name), password (anyone who knows it can give any name), loopback (this machine, without sign-in).';
comment on column ops.audit.from_address is 'Network address that the request came from.';
comment on column ops.audit.action       is 'Name of the action, such as sign-in or retry.';
comment on column ops.audit.subject      is 'Fields of its form; for a change of keywords, the removed and added keywords; empty for sign-in and sign-out, and if the form was refused.';
comment on column ops.audit.credits      is 'Maximum number of credits that the person agreed to; for a change of the configuration, the additional credits that the next sync was expected to spend; 0 for actions that spend nothing.';
comment on column ops.audit.outcome      is 'begun (it has not ended, or its process was killed), started (the run that it started has not ended; if its process was killed, the next console to start settles it), done, refused or failed.';
comment on column ops.audit.note         is 'Text that the person saw afterwards; for an action that started a run, the result of the run once it has ended.';
comment on column ops.audit.ended_at     is 'When it ended; null until then.';
comment on column ops.audit.run_id       is 'Run that it started, once the run has begun; null if it started none.';

create view ops.audit_log as
select audit_id, acted_at, user_name, user_role, signed_in_by, from_address, action, subject, credits, outcome, note, ended_at, run_id from ops.audit;
comment on view ops.audit_log is 'One row per action of a person in the console. Who started this retry? What did someone agree to last week, and at which price?';
select ops.comment_columns('ops.audit_log', 'ops.audit');

create view ops.run_log as
select run_id, kind, account, worker_id, plan_id, as_of, datasets, days, max_credits, planned_slices, planned_credits, started_at, ended_at, outcome, error_code, error_message, past_loaded_count,
       past_empty_count
from   ops.run;
comment on view ops.run_log is 'One row per run in the state in which its process left it, without the sums of ops.run_summary, which read its slices. Which runs have not ended?';
select ops.comment_columns('ops.run_log', 'ops.run');

create view ops.request_log as
select request_id, account_id, slice_id, run_id, attempt, page, dataset, class, operation, store, track_id, country_code, status, error_code, cost, remaining, duration_ms, byte_count, worker_id, received_at, caller,
       (received_at at time zone 'UTC')::date as received_day
from   ops.request;
comment on view   ops.request_log             is 'One row per request that was sent: its slice, its outcome and its cost. Which requests failed yesterday?';
comment on column ops.request_log.attempt     is 'Attempt of the slice.';
comment on column ops.request_log.page        is 'Page within the attempt, from 0.';
comment on column ops.request_log.status      is 'Status of the HTTP answer; null if there was none.';
comment on column ops.request_log.error_code  is 'Stable code of the error in the answer; null for a valid answer.';
comment on column ops.request_log.cost        is 'Credits charged.';
comment on column ops.request_log.remaining   is 'Credits left, according to the answer; null if it does not report them.';
comment on column ops.request_log.duration_ms is 'Duration in milliseconds.';
comment on column ops.request_log.byte_count  is 'Size of the answer in bytes.';
comment on column ops.request_log.received_day is 'Day (UTC) on which the last byte was received.';
comment on column ops.request_log.worker_id   is 'Process that sent it; null when it is not in ops.worker.';
select ops.comment_columns('ops.request_log', 'ops.request');

create view ops.reject_log as
select reject_id, slice_id, dataset, reason, item, fetched_at from ops.reject;
comment on view ops.reject_log is 'One row per invalid item of an answer, with its reason. Which items are invalid, and why?';
select ops.comment_columns('ops.reject_log', 'ops.reject');

create view ops.slice_item as
select s.slice_id, s.dataset, b.items from ops.slice as s join ops.batch as b on b.batch_id = s.batch_id;
comment on view   ops.slice_item       is 'One row per slice that requests keywords or ids by name, with the list of them.';
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
comment on view   ops.unfinished_sync          is 'One row per sync that ended before it had requested everything that it planned. It has no row once runs of its account that began later, or syncs that ended later, have planned each of its datasets that is on, for at least the same days. Slices that had not begun were cancelled, so no slice shows what is missing. Which syncs have to be run again?';
comment on column ops.unfinished_sync.ended_as is 'interrupted (stopped or killed), aborted (by an error that concerns everything), or limited (by its credit limit or the agreed price).';
select ops.comment_columns('ops.unfinished_sync', 'ops.run');

create view ops.credit_balance as
select account_id, account, total, remaining, resets_at, period_hours, held, in_flight, overlapped, pace_per_second, observed_at from ops.credit_account;
comment on view ops.credit_balance is 'One row per account: its allowance as the service last reported it, and the credits held for calls in flight. What is left, and until when?';
select ops.comment_columns('ops.credit_balance', 'ops.credit_account');

create view ops.api_trouble as
select c.account_id, c.account, r.refused_since, o.code as outage_code, o.since_at as outage_since, o.seen_at as outage_seen_at
from   ops.credit_account as c
left   join lateral (
  select least(s.first_stopped_at, min(a.stopped_at)) as refused_since
  from   ops.account_stop as s
  -- a worker whose token is refused meets that with another request first
  join   ops.account_stop as a on a.account_id = s.account_id and a.lifted_at is null
  where  s.account_id = c.account_id and s.lifted_at is null and s.operation = 'account.remaining-credits'
  group  by s.first_stopped_at) as r on true
-- a process that was killed while it waited has not ended its outage
left   join ops.api_outage as o on o.account_id = c.account_id and o.ended_at is null
       and not exists (select from ops.request as q where q.account_id = c.account_id and q.received_at > o.seen_at and q.error_code is null)
where  r.refused_since is not null or o.seen_at is not null;
comment on view   ops.api_trouble                is 'One row per account whose balance check the API refuses, or to which it did not respond when it was last tried. Can anything be requested?';
comment on column ops.api_trouble.refused_since  is 'Since when the API has refused all requests of the account; null if it does not.';
comment on column ops.api_trouble.outage_code    is 'Error code of the calls that had no response; null if the last one had.';
comment on column ops.api_trouble.outage_since   is 'When a process first found that the API did not respond; null if it responds.';
comment on column ops.api_trouble.outage_seen_at is 'When a process last found that; null if the API responds.';
select ops.comment_columns('ops.api_trouble', 'ops.credit_account');

create view ops.credit_budget_use as
select budget_id, account_id, budget, period, starts_on, ends_on, credits, datasets, apps, taken_credits, refused_at from ops.credit_budget;
comment on view ops.credit_budget_use is 'One row per budget and day or month, and per limit that it had in that time: the limit and the credits taken from it. Which budget is used up? How much of a budget was used last month?';
select ops.comment_columns('ops.credit_budget_use', 'ops.credit_budget');

create view ops.credit_forecast_day as
select account_id, made_on, date_day, starts_at, planned_credits, waiting_credits, budget_credits, made_at from ops.credit_forecast;
comment on view ops.credit_forecast_day is 'One row per future day and day on which its forecast was made. What is the rest of the period expected to cost? What was last night expected to cost the day before?';
select ops.comment_columns('ops.credit_forecast_day', 'ops.credit_forecast');

create view ops.credit_price as
select operation, documented,
       -- no call would ever show that a price that plans avoid has ended
       case when is_avoidable and last_seen_at < now() - interval '7 days' then documented else learned end as learned,
       last_seen_at, last_charged
from   ops.credit_cost;
comment on view ops.credit_price is 'One row per operation that was called: its documented price and the price that the service charges. Which prices differ?';
comment on column ops.credit_price.learned is 'Credits per call, as reported by two answers in a row or by one answer that the balance confirms. Until then it is the documented price, and again if plans can avoid the operation and no call was charged for 7 days. Plans use it.';
select ops.comment_columns('ops.credit_price', 'ops.credit_cost');

create view ops.next_run_price as
select account, line_id, datasets, runs_at, slices, requests, credits, over_budget_slices, over_budget_credits, priced_at from ops.next_run;
comment on view ops.next_run_price is 'One row per account and crontab line that plans: its next run and what it is expected to cost. What will tonight cost?';
select ops.comment_columns('ops.next_run_price', 'ops.next_run');

create view ops.portfolio_list as
select dataset from ops.dataset where stage = 'portfolio';
comment on view ops.portfolio_list is 'One row per dataset that lists what the account tracks, from which everything else is planned. Which datasets say nothing about the market?';
select ops.comment_columns('ops.portfolio_list', 'ops.dataset');

create view ops.held_list as
select h.slice_id, h.dataset, h.scope, h.date_day, h.held_at, h.current_count, cardinality(h.closing) as closing_count
from   ops.held_answer as h
where  h.outcome is null
-- the lists of an app that has left the account are no longer requested
and    not exists (
  select from core.tracked_app as t
  join   core.dim_app as a on a.app_key = t.app_key
  where  a.store = h.scope ->> 'store' and a.track_id = h.scope ->> 'app' and t.account = coalesce(h.scope ->> 'account', '')
  group  by t.app_key having bool_and(t.is_current is false));
comment on view   ops.held_list               is 'One row per answer about the portfolio that is held now. Which lists of the account are not applied until someone confirms them?';
comment on column ops.held_list.closing_count is 'How many members the answer would remove.';
select ops.comment_columns('ops.held_list', 'ops.held_answer');

create view ops.list_timing as
select dataset, scope, pack_days from ops.dataset_timing where not is_default;
comment on view ops.list_timing is 'One row per partition with its own timing, such as figures of an app that is not connected. How many days are collected until they are requested together?';
select ops.comment_columns('ops.list_timing', 'ops.dataset_timing');

create view ops.past_coverage as
select dataset, scope, scope_hash, until_day, final_days, batch_id, operation, fingerprint, slice_ids, starts, ends, planned, kinds, final_window, final_as_of
from   ops.slice_past;
comment on view ops.past_coverage is 'One row per partition, list, operation and fingerprint: what slices say about past days, in the form that plans read. Up to which day do plans read this instead of slices?';
select ops.comment_columns('ops.past_coverage', 'ops.slice_past');

create view ops.slice_batch as
select batch_id, items from ops.batch;
comment on view ops.slice_batch is 'One row per list of keywords or ids that slices request by name; ops.slice_log names it. Which keywords does a list have?';
select ops.comment_columns('ops.slice_batch', 'ops.batch');

create view ops.retention_log as
select dataset, table_name, month_start, action, rows_gone, bytes_gone, dropped_by, dropped_at, is_done from ops.dropped_month;
comment on view ops.retention_log is 'One row per dataset, table and month that retention dropped or detached. Which months are gone, and since when?';
select ops.comment_columns('ops.retention_log', 'ops.dropped_month');

create view ops.listed_app as
select t.account, a.store, a.track_id
from   core.tracked_app as t
join   core.dim_app     as a on a.app_key = t.app_key
where  t.valid_to is null
and    not exists (select from ops.unread_account as u where u.account = t.account and u.unread_since is not null)
union
select account, store, track_id from core.configured_portfolio where part = 'app' and valid_to is null;
comment on view ops.listed_app is 'One row per account and app of its portfolio, as of the last planning. Which apps do plans request?';
select ops.comment_columns('ops.listed_app');

create view ops.loaded_figure as
select distinct scope ->> 'store' as store, scope ->> 'app' as track_id, coalesce(scope ->> 'account', '') as account, window_end
from   ops.slice
where  dataset in ('sales_metric', 'retention') and state = 'loaded';
comment on view   ops.loaded_figure            is 'One row per app and last day of loaded slices of sales_metric or retention, so that plans request figures each night for apps that have some. Of which apps does the account get figures?';
comment on column ops.loaded_figure.window_end is 'Day after the last one of the slice.';
select ops.comment_columns('ops.loaded_figure');

create view ops.report_shape as
select org_id, report_level, period_start, period_end, shape, slice_id, fetched_at from ops.search_ads_report_shape;
comment on view ops.report_shape is 'One row per answer of a DAILY report of search ads: the shape of its rows, from which plans choose the cheapest working way to fetch days. Do reports by day name their day?';
select ops.comment_columns('ops.report_shape', 'ops.search_ads_report_shape');

create view ops.report_week as
select org_id, report_level, currency, attribution, goal_id, period_start, digest, last_seen_on from ops.search_ads_report_week;
comment on view ops.report_week is 'One row per week of search-ads reports and digest of its figures, so that plans request only the days of weeks that changed. Which weeks did the service restate?';
select ops.comment_columns('ops.report_week', 'ops.search_ads_report_week');
