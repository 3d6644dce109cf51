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
  observed_at     timestamptz
);
comment on table  ops.credit_account                 is 'Allowance of each API key, as the service last told it, with what is held for calls under way.';
comment on column ops.credit_account.account_id      is 'Shortened hash of the API key; the key itself is stored nowhere.';
comment on column ops.credit_account.total           is 'Credits a period; null until the service told.';
comment on column ops.credit_account.remaining       is 'Credits left; null until the service told. While calls overlap only a lower figure is believed.';
comment on column ops.credit_account.resets_at       is 'When the period ends.';
comment on column ops.credit_account.period_hours    is 'Length of a period in hours.';
comment on column ops.credit_account.held            is 'Credits held for calls that have not been answered.';
comment on column ops.credit_account.in_flight       is 'Calls that have not been answered.';
comment on column ops.credit_account.overlapped      is 'True when calls overlapped since the last moment at which none was under way.';
comment on column ops.credit_account.pace_per_second is 'Requests a second that all workers together may start; halved on a refusal, recovered slowly.';
comment on column ops.credit_account.next_start_at   is 'When the next request may start.';
comment on column ops.credit_account.slowed_at       is 'When the pace was last halved.';
comment on column ops.credit_account.observed_at     is 'When the service last told the balance.';

create table ops.credit_hold (
  hold_id    bigint      primary key generated always as identity,
  account_id text        not null references ops.credit_account (account_id),
  class      text        not null,
  cost       integer     not null,
  slice_id   bigint,
  worker_id  bigint,
  expires_at timestamptz not null
);
create index credit_hold_expiry on ops.credit_hold (account_id, expires_at);
comment on table  ops.credit_hold            is 'Credits held for calls under way. What a dead worker held is let go at once and taken for charged until the service tells the balance; what nobody ends expires.';
comment on column ops.credit_hold.hold_id    is 'Number of the hold.';
comment on column ops.credit_hold.account_id is 'Account.';
comment on column ops.credit_hold.class      is 'Credit class; person for what is asked by a command.';
comment on column ops.credit_hold.cost       is 'Credits held.';
comment on column ops.credit_hold.slice_id   is 'Slice that the call is for; null for questions of people and about the account itself.';
comment on column ops.credit_hold.worker_id  is 'The process that holds them; null when it is in no ledger.';
comment on column ops.credit_hold.expires_at is 'When the hold lapses by itself.';

create table ops.credit_cost (
  operation    text        primary key,
  documented   integer     not null,
  learned      integer     not null,
  sample_count bigint      not null,
  last_seen_at timestamptz not null
);
comment on table  ops.credit_cost              is 'What each operation is documented to cost and what the service last charged for it.';
comment on column ops.credit_cost.documented   is 'Credits a call by the contract.';
comment on column ops.credit_cost.learned      is 'Credits the last successful call cost.';
comment on column ops.credit_cost.sample_count is 'Successful calls seen.';
comment on column ops.credit_cost.last_seen_at is 'When the last of them was answered.';
select ops.comment_columns('ops.credit_cost');

create table ops.account_stop (
  account_id   text        primary key,
  code         text        not null,
  operation    text        not null,
  dataset      text        not null,
  message      text        not null,
  stopped_at   timestamptz not null,
  look_count   integer     not null,
  next_look_at timestamptz not null,
  lifted_at    timestamptz
);
comment on table  ops.account_stop              is 'Accounts that the API refused, one row each: nothing is asked for until a look, by the free question for the balance, finds the token accepted.';
comment on column ops.account_stop.account_id   is 'Account, by the shortened hash of its key; another token is another account.';
comment on column ops.account_stop.code         is 'Stable code of the refusal.';
comment on column ops.account_stop.operation    is 'Operation that was refused.';
comment on column ops.account_stop.dataset      is 'Dataset that it was asked for; empty where it was none.';
comment on column ops.account_stop.message      is 'The refusal in words, with what to do next.';
comment on column ops.account_stop.stopped_at   is 'When asking stopped, by the clock of the database.';
comment on column ops.account_stop.look_count   is 'Looks since it was first refused; each is twice as far off as the one before, up to an hour.';
comment on column ops.account_stop.next_look_at is 'When one of the workers looks again.';
comment on column ops.account_stop.lifted_at    is 'When asking began again; null while it is stopped.';
