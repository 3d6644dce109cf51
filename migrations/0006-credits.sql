-- The allowance, shared by all workers of one API key.

create table ops.credit_account (
  account_id      text             primary key,
  total           integer,
  remaining       integer,
  resets_at       timestamptz,
  period_hours    numeric,
  held            integer          not null default 0,
  in_flight       integer          not null default 0,
  overlapped      boolean          not null default false,
  pace_per_second double precision not null check (pace_per_second > 0),
  next_start_at   timestamptz      not null,
  slowed_at       timestamptz,
  observed_at     timestamptz,
  account         text             not null default '',
  budgets_opened  integer          not null default 0
);
comment on table  ops.credit_account                 is 'Allowance of each API key, as the service last reported it, and the credits held for calls in flight.';
comment on column ops.credit_account.account_id      is 'Shortened hash of the API key; the key itself is stored nowhere.';
comment on column ops.credit_account.account         is 'Name of the account, as accounts in the configuration has it; empty for that of API_TOKEN. A replaced token keeps its row.';
comment on column ops.credit_account.budgets_opened  is 'How often rows of budgets were added: credits are not granted by a statement that does not see the newest.';
comment on column ops.credit_account.total           is 'Credits per period; null until the service reports them.';
comment on column ops.credit_account.remaining       is 'Credits left; null until the service reports them. While calls overlap, only a lower figure replaces this one.';
comment on column ops.credit_account.resets_at       is 'When the period ends.';
comment on column ops.credit_account.period_hours    is 'Length of a period in hours.';
comment on column ops.credit_account.held            is 'Credits held for calls in flight.';
comment on column ops.credit_account.in_flight       is 'Calls in flight.';
comment on column ops.credit_account.overlapped      is 'True when calls have overlapped since the last moment without a call in flight.';
comment on column ops.credit_account.pace_per_second is 'Requests per second that all workers together may start. A refusal halves it; it recovers slowly.';
comment on column ops.credit_account.next_start_at   is 'When the next request may start.';
comment on column ops.credit_account.slowed_at       is 'When the pace was last halved.';
comment on column ops.credit_account.observed_at     is 'When the service last reported the balance.';

create table ops.credit_hold (
  hold_id    bigint      primary key generated always as identity,
  account_id text        not null,
  cost       integer     not null,
  slice_id   bigint,
  dataset    text,
  app        text,
  worker_id  bigint,
  budget_ids bigint[]    not null default '{}',
  plan_id    bigint,
  expires_at timestamptz not null
);
create index credit_hold_expiry on ops.credit_hold (account_id, expires_at);
comment on table  ops.credit_hold            is 'Credits held for calls in flight. The holds of a worker whose lease expired are released at once and counted as spent until the service reports the balance. A hold that is never settled expires.';
comment on column ops.credit_hold.hold_id    is 'Number of the hold.';
comment on column ops.credit_hold.account_id is 'Account.';
comment on column ops.credit_hold.cost       is 'Credits held.';
comment on column ops.credit_hold.slice_id   is 'Slice of the call; null for requests about the account and for requests of a command.';
comment on column ops.credit_hold.dataset    is 'Dataset that the call is for; empty if it is for none.';
comment on column ops.credit_hold.app        is 'Track id of the app that the call is about; null if it is about none or several.';
comment on column ops.credit_hold.worker_id  is 'Process that holds the credits; null when it is not in ops.worker.';
comment on column ops.credit_hold.budget_ids is 'Budgets from which they are taken.';
comment on column ops.credit_hold.plan_id    is 'Plan from whose price they are taken; null if the slice is of no plan.';
comment on column ops.credit_hold.expires_at is 'When the hold expires automatically.';

create table ops.credit_budget (
  budget_id     bigint  primary key generated always as identity,
  account_id    text    not null,
  budget        text    not null,
  period        text    not null check (period in ('day', 'month')),
  starts_on     date    not null,
  ends_on       date    not null,
  credits       integer not null,
  datasets      text[],
  apps          text[],
  taken_credits bigint  not null default 0,
  refused_at    timestamptz
);
create index credit_budget_period on ops.credit_budget (account_id, ends_on);
comment on table  ops.credit_budget               is 'Budgets from credits.budgets in the configuration, one row for each day or month, and another one for each change of its limit, datasets or apps. A row is locked while credits are taken from it, so that several workers together stay within the budget.';
comment on column ops.credit_budget.budget_id     is 'Number of the budget in this period.';
comment on column ops.credit_budget.account_id    is 'Account, as the shortened hash of its key.';
comment on column ops.credit_budget.budget        is 'Name of the budget.';
comment on column ops.credit_budget.period        is 'day or month, of the calendar (UTC).';
comment on column ops.credit_budget.starts_on     is 'First day of the period.';
comment on column ops.credit_budget.ends_on       is 'First day of the next period.';
comment on column ops.credit_budget.credits       is 'Most credits that may be spent in the period. Only requests for data that would otherwise be lost may exceed it.';
comment on column ops.credit_budget.datasets      is 'Datasets to which it applies; null for all.';
comment on column ops.credit_budget.apps          is 'Track ids of the apps to which it applies; null for all requests.';
comment on column ops.credit_budget.taken_credits is 'Credits charged in the period, plus credits that are held, plus credits of calls without a reply, which may have been charged.';
comment on column ops.credit_budget.refused_at    is 'When it first had no credits left for a call; null again once a call has taken less than its price.';

create table ops.credit_cost (
  operation    text        primary key,
  documented   integer     not null,
  learned      integer     not null,
  last_seen_at timestamptz not null,
  last_charged integer,
  wrong_price  integer,
  wrong_drop   integer,
  wrong_at     timestamptz,
  is_avoidable boolean     not null default false
);
comment on table  ops.credit_cost              is 'Documented price of each operation and the price that the service charges.';
comment on column ops.credit_cost.documented   is 'Credits per call in the contract.';
comment on column ops.credit_cost.learned      is 'Credits per call, as reported by two answers in a row or by one answer that the balance confirms. Until then it is the documented price.';
comment on column ops.credit_cost.last_seen_at is 'When a successful call was last recorded: at a new price, else once an hour.';
comment on column ops.credit_cost.last_charged is 'Credits that the last successful call cost, if its price is accepted.';
comment on column ops.credit_cost.wrong_price  is 'The last price in a reply that was not accepted; its call was booked at the documented price. Null if there was none.';
comment on column ops.credit_cost.wrong_drop   is 'Credits by which the balance fell during that call; null if other calls ran at the same time.';
comment on column ops.credit_cost.wrong_at     is 'When that reply came.';
comment on column ops.credit_cost.is_avoidable is 'True if plans can use another operation that returns the same data.';
select ops.comment_columns('ops.credit_cost');

create table ops.credit_forecast (
  account_id      text        not null,
  made_on         date        not null,
  date_day        date        not null,
  starts_at       timestamptz not null,
  planned_credits integer     not null,
  waiting_credits integer     not null,
  budget_credits  jsonb       not null,
  made_at         timestamptz not null,
  primary key (account_id, made_on, date_day)
);
comment on table  ops.credit_forecast                 is 'What was expected to be charged on each future day: the last forecast made on each day, with one row for each day to the end of the credit period and of the month, kept for 90 days. The actual charges are in ops.request; storehouse credits shows both.';
comment on column ops.credit_forecast.account_id      is 'Account, as the shortened hash of its key.';
comment on column ops.credit_forecast.made_on         is 'Day (UTC) on which the forecast was made.';
comment on column ops.credit_forecast.date_day        is 'Day (UTC) of the forecast; for the day on which the forecast was made, the rest of it.';
comment on column ops.credit_forecast.starts_at       is 'When the run of the day begins that takes most credits; the start of the day if there is none.';
comment on column ops.credit_forecast.planned_credits is 'Credits for slices that the runs of the day plan, as far as budgets allow.';
comment on column ops.credit_forecast.waiting_credits is 'Credits for slices that were open when the forecast was made and run on that day.';
comment on column ops.credit_forecast.budget_credits  is 'By name and period of a budget, and a digest of its datasets and apps: the credits for slices (without history) that the runs of the day plan and to which the budget applies, even if they exceed it.';
comment on column ops.credit_forecast.made_at         is 'When it was made.';

create table ops.account_stop (
  account_id   text        not null,
  operation    text        not null,
  subject      text        not null default '',
  code         text        not null,
  dataset      text        not null,
  message      text        not null,
  first_stopped_at timestamptz not null,
  stopped_at   timestamptz not null,
  check_count   integer     not null,
  next_check_at timestamptz not null,
  lifted_at    timestamptz,
  primary key (account_id, operation, subject)
);
comment on table  ops.account_stop              is 'Operations that the API refused to an account, one row for each organisation or app. All requests of the account stop until a balance check finds that the token is accepted.';
comment on column ops.account_stop.account_id   is 'Account, as the shortened hash of its key. A different token is a different account.';
comment on column ops.account_stop.code         is 'Stable code of the refusal.';
comment on column ops.account_stop.operation    is 'Operation that was refused.';
comment on column ops.account_stop.subject      is 'Organisation or app of the refused request; empty when it had none.';
comment on column ops.account_stop.dataset      is 'Dataset of the refused request; empty when it had none.';
comment on column ops.account_stop.message      is 'Text of the refusal, with what to do next.';
comment on column ops.account_stop.first_stopped_at is 'When it was refused first. A refusal within two hours of the end of the last one continues that one.';
comment on column ops.account_stop.stopped_at   is 'When requests stopped, by the clock of the database.';
comment on column ops.account_stop.check_count   is 'Balance checks since the first refusal. The wait doubles from check to check, up to an hour.';
comment on column ops.account_stop.next_check_at is 'When a worker checks the balance next.';
comment on column ops.account_stop.lifted_at    is 'When requests resumed; null while they are stopped.';

create table ops.agreement (
  account_id text        not null,
  dataset    text        not null,
  credits    integer     not null,
  agreed_at  timestamptz not null,
  agreed_by  text        not null check (agreed_by in ('terminal', '--yes')),
  primary key (account_id, dataset)
);
comment on table  ops.agreement            is 'What someone has agreed to spend. A sync of what has no row here requires an agreement (its own, of the days that it names, or --max-credits, adds none). A worker plans only what has one when a planning job runs, and retries failed slices of a person''s sync only if their dataset has one.';
comment on column ops.agreement.account_id is 'Account, as the shortened hash of its key. A different token is a different account.';
comment on column ops.agreement.dataset    is 'Dataset for which someone agreed; empty for everything that is on, or that a line of the crontab or a command names.';
comment on column ops.agreement.credits    is 'Price that was shown, as far as it was known. For people: no program reads it.';
comment on column ops.agreement.agreed_at  is 'When someone agreed.';
comment on column ops.agreement.agreed_by  is 'How someone agreed: at a terminal, or with --yes. For people: no program reads it.';
