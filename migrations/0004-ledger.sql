-- The ledger: who works, what was planned, what came of it.

create table ops.worker (
  worker_id    bigint      primary key generated always as identity,
  kind         text        not null,
  host         text        not null,
  pid          integer     not null,
  session_name text        not null default '',
  started_at   timestamptz not null,
  heartbeat_at timestamptz not null,
  stopped_at   timestamptz
);
comment on table  ops.worker              is 'Processes that talk to the API. A living one holds an advisory lock on its id and says every few seconds that it lives.';
comment on column ops.worker.worker_id    is 'Number of the process.';
comment on column ops.worker.kind         is 'sync (foreground, runs its own slices), worker (runs the shared queue) or command (asks what a person wants to know).';
comment on column ops.worker.host         is 'Machine.';
comment on column ops.worker.pid          is 'Process id on that machine.';
comment on column ops.worker.session_name is 'Name of its sessions in pg_stat_activity; those of a process that is found dead are ended.';
comment on column ops.worker.started_at   is 'When it entered, by the clock of the database.';
comment on column ops.worker.heartbeat_at is 'When it last said that it lives, by the clock of the database.';
comment on column ops.worker.stopped_at   is 'When it left in good order, or was found dead: then its slices, credits and jobs are free, and it has to enter anew.';

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
  queued_at        timestamptz
);
comment on table  ops.plan                  is 'Plans made by storehouse backfill. A plan is run exactly as it was made, or it says what changed since. What was run with it: ops.run.';
comment on column ops.plan.plan_id          is 'Number of the plan, for storehouse backfill --plan.';
comment on column ops.plan.made_at          is 'When it was made.';
comment on column ops.plan.as_of            is 'The day that counted as today; its days stay those of that day, whenever it is run.';
comment on column ops.plan.request          is 'What was asked for: datasets, days (half-open), apps, countries, which cells again, order, most credits.';
comment on column ops.plan.basis            is 'What it was planned from and can change: keywords followed an app and country, learned prices, settings.';
comment on column ops.plan.newest_first     is 'True when the newest days run first; else those that fall out of the history first.';
comment on column ops.plan.digest           is 'SHA-256 over all its slices in order; planned again, an equal digest is the same plan.';
comment on column ops.plan.slices           is 'Slices of the plan.';
comment on column ops.plan.requests         is 'Requests that they are expected to take.';
comment on column ops.plan.credits          is 'Credits that they are expected to cost; running it never spends more.';
comment on column ops.plan.naive_credits    is 'Credits that a program would pay for the same cells that asks for one thing at a time; null when something was left out.';
comment on column ops.plan.left_out_slices  is 'Slices that were asked for and did not fit under the most credits.';
comment on column ops.plan.left_out_credits is 'Credits that those are expected to cost.';
comment on column ops.plan.queued_at        is 'When its slices were queued, all at once; null while it was never run.';

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
comment on table  ops.plan_line              is 'What a plan holds, by dataset, class, operation, app and country.';
comment on column ops.plan_line.plan_id      is 'The plan.';
comment on column ops.plan_line.class        is 'Credit class.';
comment on column ops.plan_line.store        is 'ios or android; empty where the dataset tells none apart.';
comment on column ops.plan_line.track_id     is 'Track id of the app; empty where the dataset is not about an app.';
comment on column ops.plan_line.country_code is 'Country; empty where the dataset tells none apart.';
comment on column ops.plan_line.slices       is 'Slices.';
comment on column ops.plan_line.requests     is 'Requests that they are expected to take.';
comment on column ops.plan_line.credits      is 'Credits that they are expected to cost.';
select ops.comment_columns('ops.plan_line');

create table ops.run (
  run_id          bigint      primary key generated always as identity,
  kind            text        not null,
  worker_id       bigint      references ops.worker (worker_id),
  plan_id         bigint      references ops.plan (plan_id),
  as_of           date        not null,
  datasets        text[]      not null,
  max_credits     integer,
  planned_slices  integer     not null default 0,
  planned_credits bigint      not null default 0,
  naive_credits   bigint      not null default 0,
  started_at      timestamptz not null,
  ended_at        timestamptz,
  outcome         text
);
create index run_plan on ops.run (plan_id) where plan_id is not null;
comment on table  ops.run                 is 'One planning and what followed from it.';
comment on column ops.run.run_id          is 'Number of the run.';
comment on column ops.run.kind            is 'sync, backfill, schedule, retry, or import (answers that were brought as files).';
comment on column ops.run.worker_id       is 'The foreground process that owns the slices; null when any worker may run them.';
comment on column ops.run.plan_id         is 'The plan that it runs; null when it planned by itself.';
comment on column ops.run.as_of           is 'The day that counted as today.';
comment on column ops.run.datasets        is 'Datasets that were planned.';
comment on column ops.run.max_credits     is 'Credits the run was allowed to spend; null without a limit, and for an import, which spends nothing.';
comment on column ops.run.planned_slices  is 'Slices planned so far in this run.';
comment on column ops.run.planned_credits is 'Credits those slices were expected to cost.';
comment on column ops.run.naive_credits   is 'Credits that a program would pay for the same cells that asks for one thing at a time.';
comment on column ops.run.started_at      is 'When it started.';
comment on column ops.run.ended_at        is 'When it ended; null while it goes on or after a kill.';
comment on column ops.run.outcome         is 'loaded, failed, deferred, aborted or interrupted.';

create table ops.batch (
  batch_id bigint primary key generated always as identity,
  items    text[] not null,
  digest   text   not null unique
);
comment on table  ops.batch          is 'Lists of keywords (or ids) that slices ask for together; one row a distinct list.';
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
  as_of            date        not null,
  fingerprint      text        not null,
  class            text        not null check (class in ('snapshot', 'daily', 'lookback', 'backfill')),
  state            text        not null check (state in ('pending', 'running', 'deferred', 'loaded', 'empty', 'skipped', 'failed')),
  planned_requests integer     not null,
  planned_credits  integer     not null,
  run_id           bigint      not null references ops.run (run_id),
  plan_id          bigint,
  queue_id         bigint      not null default 0,
  turn             integer     not null default 0,
  worker_id        bigint      references ops.worker (worker_id),
  attempt          integer     not null default 0,
  failures         integer     not null default 0,
  broken_off_count integer     not null default 0,
  due_at           timestamptz,
  error_code       text,
  error_message    text,
  rows_loaded      integer     not null default 0,
  rows_rejected    integer     not null default 0,
  answer_digest    bytea,
  created_at       timestamptz not null,
  started_at       timestamptz,
  ended_at         timestamptz,
  check (window_start < window_end)
);
create unique index slice_open on ops.slice (dataset, scope, coalesce(batch_id, 0), window_start, window_end)
  where state in ('pending', 'running', 'deferred');
create index slice_run      on ops.slice (run_id, state);
create index slice_plan     on ops.slice (plan_id, state) where plan_id is not null;
-- the queue: slices that may start, slices that wait for an instant, slices that must run alone
create index slice_ready    on ops.slice (queue_id, turn, slice_id) where state = 'pending' and due_at is null;
create index slice_due      on ops.slice (queue_id, due_at) where state in ('pending', 'deferred') and due_at is not null;
create index slice_suspect  on ops.slice (queue_id, turn, slice_id) where state = 'pending' and broken_off_count > 1;
-- slices of dead processes are searched every few seconds, among millions
create index slice_running  on ops.slice (worker_id) where state = 'running';
-- coverage is read scope by scope: by the hash of the scope, which is a tenth of its size
create index slice_scope    on ops.slice (hashtextextended(scope::text, 0), window_end, window_start);
create index slice_refused  on ops.slice (dataset, hashtextextended(scope::text, 0)) where state = 'skipped' and error_code in ('bad_request', 'not_encodable');
create index slice_coverage on ops.slice (dataset, window_start);
create index slice_answer   on ops.slice (answer_digest) where answer_digest is not null;
-- figures over the whole ledger: slices by state, failures, rejects, the days of one app
create index slice_standing on ops.slice (dataset, state, window_end);
create index slice_failed   on ops.slice (dataset) where state = 'failed';
create index slice_rejects  on ops.slice (dataset) where rows_rejected > 0;
create index slice_app      on ops.slice ((scope ->> 'app'), dataset, window_end, window_start);
comment on table  ops.slice                  is 'Slices: one partition and window of a dataset, the unit that is planned, priced, run, retried and re-run.';
comment on column ops.slice.slice_id         is 'Number of the slice; every fact row names the slice that wrote it.';
comment on column ops.slice.operation        is 'Operation of the API that answers it.';
comment on column ops.slice.scope            is 'Who it is about: store, app, country, device ... as far as the dataset tells them apart.';
comment on column ops.slice.batch_id         is 'List of keywords or ids asked for; null where the scope says it all.';
comment on column ops.slice.window_start     is 'First day asked for.';
comment on column ops.slice.window_end       is 'Day after the last one asked for.';
comment on column ops.slice.as_of            is 'What was today when it was planned: tells how settled the answer was.';
comment on column ops.slice.fingerprint      is 'What the portfolio knew that would make the answer differ; changed since, where a command changed it after the answer came.';
comment on column ops.slice.class            is 'Credit class: how far it may dip into the reserve.';
comment on column ops.slice.state            is 'pending, running, deferred (waits for credits), loaded, empty (asked, nothing there), skipped (cannot be had) or failed (see storehouse retry).';
comment on column ops.slice.planned_requests is 'Requests it is expected to take: as planned, and put right as soon as a page of its answer tells how many there are.';
comment on column ops.slice.planned_credits  is 'Credits it is expected to cost: those requests at the price of the plan.';
comment on column ops.slice.run_id           is 'The run it belongs to now.';
comment on column ops.slice.plan_id          is 'The plan that it belongs to, whichever run has it now; null when it belongs to none.';
comment on column ops.slice.queue_id         is 'Which queue it waits in: the number of the foreground process that runs it, or 0 for the queue that all workers share.';
comment on column ops.slice.turn             is 'Its turn in the queue, lower first: class, then day, newest first or as its plan says.';
comment on column ops.slice.worker_id        is 'The process that runs it or ran it last.';
comment on column ops.slice.attempt          is 'How often it was started; the fence that keeps a slow worker from committing over its successor.';
comment on column ops.slice.failures         is 'How many attempts ended in an error that may pass; deferring costs none.';
comment on column ops.slice.broken_off_count is 'Attempts during which the process died or fell silent. From the second on the slice runs alone, and after the third it has failed.';
comment on column ops.slice.due_at           is 'Not to be started before this instant; null when at once, or for a deferred one when somebody takes it up.';
comment on column ops.slice.error_code       is 'Stable code of the last error; null when the last attempt went well.';
comment on column ops.slice.error_message    is 'The last error in words, with what to do next.';
comment on column ops.slice.rows_loaded      is 'Rows the answer held, changed or not.';
comment on column ops.slice.rows_rejected    is 'Rows that did not fit; see ops.reject.';
comment on column ops.slice.answer_digest    is 'SHA-256 over what was asked, the answer, and the program that read it; null unless all of the answer was loaded. The same answer to the same question is not read again while nobody else has written its cells.';
comment on column ops.slice.created_at       is 'When it was planned.';
comment on column ops.slice.started_at       is 'When the last attempt started.';
comment on column ops.slice.ended_at         is 'When it reached its state.';
select ops.comment_columns('ops.slice');

create table ops.request (
  request_id  bigint      primary key generated always as identity,
  account_id  text        not null,
  slice_id    bigint,
  attempt     integer     not null,
  page        integer     not null,
  dataset     text,
  class       text        not null,
  operation   text        not null,
  params      jsonb       not null,
  status      integer,
  error_code  text,
  cost        integer     not null,
  remaining   integer,
  duration_ms integer     not null,
  byte_count  integer     not null,
  worker_id   bigint,
  received_at timestamptz not null
);
create index request_slice  on ops.request (slice_id);
create index request_time   on ops.request (received_at);
create index request_day    on ops.request (((received_at at time zone 'UTC')::date));
-- what a foreground run paid for, without reading every request since it began
create index request_worker on ops.request (worker_id) where worker_id is not null;
comment on table  ops.request             is 'Every request that was sent: for which slice, what came back, what it cost. One with the error process_died was under way when its process died: nobody knows whether it was charged. Never an address, never a token.';
comment on column ops.request.request_id  is 'Number of the request.';
comment on column ops.request.account_id  is 'Account that was charged, by the shortened hash of its key; import for an answer that was brought as a file, for which nothing was sent.';
comment on column ops.request.slice_id    is 'Slice it was for; null for questions about the account itself and for what a person asked by a command.';
comment on column ops.request.attempt     is 'Attempt of the slice.';
comment on column ops.request.page        is 'Page within the attempt, from 0.';
comment on column ops.request.dataset     is 'Dataset; null for questions about the account itself and for what a person asked by a command.';
comment on column ops.request.class       is 'Credit class it was charged to; person for what was asked by a command.';
comment on column ops.request.params      is 'Parameters by name; lists are left out, the batch of the slice holds them.';
comment on column ops.request.status      is 'HTTP status; null when no answer came.';
comment on column ops.request.error_code  is 'Stable code of the error; null when the answer was taken.';
comment on column ops.request.cost        is 'Credits booked: what the header said of a successful call, 0 for a refusal.';
comment on column ops.request.remaining   is 'Credits that the header said were left.';
comment on column ops.request.duration_ms is 'Milliseconds from sending to the last byte.';
comment on column ops.request.byte_count  is 'Bytes of the body, unpacked.';
comment on column ops.request.worker_id   is 'The process that sent it.';
comment on column ops.request.received_at is 'When the last byte was in, or the call failed.';
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
comment on table  ops.reject           is 'Rows that did not fit, each with its reason; they never stop the rows beside them.';
comment on column ops.reject.reject_id is 'Number of the rejected row.';
comment on column ops.reject.slice_id  is 'Slice whose answer held it.';
comment on column ops.reject.reason    is 'Why it does not fit.';
comment on column ops.reject.item      is 'The row as it came.';
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
comment on table  ops.drift               is 'Fields in answers that the contract does not name, each listed once.';
comment on column ops.drift.path          is 'Where the field stands; [] is any item of a list, {} any key of a map.';
comment on column ops.drift.kind          is 'Type of its value when first seen.';
comment on column ops.drift.first_seen_at is 'When it was first seen.';
comment on column ops.drift.last_seen_at  is 'When an answer last held it, to the hour.';
comment on column ops.drift.slice_id      is 'Slice whose answer held it first.';
select ops.comment_columns('ops.drift');
