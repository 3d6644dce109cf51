-- The ledger: who works, what was planned, what came of it.

create table ops.account (
  account       text        primary key,
  queue_id      bigint      not null unique generated always as identity (start with -1 increment by -1)
);
comment on table  ops.account               is 'API accounts that use this warehouse in addition to the account of API_TOKEN, which has no row.';
comment on column ops.account.account       is 'Name of the account, as accounts in the configuration has it.';
comment on column ops.account.queue_id      is 'Queue that its workers share, below zero; the workers of API_TOKEN share queue 0.';
select ops.comment_columns('ops.account');

create table ops.worker (
  worker_id    bigint      primary key generated always as identity,
  kind         text        not null,
  host         text        not null,
  pid          integer     not null,
  session_name text        not null default '',
  started_at   timestamptz not null,
  heartbeat_at timestamptz not null,
  stopped_at   timestamptz,
  ended_as     text,
  job_pool     text,
  schedule_digest text,
  account      text        not null default ''
);
comment on table  ops.worker              is 'Processes that send requests to the API. A running process holds an advisory lock on its id and updates its heartbeat every few seconds.';
comment on column ops.worker.worker_id    is 'Number of the process.';
comment on column ops.worker.kind         is 'foreground (sync, backfill and retry: runs its own slices), worker (runs the shared queue), command (sends the requests of one command) or gateway (sends those of its callers).';
comment on column ops.worker.host         is 'Machine.';
comment on column ops.worker.pid          is 'Process id on that machine.';
comment on column ops.worker.session_name is 'Name of its sessions in pg_stat_activity. When its lease has expired, another process ends those sessions.';
comment on column ops.worker.started_at   is 'When it registered, by the clock of the database.';
comment on column ops.worker.heartbeat_at is 'Time of its last heartbeat, by the clock of the database.';
comment on column ops.worker.stopped_at   is 'When it stopped, or when its lease expired. Its slices, credits and jobs are then released, and a process that still runs has to register again.';
comment on column ops.worker.ended_as     is 'How it ended: stopped, died, or the code of the error that ended it. waiting means that its process waits until the API accepts the account again, or was killed while it waited: its last heartbeat is then old. Null while it runs.';
comment on column ops.worker.account      is 'Account that it works with; empty for that of API_TOKEN.';
comment on column ops.worker.job_pool     is 'Name under which it locks jobs of the queue; null for a process that runs none.';
comment on column ops.worker.schedule_digest is 'Digest of the crontab and of the settings that decide what it plans; null for a process without a schedule.';

create table ops.plan (
  plan_id          bigint      primary key generated always as identity,
  made_at          timestamptz not null,
  as_of            date        not null,
  request          jsonb       not null,
  basis            jsonb       not null,
  newest_first     boolean     not null,
  digest           text        not null,
  slices           integer     not null,
  requests         bigint      not null,
  credits          bigint      not null,
  naive_credits    bigint,
  left_out_slices  integer     not null,
  left_out_credits bigint      not null,
  queued_at        timestamptz,
  past_credits     bigint      not null default 0,
  past_slice_count integer     not null default 0,
  cancelled_slice_count integer not null default 0,
  taken_credits    bigint      not null default 0,
  account          text        not null default ''
);
comment on table  ops.plan                  is 'Plans made by storehouse backfill. A plan runs exactly as it was made, or the command reports what changed since. Its runs are in ops.run.';
comment on column ops.plan.plan_id          is 'Number of the plan, for storehouse backfill --plan.';
comment on column ops.plan.made_at          is 'When it was made.';
comment on column ops.plan.as_of            is 'Day that counted as today. The days of the plan stay the same if it runs later.';
comment on column ops.plan.request          is 'What was requested: datasets, days (half-open), apps, countries, which cells to fetch again, order, credit limit.';
comment on column ops.plan.basis            is 'Inputs of the plan that may change: tracked keywords per app and country, learned prices, settings.';
comment on column ops.plan.newest_first     is 'True when the newest days run first; false when those days run first that the service drops first.';
comment on column ops.plan.digest           is 'SHA-256 over all its slices in order. If planning again gives the same digest, the plan is unchanged.';
comment on column ops.plan.slices           is 'Slices of the plan.';
comment on column ops.plan.requests         is 'Requests that the slices are expected to need.';
comment on column ops.plan.credits          is 'Credits that the slices are expected to cost. A run of the plan never spends more.';
comment on column ops.plan.naive_credits    is 'Credits that the same cells would cost with one request per item and day; null when some slices were left out.';
comment on column ops.plan.left_out_slices  is 'Requested slices that did not fit into the credit limit.';
comment on column ops.plan.left_out_credits is 'Credits that the left-out slices are expected to cost.';
comment on column ops.plan.account          is 'Account of the plan; empty for that of API_TOKEN.';
comment on column ops.plan.queued_at        is 'When its slices were queued, all of them at once; null until the plan runs.';
comment on column ops.plan.past_slice_count is 'Loaded and empty slices of the plan that have since been folded into another slice (ops.slice.is_folded).';
comment on column ops.plan.cancelled_slice_count is 'Slices of the plan that were cancelled. Their cells count as not requested, so that another plan requests them.';
comment on column ops.plan.taken_credits    is 'Credits that calls for its slices took: held before a call is sent, then corrected to what was charged. Credits of a call without an answer stay taken. The sum never exceeds the price.';
comment on column ops.plan.past_credits      is 'Credits that were charged for slices of the plan that were cancelled later or have since been folded into another slice, or for requests whose month was dropped.';

create table ops.plan_line (
  plan_id      bigint  not null references ops.plan (plan_id),
  dataset      text    not null,
  class        text    not null,
  operation    text    not null,
  store        text    not null,
  track_id     text    not null,
  country_code text    not null,
  slices       integer not null,
  requests     bigint  not null,
  credits      bigint  not null,
  primary key (plan_id, dataset, class, operation, store, track_id, country_code)
);
comment on table  ops.plan_line              is 'Slices of a plan, counted by dataset, class, operation, app and country.';
comment on column ops.plan_line.plan_id      is 'The plan.';
comment on column ops.plan_line.class        is 'Credit class.';
comment on column ops.plan_line.store        is 'ios or android; empty if the dataset does not distinguish stores.';
comment on column ops.plan_line.track_id     is 'Track id of the app; empty if the dataset is not about an app.';
comment on column ops.plan_line.country_code is 'Country; empty if the dataset does not distinguish countries.';
comment on column ops.plan_line.slices       is 'Slices.';
comment on column ops.plan_line.requests     is 'Requests that the slices are expected to need.';
comment on column ops.plan_line.credits      is 'Credits that the slices are expected to cost.';
select ops.comment_columns('ops.plan_line');

create table ops.run (
  run_id          bigint      primary key generated always as identity,
  kind            text        not null,
  worker_id       bigint      references ops.worker (worker_id),
  plan_id         bigint      references ops.plan (plan_id),
  as_of           date        not null,
  datasets        text[]      not null,
  plans_after     text[]      not null default '{}',
  days            daterange,
  max_credits     integer,
  account         text        not null default '',
  shared_queue_id bigint      not null default 0,
  planned_slices  integer     not null default 0,
  planned_credits bigint      not null default 0,
  naive_credits   bigint      not null default 0,
  started_at      timestamptz not null,
  ended_at        timestamptz,
  outcome         text,
  error_code      text,
  error_message   text,
  past_request_count integer  not null default 0,
  past_credits    bigint      not null default 0,
  past_loaded_count integer   not null default 0,
  past_empty_count integer    not null default 0,
  past_rows_loaded bigint     not null default 0,
  noted_slice_id  bigint
);
create index run_plan on ops.run (plan_id) where plan_id is not null;
create index run_noted on ops.run (noted_slice_id) where noted_slice_id is not null;
comment on table  ops.run                 is 'Runs: each row is one planning with its slices.';
comment on column ops.run.run_id          is 'Number of the run.';
comment on column ops.run.kind            is 'sync, backfill, schedule, retry, import (of answer files) or gateway (answers to its callers, one run a day).';
comment on column ops.run.worker_id       is 'Foreground process that runs the slices; null when any worker may run them, as in a retry that a worker started automatically.';
comment on column ops.run.plan_id         is 'Plan that it runs; null when it does not use a saved plan.';
comment on column ops.run.as_of           is 'Day that counted as today.';
comment on column ops.run.datasets        is 'Datasets that were planned.';
comment on column ops.run.plans_after     is 'Datasets that workers plan once lists among its slices are loaded, if these come from earlier runs; if empty, those in datasets, and nothing after a sync.';
comment on column ops.run.days            is 'Days that a person named for a sync; null if none were named: each dataset then has its own.';
comment on column ops.run.max_credits     is 'Credit limit of the run; null without a limit, and for an import, which spends nothing.';
comment on column ops.run.account         is 'Account that its requests are charged to; empty for that of API_TOKEN. It is the account of its slices too.';
comment on column ops.run.shared_queue_id is 'Queue that the workers of the account share: the queue of its slices if worker_id is null.';
comment on column ops.run.planned_slices  is 'Slices that the run has planned so far, or that it runs again.';
comment on column ops.run.planned_credits is 'Credits that those slices were expected to cost.';
comment on column ops.run.naive_credits   is 'Credits that the same cells would cost with one request per item and day.';
comment on column ops.run.started_at      is 'When it started.';
comment on column ops.run.ended_at        is 'When its process ended, or its planning if it has no process (once its requests were dropped: its last answer); null until then, or when its process was killed. ops.run_summary shows when its last slice was answered.';
comment on column ops.run.outcome         is 'State in which its process left it: planned (a scheduled run, whose slices any worker then runs), loaded, failed, deferred, aborted or interrupted. ops.run_summary shows the state of its slices now.';
comment on column ops.run.error_code      is 'Stable code of the error that aborted it; null if none did.';
comment on column ops.run.error_message   is 'Text of that error, including what to do next.';

comment on column ops.run.past_request_count is 'Number of its requests whose month was dropped.';
comment on column ops.run.past_credits    is 'Credits charged for these requests.';
comment on column ops.run.past_loaded_count is 'Its loaded slices that have since been folded into another slice (ops.slice.is_folded).';
comment on column ops.run.past_empty_count is 'Its empty slices that have since been folded into another slice.';
comment on column ops.run.past_rows_loaded is 'Rows of the answers of both kinds of folded slices.';
comment on column ops.run.noted_slice_id  is 'Newest slice when its planning recorded which days are lost; null if it did not get that far. The next run that records lost days considers the slices after the highest of these.';

create table ops.run_shard (
  run_id          bigint      not null references ops.run (run_id),
  step            text        not null check (step in ('portfolio', 'listing', 'market', 'end')),
  shard           integer     not null,
  shards          integer     not null,
  planned_at      timestamptz,
  planned_slices  integer     not null default 0,
  timings         jsonb,
  primary key (run_id, step, shard)
);
comment on table  ops.run_shard                is 'Parts of the planning of a scheduled run, while it is being planned: some apps, or what belongs to no single app. Any worker of the account takes the next shard that no other worker has locked, and plans and queues it in one transaction. The last shard ends the planning.';
comment on column ops.run_shard.run_id         is 'The run.';
comment on column ops.run_shard.step           is 'Stage of the datasets that are planned, or end for what follows the last shard. The shards of a stage are written once those of the previous stage have planned nothing.';
comment on column ops.run_shard.shard          is 'Number of the shard: 0 for what belongs to no single app, from 1 for apps.';
comment on column ops.run_shard.shards         is 'Number of shards by app into which the portfolio is split; 1 if shard 0 has everything.';
comment on column ops.run_shard.planned_at     is 'When it was planned; null until then.';
comment on column ops.run_shard.planned_slices is 'Number of slices that it planned.';
comment on column ops.run_shard.timings        is 'Timings that it found for single scopes, for ops.dataset_timing.';

create table ops.batch (
  batch_id bigint primary key generated always as identity,
  items    text[] not null,
  digest   text   not null unique
);
comment on table  ops.batch          is 'Lists of keywords (or ids) that a slice requests together; one row per distinct list.';
comment on column ops.batch.batch_id is 'Number of the list.';
comment on column ops.batch.items    is 'The items, sorted.';
comment on column ops.batch.digest   is 'SHA-256 of the items, to find an equal list.';

create table ops.slice (
  slice_id         bigint      primary key generated always as identity,
  dataset          text        not null,
  operation        text        not null,
  scope            jsonb       not null,
  batch_id         bigint      references ops.batch (batch_id),
  window_start     date        not null,
  window_end       date        not null,
  requested_end    date,
  tail_of          bigint,
  as_of            date        not null,
  fingerprint      text        not null,
  class            text        not null check (class in ('snapshot', 'daily', 'lookback', 'history')),
  state            text        not null check (state in ('pending', 'running', 'deferred', 'loaded', 'empty', 'skipped', 'failed', 'lost')),
  planned_requests integer     not null,
  planned_credits  integer     not null,
  run_id           bigint      not null references ops.run (run_id),
  plan_id          bigint,
  queue_id         bigint      not null default 0,
  turn             integer     not null default 0,
  worker_id        bigint      references ops.worker (worker_id),
  attempt          integer     not null default 0,
  read_from_attempt integer    not null default 0,
  failures         integer     not null default 0,
  later_tries      integer     not null default 0,
  broken_off_count integer     not null default 0,
  broken_off_alone_count integer not null default 0,
  due_at           timestamptz,
  retried_at       timestamptz,
  error_code       text,
  error_message    text,
  rows_loaded      integer     not null default 0,
  rows_rejected    integer     not null default 0,
  answer_digest    bytea,
  is_folded        boolean     not null default false,
  created_at       timestamptz not null,
  started_at       timestamptz,
  ended_at         timestamptz,
  check (window_start < window_end)
);
-- by the hash, since comparing the scopes themselves would take a quarter of the time of an insert
create unique index slice_open on ops.slice (dataset, hashtextextended(scope::text, 0), coalesce(batch_id, 0), window_start, window_end, scope)
  where state in ('pending', 'running', 'deferred');
-- progress and slices of a run
create index slice_run      on ops.slice (run_id, state);
-- what is left of a plan
create index slice_plan     on ops.slice (plan_id, state) where plan_id is not null;
-- claims: the next slices of a queue
create index slice_ready    on ops.slice (queue_id, turn, slice_id) where state = 'pending' and due_at is null;
-- slices of a queue whose wait is over
create index slice_due      on ops.slice (queue_id, due_at) where state in ('pending', 'deferred') and due_at is not null;
-- slices that may end their process, which run alone
create index slice_suspect  on ops.slice (queue_id, turn, slice_id) where state = 'pending' and broken_off_count > 1;
-- automatic retries that are due
create index slice_later    on ops.slice (due_at) where state = 'failed' and due_at is not null;
-- what automatic retries cost in a day
create index slice_retried  on ops.slice (retried_at) where retried_at is not null;
-- slices of dead processes: searched every few seconds, among millions
create index slice_running  on ops.slice (worker_id) where state = 'running';
-- coverage by scope. The hash is a tenth of the size of the scope; a dozen datasets share the scope of an app and country
create index slice_scope    on ops.slice (hashtextextended(scope::text, 0), dataset, window_end, window_start);
-- lists that were refused or cannot be sent
create index slice_refused  on ops.slice (dataset, hashtextextended(scope::text, 0)) where state = 'skipped' and error_code in ('bad_request', 'not_encodable');
-- slices of a dataset by day, and its first and last one
create index slice_coverage on ops.slice (dataset, window_start);
-- an answer that equals an earlier one
create index slice_answer   on ops.slice (answer_digest) where answer_digest is not null;
-- counts and newest days by state (`status`), without reading the table
create index slice_by_state on ops.slice (dataset, state, window_end);
-- failed slices (ops.failed_slice)
create index slice_failed   on ops.slice (dataset) where state = 'failed';
-- lost days
create index slice_lost     on ops.slice (dataset, window_start) where state = 'lost';
-- rejects by dataset (`status`)
create index slice_rejects  on ops.slice (dataset) where rows_rejected > 0;
-- coverage and slices of one app
create index slice_app      on ops.slice ((scope ->> 'app'), dataset, window_end, window_start);
-- cells that answers of other datasets reported: few among millions
create index slice_reported on ops.slice (dataset, window_start) where fingerprint like 'reported by %';
-- for roles that do not own the table
create function ops.gather_slice_statistics() returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  analyze (skip_locked) ops.slice;
end
$$;
comment on function ops.gather_slice_statistics() is 'Gathers the statistics of ops.slice, unless another session vacuums or alters the table. The caller needs the right to execute the function and no other.';
revoke all on function ops.gather_slice_statistics() from public;
comment on table  ops.slice                  is 'Slices: one partition and window of a dataset. A slice is the unit that is planned, priced, run and retried.';
comment on column ops.slice.slice_id         is 'Number of the slice. Every fact row names the slice that wrote it.';
comment on column ops.slice.operation        is 'Operation of the API for the slice.';
comment on column ops.slice.scope            is 'Partition of the slice: store, app, country and device, as far as the dataset distinguishes them.';
comment on column ops.slice.batch_id         is 'List of the requested keywords or ids; null if the scope identifies the partition.';
comment on column ops.slice.window_start     is 'First requested day.';
comment on column ops.slice.window_end       is 'Day after the last requested day, or after the last answered day if the answer ended earlier.';
comment on column ops.slice.requested_end    is 'Day after the last requested day, if the answer ended earlier; else null. The days in between are a separate slice (tail_of).';
comment on column ops.slice.tail_of          is 'Slice whose answer ended before these days; null for a slice that was planned.';
comment on column ops.slice.as_of            is 'Day that counted as today when it was requested or, if it has not been requested yet, when it was planned. It shows how final the answer was.';
comment on column ops.slice.fingerprint      is 'Facts of the portfolio that affect the answer: if they differ from those of today, the answer is stale. Instead of them: "changed since" if a command changed them after the answer was received; "never requested" for a lost day for which no request was sent; "reported by" and a dataset if the answer of that dataset reported these cells.';
comment on column ops.slice.class            is 'Credit class: how much of the credit reserve the slice may use.';
comment on column ops.slice.state            is 'pending, running, deferred (waits for credits, a budget or the API), loaded, empty (the answer has no rows), skipped (unavailable), failed (due_at shows when it is requested again; storehouse retry does that now) or lost (a snapshot whose time is over: it can no longer be requested).';
comment on column ops.slice.planned_requests is 'Expected number of requests. Corrected when a page of the answer reports the number of pages.';
comment on column ops.slice.planned_credits  is 'Expected credits: the expected requests times the price in the plan.';
comment on column ops.slice.run_id           is 'Run to which it belongs now.';
comment on column ops.slice.plan_id          is 'Plan that it belongs to; null when it belongs to none.';
comment on column ops.slice.queue_id         is 'Queue in which it waits: number of the foreground process that runs it, 0 for the queue that the workers of API_TOKEN share, or below zero for that of another account (ops.account).';
comment on column ops.slice.turn             is 'Place in the queue, lower first: class × 100000 + day, newest first or in the order of its plan. Snapshots go by the last day on which they can be requested. The tail of a slice of a plan comes after all slices of the plan (+ 500000). An operation that the API refuses to the account, or refused within the last day, comes after all others (+ 1000000; + 2000000 if the same organisation or app was refused).';
comment on column ops.slice.worker_id        is 'Process that runs it or ran it last.';
comment on column ops.slice.attempt          is 'Number of starts. A worker commits only if this is still the number with which it started, so that a slow worker cannot overwrite its successor.';
comment on column ops.slice.read_from_attempt is 'The next attempt does not read stored pages of attempts before this one; it requests them again.';
comment on column ops.slice.failures         is 'Attempts that ended with a temporary error. Deferring a slice does not count.';
comment on column ops.slice.later_tries      is 'How often it was requested again automatically after all attempts had failed.';
comment on column ops.slice.broken_off_count is 'Attempts during which the process died or its lease expired. After the second, the slice runs alone in its process.';
comment on column ops.slice.broken_off_alone_count is 'Number of these attempts during which the process ran no other slice. After the second, the slice waits ten minutes; after the third, it fails.';
comment on column ops.slice.due_at           is 'Earliest start; null when it may start immediately, or when a deferred slice waits for a new run. For a failed slice: when it is requested again, by a worker or the first sync after this time; null if a retry cannot help.';
comment on column ops.slice.retried_at       is 'When it was first requested again automatically after it had failed; null when it was not. Its cost from then on counts against credits.retries_a_day.';
comment on column ops.slice.error_code       is 'Stable code of the last error; null when the last attempt succeeded.';
comment on column ops.slice.error_message    is 'Text of the last error, including what to do next.';
comment on column ops.slice.rows_loaded      is 'Rows of the answer, changed or not.';
comment on column ops.slice.rows_rejected    is 'Number of invalid items of the answer; ops.reject lists them.';
comment on column ops.slice.answer_digest    is 'SHA-256 over the request, the answer and the program that read it; null unless all of the answer was loaded. An unchanged answer is not loaded again unless another slice has written its cells.';
comment on column ops.slice.is_folded        is 'True if other slices of its list and month have been folded into it: slices with the same outcome whose days, together with its own, form an unbroken range. They are deleted, and ops.folded_month has their number. All its days are final; its other columns are its own.';
comment on column ops.slice.created_at       is 'When it was planned; for a folded slice, when the first of its slices was planned.';
comment on column ops.slice.started_at       is 'When the last attempt started.';
comment on column ops.slice.ended_at         is 'When it reached its state; for a folded slice, when the last of its slices did.';
select ops.comment_columns('ops.slice');

create table ops.slice_past (
  dataset      text    not null,
  scope        jsonb   not null,
  scope_hash   bigint  not null,
  until_day    date    not null,
  final_days   integer not null,
  batch_id     bigint,
  operation    text    not null,
  fingerprint  text    not null,
  slice_ids    bigint[],
  starts       integer[],
  ends         integer[],
  planned      integer[],
  kinds        integer[],
  final_window datemultirange,
  final_as_of  date
);
create index slice_past_scope on ops.slice_past (scope_hash, dataset);
comment on table  ops.slice_past              is 'What the slices of a partition say about past days, in the form that a plan reads, so that a nightly run need not read years of slices: one row per list, operation and fingerprint. The rows are derived: a plan that finds none reads the slices. When one of these slices changes, the rows of its partition are deleted, and a later night writes them again.';
comment on column ops.slice_past.scope        is 'Partition: store, app, country and device, as far as the dataset distinguishes them.';
comment on column ops.slice_past.scope_hash   is 'Hash of the scope, by which it is found.';
comment on column ops.slice_past.until_day    is 'The rows summarise every slice of the partition whose days are all before this day, and no other slice.';
comment on column ops.slice_past.final_days   is 'Number of days after the last day of a slice from which it counts as final here. A plan that waits longer reads the slices.';
comment on column ops.slice_past.batch_id     is 'List of the requested keywords or ids; null if the scope identifies the partition.';
comment on column ops.slice_past.operation    is 'Operation of the API for the slices.';
comment on column ops.slice_past.fingerprint  is 'Fingerprint of the slices.';
comment on column ops.slice_past.slice_ids    is 'Slices that are not final, except loaded or empty slices whose days are all final; null if there are none.';
comment on column ops.slice_past.starts       is 'First day of each of them, as days since 1970-01-01.';
comment on column ops.slice_past.ends         is 'Day after the last day of each of them, in the same format.';
comment on column ops.slice_past.planned      is 'Day on which each of them was planned, in the same format.';
comment on column ops.slice_past.kinds        is 'State of each of them as a number, plus 16 if the service refused the request, 32 if it is the tail of another slice, and 64 if it failed with an error that a later request may not meet.';
comment on column ops.slice_past.final_window is 'Days that final slices cover; null if there are none.';
comment on column ops.slice_past.final_as_of  is 'Newest day on which one of the final slices was planned.';
select ops.comment_columns('ops.slice_past');

-- Writers of past slices take this lock shared, the summariser takes it exclusively, so neither misses the other's changes.
create function ops.forget_changed_slice() returns trigger language plpgsql as $$
begin
  -- a folded slice covers the same days as the slices folded into it, so the summary stays valid
  if coalesce(current_setting('storehouse.folding', true), '') = 'on' then return null; end if;
  perform pg_advisory_xact_lock_shared(hashtext('storehouse past slices'));
  -- a separate statement: its snapshot is taken after the lock was granted, so it sees what was committed meanwhile
  delete from ops.slice_past as p
  where  p.scope_hash in (hashtextextended(old.scope::text, 0), hashtextextended(new.scope::text, 0)) and p.dataset in (old.dataset, new.dataset)
  and    p.until_day > least(old.window_start, new.window_start);
  return null;
end $$;
comment on function ops.forget_changed_slice() is 'Deletes the rows of a partition from ops.slice_past when one of its ended slices changes.';

create function ops.forget_changed_slices() returns trigger language plpgsql as $$
begin
  if tg_op = 'TRUNCATE' then
    delete from ops.slice_past;
  elsif coalesce(current_setting('storehouse.folding', true), '') <> 'on' and exists (select from changed) then
    perform pg_advisory_xact_lock_shared(hashtext('storehouse past slices'));
    delete from ops.slice_past as p
    using  (select hashtextextended(scope::text, 0) as scope_hash, dataset, min(window_start) as first_day from changed group by 1, 2) as c
    where  p.scope_hash = c.scope_hash and p.dataset = c.dataset and p.until_day > c.first_day;
  end if;
  return null;
end $$;
comment on function ops.forget_changed_slices() is 'Deletes the rows of partitions from ops.slice_past when slices of theirs are added or deleted.';

create trigger slice_added after insert on ops.slice referencing new table as changed for each statement execute function ops.forget_changed_slices();
create trigger slice_gone after delete on ops.slice referencing old table as changed for each statement execute function ops.forget_changed_slices();
create trigger slice_emptied after truncate on ops.slice for each statement execute function ops.forget_changed_slices();
-- open slices are in no row of ops.slice_past: the claims and ends of a night do not come here
create trigger slice_changed after update on ops.slice for each row
  when (old.state not in ('pending', 'running', 'deferred')
        and (old.dataset, old.scope, old.operation, old.batch_id, old.window_start, old.window_end, old.tail_of, old.as_of, old.fingerprint, old.state, old.error_code)
            is distinct from (new.dataset, new.scope, new.operation, new.batch_id, new.window_start, new.window_end, new.tail_of, new.as_of, new.fingerprint, new.state, new.error_code))
  execute function ops.forget_changed_slice();

create table ops.request (
  request_id  bigint      not null generated always as identity,
  account_id  text        not null,
  slice_id    bigint,
  run_id      bigint,
  attempt     integer     not null,
  page        integer     not null,
  dataset     text,
  class       text        not null,
  operation   text        not null,
  store       text,
  track_id    text,
  country_code text,
  params      jsonb       not null,
  status      integer,
  error_code  text,
  cost        integer     not null,
  remaining   integer,
  duration_ms integer     not null,
  byte_count  integer     not null,
  worker_id   bigint,
  received_at timestamptz not null,
  caller      text,
  primary key (request_id, received_at)
) partition by range (received_at);
-- nothing has to exist before a request is stored: what came before its month was made is moved there when it is (0009)
create table parts.request_other partition of ops.request default;
create index request_slice  on ops.request (slice_id);
create index request_time   on ops.request (received_at);
create index request_day    on ops.request (((received_at at time zone 'UTC')::date));
-- what a run paid for, without reading every request since it began
create index request_run    on ops.request (run_id) where run_id is not null;
-- what a caller of the gateway spent today
create index request_caller on ops.request (caller, received_at) where caller is not null;
comment on table  ops.request             is 'Every request that was sent: its slice, its outcome and its cost. A request with the error process_died was in flight when its process died; whether it was charged is unknown. The table holds no URL and no token.';
comment on column ops.request.request_id  is 'Number of the request.';
comment on column ops.request.account_id  is 'Account that was charged, as the shortened hash of its key; import for an answer that came from a file without a request.';
comment on column ops.request.slice_id    is 'Slice of the request; null for requests about the account, for requests of a command, and for requests of a gateway caller from which no table was made.';
comment on column ops.request.run_id      is 'Run to which the slice belonged when the request was sent, and for which the request counts; null for requests without a slice.';
comment on column ops.request.attempt     is 'Attempt of the slice.';
comment on column ops.request.page        is 'Page within the attempt, from 0.';
comment on column ops.request.dataset     is 'Dataset; for a call of a gateway caller, the dataset that would have made it; null for requests about the account and for requests of a command.';
comment on column ops.request.class       is 'Credit class of the request; person for a request of a command.';
comment on column ops.request.store       is 'Store of the slice or of a gateway caller''s call, ios or android; null if it is about none. Together with the next two columns it shows whom a request was for after its slice is gone.';
comment on column ops.request.track_id    is 'Track id of the app of the slice or of a gateway caller''s call; null if it is about several apps or none.';
comment on column ops.request.country_code is 'Country of the slice; null if it is about all countries or none.';
comment on column ops.request.params      is 'Parameters by name, without lists, which are in the batch of the slice. For a request of a gateway caller, all parameters are here.';
comment on column ops.request.status      is 'HTTP status; null when no answer was received.';
comment on column ops.request.error_code  is 'Stable code of the error; null when the answer was accepted.';
comment on column ops.request.cost        is 'Credits charged: the figure in the header of a successful call, 0 for a refused one.';
comment on column ops.request.remaining   is 'Credits left, as the header of the answer reports them.';
comment on column ops.request.duration_ms is 'Milliseconds from sending to the last byte.';
comment on column ops.request.byte_count  is 'Bytes of the body, unpacked.';
comment on column ops.request.worker_id   is 'Process that sent it.';
comment on column ops.request.received_at is 'When the last byte was received, or when the call failed.';
comment on column ops.request.caller      is 'Gateway caller for which it was sent, as named in gateway.callers; null for any other request.';
select ops.comment_columns('ops.request');

create table ops.reject (
  reject_id  bigint      primary key generated always as identity,
  slice_id   bigint      not null,
  dataset    text        not null,
  reason     text        not null,
  item       jsonb       not null,
  fetched_at timestamptz not null
);
create index reject_slice on ops.reject (slice_id);
comment on table  ops.reject           is 'Invalid items of answers, each with its reason. The valid items of the same answer are loaded.';
comment on column ops.reject.reject_id is 'Number of the reject.';
comment on column ops.reject.slice_id  is 'Slice of the answer.';
comment on column ops.reject.reason    is 'Why the item is invalid.';
comment on column ops.reject.item      is 'The item, unchanged.';
select ops.comment_columns('ops.reject');

create table ops.drift (
  operation     text        not null,
  path          text        not null,
  kind          text        not null,
  first_seen_at timestamptz not null,
  last_seen_at  timestamptz not null,
  slice_id      bigint      not null,
  primary key (operation, path, kind)
);
comment on table  ops.drift               is 'Fields of answers that are not in the contract, each listed once.';
comment on column ops.drift.path          is 'Path of the field; [] stands for any item of a list, {} for any key of a map.';
comment on column ops.drift.kind          is 'Type of its value when it was first seen.';
comment on column ops.drift.first_seen_at is 'When it was first seen.';
comment on column ops.drift.last_seen_at  is 'When an answer last had the field, accurate to the hour.';
comment on column ops.drift.slice_id      is 'Slice of the first answer that had the field.';
select ops.comment_columns('ops.drift');

create table ops.held_answer (
  slice_id      bigint      primary key,
  dataset       text        not null,
  scope         jsonb       not null,
  date_day      date        not null,
  held_at       timestamptz not null,
  current_count integer     not null,
  closing       text[]      not null,
  outcome       text        check (outcome in ('agreed', 'confirmed', 'contradicted', 'superseded'))
);
comment on table  ops.held_answer               is 'Answers about the portfolio that would remove more than half of the members of their scope. They are stored but not applied until someone confirms them, or an answer of a later day agrees with them.';
comment on column ops.held_answer.slice_id      is 'Slice of the answer.';
comment on column ops.held_answer.dataset       is 'Dataset of the slice.';
comment on column ops.held_answer.scope         is 'What the answer is about, as named values.';
comment on column ops.held_answer.date_day      is 'Day on which it was requested.';
comment on column ops.held_answer.held_at       is 'When it was held.';
comment on column ops.held_answer.current_count is 'Members that are current in the scope.';
comment on column ops.held_answer.closing       is 'Keys of the members that the answer would remove.';
comment on column ops.held_answer.outcome       is 'agreed: someone confirmed it, and it was applied; confirmed: an answer of a later day agreed with it and was applied; contradicted: a later answer was applied that does not agree; superseded: a later answer is held. Null while it is held.';
