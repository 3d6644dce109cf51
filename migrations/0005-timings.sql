-- When what was answered is asked for again, so that SQL can tell what is stale: the timings of the program and its configuration.

create table ops.dataset (
  dataset  text        primary key,
  stage    text        not null check (stage in ('portfolio', 'listing', 'market')),
  is_on    boolean     not null,
  noted_at timestamptz not null
);
comment on table  ops.dataset          is 'Datasets that the program knows, as the last process was configured that planned.';
comment on column ops.dataset.stage    is 'portfolio (tells what is followed), listing (tells what else others are planned from) or market.';
comment on column ops.dataset.is_on    is 'True where it takes part in a sync that names no dataset.';
comment on column ops.dataset.noted_at is 'When the line last changed.';
select ops.comment_columns('ops.dataset');

create table ops.dataset_timing (
  dataset          text    not null,
  scope            jsonb   not null,
  is_default       boolean not null,
  kind             text    not null check (kind in ('series', 'period', 'snapshot')),
  settle_days      integer,
  lookback_days    integer,
  history_days     integer,
  first_day        date,
  pack_days        integer,
  refresh_days     integer,
  empty_holds_days integer,
  empty_until_days integer,
  empty_early_days integer,
  keep_months      integer,
  primary key (dataset, scope)
);
comment on table  ops.dataset_timing                  is 'When each dataset asks again, with what the configuration changes: one default a dataset, and the scopes whose timing is their own.';
comment on column ops.dataset_timing.scope            is 'Who it holds for; of a default, which holds for all others, null as JSON.';
comment on column ops.dataset_timing.is_default       is 'True for the line that holds where the scope has none of its own.';
comment on column ops.dataset_timing.kind             is 'series (days), period (whole periods) or snapshot (only what holds now can be asked for).';
comment on column ops.dataset_timing.settle_days      is 'Newest days that are not published yet, today counted; null for a snapshot.';
comment on column ops.dataset_timing.lookback_days    is 'Days behind those that the source restates; null for a snapshot.';
comment on column ops.dataset_timing.history_days     is 'How far back a sync that names no start reaches; null for a snapshot.';
comment on column ops.dataset_timing.first_day        is 'First day that is asked for at all; null where history_days says it.';
comment on column ops.dataset_timing.pack_days        is 'Days that are asked for together, counted from Monday, 2007-01-01; null where each day is asked for as soon as it is out.';
comment on column ops.dataset_timing.refresh_days     is 'Days after which a snapshot is asked for again; null for all else.';
comment on column ops.dataset_timing.empty_holds_days is 'Days after which an answer of nothing is asked for again; null where it is final.';
comment on column ops.dataset_timing.empty_until_days is 'The newest so many days alone are asked for again for that reason; null for all of them.';
comment on column ops.dataset_timing.empty_early_days is 'Days by which an answer of nothing is final later than others; null for a snapshot.';
comment on column ops.dataset_timing.keep_months      is 'Whole months before the current one of which rows are kept: nothing older is asked for; null without end.';
select ops.comment_columns('ops.dataset_timing');
