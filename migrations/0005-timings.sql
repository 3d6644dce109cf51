-- When each dataset is fetched again, after program and configuration, so that SQL can compute which answers are stale.

create table ops.dataset (
  dataset  text        primary key,
  stage    text        not null check (stage in ('portfolio', 'listing', 'market')),
  is_on    boolean     not null,
  is_switched_off boolean not null default false,
  off_from date,
  off_through date,
  items_are_apps boolean not null default false,
  countries text[]
);
comment on table  ops.dataset          is 'Datasets of the program, as configured in the process that planned last.';
comment on column ops.dataset.stage    is 'portfolio (the tracked apps and keywords), listing (other lists from which later datasets are planned) or market.';
comment on column ops.dataset.is_on    is 'True when a sync without dataset names includes it.';
comment on column ops.dataset.is_switched_off is 'True when the configuration switches it off: even a crontab line that names it does not plan it.';
comment on column ops.dataset.off_from is 'First day of the last period in which plannings found it switched off; null if none did.';
comment on column ops.dataset.off_through is 'Last day on which a planning found it switched off; null if none did. Nothing was due from off_from through this day.';
comment on column ops.dataset.items_are_apps is 'True when the items of its slices are apps: a track id (123), or a country and a track id (US:123).';
comment on column ops.dataset.countries is 'Countries to which the configuration limits it; null if it covers all countries of the portfolio.';
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
  pack_is_full     boolean,
  refresh_days     integer,
  refresh_since    date,
  earlier_refresh_days integer,
  empty_holds_days integer,
  empty_until_days integer,
  empty_early_days integer,
  keep_months      integer,
  account          text    not null default '',
  primary key (dataset, scope)
);
comment on table  ops.dataset_timing                  is 'When each dataset is fetched again, according to the program and the configuration: one default per dataset, and one row for each scope with its own timing.';
comment on column ops.dataset_timing.scope            is 'Scope that the timing applies to; null as JSON for the default, which applies to all other scopes.';
comment on column ops.dataset_timing.is_default       is 'True for the row that applies to scopes without a row of their own.';
comment on column ops.dataset_timing.kind             is 'series (days), period (whole periods) or snapshot (only the current state can be requested).';
comment on column ops.dataset_timing.settle_days      is 'Number of the newest days, including today, that are not published yet; null for a snapshot.';
comment on column ops.dataset_timing.lookback_days    is 'Number of days before those that the source may still restate and that are fetched again; null for a snapshot.';
comment on column ops.dataset_timing.history_days     is 'How many days back a sync without a start date reaches; null for a snapshot.';
comment on column ops.dataset_timing.first_day        is 'First day that is ever requested; null if history_days decides.';
comment on column ops.dataset_timing.pack_days        is 'Number of days in one request, counted from Monday, 2007-01-01; null if each day is requested as soon as it is published.';
comment on column ops.dataset_timing.pack_is_full     is 'True if no request can cover more days than pack_days; else null.';
comment on column ops.dataset_timing.refresh_days     is 'Days after which a snapshot is fetched again; null for other kinds.';
comment on column ops.dataset_timing.refresh_since    is 'Day since which refresh_days applies; null if it never changed.';
comment on column ops.dataset_timing.earlier_refresh_days is 'Value of refresh_days before refresh_since.';
comment on column ops.dataset_timing.empty_holds_days is 'Days after which an empty answer is fetched again; null if an empty answer is final.';
comment on column ops.dataset_timing.empty_until_days is 'Number of the newest days to which empty_holds_days applies; null if it applies to all days.';
comment on column ops.dataset_timing.empty_early_days is 'Number of days by which an empty answer, or one with status 404, becomes final later than others; null for a snapshot.';
comment on column ops.dataset_timing.account          is 'Account whose planning recorded it last; empty for that of API_TOKEN.';
comment on column ops.dataset_timing.keep_months      is 'Number of whole months before the current one that are kept and requested; null without a limit.';
select ops.comment_columns('ops.dataset_timing');

create table ops.next_run (
  line_id   text        not null,
  datasets  text[]      not null,
  runs_at   timestamptz not null,
  slices    integer     not null,
  requests  integer     not null,
  credits   bigint      not null,
  priced_at timestamptz not null,
  over_budget_slices  integer not null default 0,
  over_budget_credits bigint  not null default 0,
  account   text        not null default '',
  primary key (account, line_id)
);
comment on table  ops.next_run           is 'Next run of each crontab line that plans, priced by the worker that planned last.';
comment on column ops.next_run.account             is 'Account of the run; empty for that of API_TOKEN.';
comment on column ops.next_run.line_id   is 'Crontab line, by its id.';
comment on column ops.next_run.datasets  is 'Datasets that the line names; empty for all that are on.';
comment on column ops.next_run.runs_at   is 'When it runs next.';
comment on column ops.next_run.slices    is 'Slices that it will plan, provided that earlier slices are loaded by then.';
comment on column ops.next_run.requests  is 'Requests that these slices are expected to need.';
comment on column ops.next_run.credits   is 'Credits that these slices are expected to cost.';
comment on column ops.next_run.priced_at is 'When the price was calculated.';
comment on column ops.next_run.over_budget_slices  is 'Number of these slices that budgets are expected to put off to the next day or month.';
comment on column ops.next_run.over_budget_credits is 'Credits that these slices are expected to cost.';
