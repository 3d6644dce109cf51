-- The ledger: who works, what was planned, what came of it.

create table ops.worker (
  worker_id    bigint primary key generated always as identity,
  kind         text        not null,
  host         text        not null,
  pid          integer     not null,
  started_at   timestamptz not null,
  heartbeat_at timestamptz not null,
  stopped_at   timestamptz
);
comment on table  ops.worker              is 'Processes that run slices. A living one holds an advisory lock on its id, so that a killed one is known at once.';
comment on column ops.worker.worker_id    is 'Number of the process.';
comment on column ops.worker.kind         is 'sync (foreground, runs its own slices) or worker (runs the shared queue).';
comment on column ops.worker.host         is 'Machine.';
comment on column ops.worker.pid          is 'Process id on that machine.';
comment on column ops.worker.started_at   is 'When it started.';
comment on column ops.worker.heartbeat_at is 'When it last said that it lives.';
comment on column ops.worker.stopped_at   is 'When it left in good order, or was found dead.';

create table ops.run (
  run_id          bigint primary key generated always as identity,
  kind            text        not null,
  worker_id       bigint      references ops.worker (worker_id),
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
comment on table  ops.run                 is 'One planning and what followed from it.';
comment on column ops.run.run_id          is 'Number of the run.';
comment on column ops.run.kind            is 'sync, schedule or retry.';
comment on column ops.run.worker_id       is 'The foreground process that owns the slices; null when any worker may run them.';
comment on column ops.run.as_of           is 'The day that counted as today.';
comment on column ops.run.datasets        is 'Datasets that were planned.';
comment on column ops.run.max_credits     is 'Credits the run was allowed to spend; null without a limit.';
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
  slice_id         bigint primary key generated always as identity,
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
  worker_id        bigint      references ops.worker (worker_id),
  attempt          integer     not null default 0,
  failures         integer     not null default 0,
  due_at           timestamptz,
  error_code       text,
  error_message    text,
  rows_loaded      integer     not null default 0,
  rows_rejected    integer     not null default 0,
  created_at       timestamptz not null,
  started_at       timestamptz,
  ended_at         timestamptz,
  check (window_start < window_end)
);
create unique index slice_open on ops.slice (dataset, scope, coalesce(batch_id, 0), window_start, window_end)
  where state in ('pending', 'running', 'deferred');
create index slice_run      on ops.slice (run_id, state);
create index slice_coverage on ops.slice (dataset, window_start);
comment on table  ops.slice                  is 'Slices: one partition and window of a dataset, the unit that is planned, priced, run, retried and re-run.';
comment on column ops.slice.slice_id         is 'Number of the slice; every fact row names the slice that wrote it.';
comment on column ops.slice.dataset          is 'Dataset.';
comment on column ops.slice.operation        is 'Operation of the API that answers it.';
comment on column ops.slice.scope            is 'Who it is about: store, app, country, device ... as far as the dataset tells them apart.';
comment on column ops.slice.batch_id         is 'List of keywords or ids asked for; null where the scope says it all.';
comment on column ops.slice.window_start     is 'First day asked for.';
comment on column ops.slice.window_end       is 'Day after the last one asked for.';
comment on column ops.slice.as_of            is 'What was today when it was planned: tells how settled the answer was.';
comment on column ops.slice.fingerprint      is 'What the portfolio knew that would make the answer differ.';
comment on column ops.slice.class            is 'Credit class: how far it may dip into the reserve.';
comment on column ops.slice.state            is 'pending, running, deferred (waits for credits), loaded, empty (asked, nothing there), skipped (cannot be had) or failed (see storehouse retry).';
comment on column ops.slice.planned_requests is 'Requests it was expected to take.';
comment on column ops.slice.planned_credits  is 'Credits it was expected to cost.';
comment on column ops.slice.run_id           is 'The run it belongs to now.';
comment on column ops.slice.worker_id        is 'The process that runs it or ran it last.';
comment on column ops.slice.attempt          is 'How often it was started; the fence that keeps a slow worker from committing over its successor.';
comment on column ops.slice.failures         is 'How many attempts ended in an error that may pass; deferring costs none.';
comment on column ops.slice.due_at           is 'Not to be started before this instant; null when at once.';
comment on column ops.slice.error_code       is 'Stable code of the last error; null when the last attempt went well.';
comment on column ops.slice.error_message    is 'The last error in words, with what to do next.';
comment on column ops.slice.rows_loaded      is 'Rows the answer held, changed or not.';
comment on column ops.slice.rows_rejected    is 'Rows that did not fit; see ops.reject.';
comment on column ops.slice.created_at       is 'When it was planned.';
comment on column ops.slice.started_at       is 'When the last attempt started.';
comment on column ops.slice.ended_at         is 'When it reached its state.';

create table ops.request (
  request_id  bigint primary key generated always as identity,
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
create index request_slice on ops.request (slice_id);
create index request_time  on ops.request (received_at);
comment on table  ops.request             is 'Every request that was sent: for which slice, what came back, what it cost. Never an address, never a token.';
comment on column ops.request.request_id  is 'Number of the request.';
comment on column ops.request.account_id  is 'Account that was charged, by the shortened hash of its key.';
comment on column ops.request.slice_id    is 'Slice it was for; null for questions about the account itself.';
comment on column ops.request.attempt     is 'Attempt of the slice.';
comment on column ops.request.page        is 'Page within the attempt, from 0.';
comment on column ops.request.dataset     is 'Dataset; null for questions about the account itself.';
comment on column ops.request.class       is 'Credit class it was charged to.';
comment on column ops.request.operation   is 'Operation of the API.';
comment on column ops.request.params      is 'Parameters by name; lists are left out, the batch of the slice holds them.';
comment on column ops.request.status      is 'HTTP status; null when no answer came.';
comment on column ops.request.error_code  is 'Stable code of the error; null when the answer was taken.';
comment on column ops.request.cost        is 'Credits booked: what the header said of a successful call, 0 for a refusal.';
comment on column ops.request.remaining   is 'Credits that the header said were left.';
comment on column ops.request.duration_ms is 'Milliseconds from sending to the last byte.';
comment on column ops.request.byte_count  is 'Bytes of the body, unpacked.';
comment on column ops.request.worker_id   is 'The process that sent it.';
comment on column ops.request.received_at is 'When the last byte was in, or the call failed.';

create table ops.reject (
  reject_id  bigint primary key generated always as identity,
  slice_id   bigint      not null,
  dataset    text        not null,
  reason     text        not null,
  item       jsonb       not null,
  fetched_at timestamptz not null
);
create index reject_slice on ops.reject (slice_id);
comment on table  ops.reject            is 'Rows that did not fit, each with its reason; they never stop the rows beside them.';
comment on column ops.reject.reject_id  is 'Number of the rejected row.';
comment on column ops.reject.slice_id   is 'Slice whose answer held it.';
comment on column ops.reject.dataset    is 'Dataset.';
comment on column ops.reject.reason     is 'Why it does not fit.';
comment on column ops.reject.item       is 'The row as it came.';
comment on column ops.reject.fetched_at is 'When the answer was received.';

create table ops.drift (
  operation     text        not null,
  path          text        not null,
  kind          text        not null,
  first_seen_at timestamptz not null,
  slice_id      bigint      not null,
  primary key (operation, path, kind)
);
comment on table  ops.drift               is 'Fields in answers that the contract does not name, each listed once.';
comment on column ops.drift.operation     is 'Operation of the API.';
comment on column ops.drift.path          is 'Where the field stands; [] is any item of a list, {} any key of a map.';
comment on column ops.drift.kind          is 'Type of its value when first seen.';
comment on column ops.drift.first_seen_at is 'When it was first seen.';
comment on column ops.drift.slice_id      is 'Slice whose answer held it first.';
