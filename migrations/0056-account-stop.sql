-- When the API refuses token or account, all processes of the account stop asking.

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
