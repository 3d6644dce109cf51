-- What is wrong and who was told: a worker looks about every minute.

create table ops.incident (
  incident_id      bigint      primary key generated always as identity,
  kind             text        not null,
  subject          text        not null,
  account_id       text        not null,
  summary          text        not null,
  detail           jsonb       not null,
  opened_at        timestamptz not null,
  last_seen_at     timestamptz not null,
  looks_away       integer     not null default 0,
  looks_to_close   integer     not null,
  closed_at        timestamptz,
  told_at          timestamptz,
  recovery_told_at timestamptz
);
create unique index incident_open   on ops.incident (kind, subject, account_id) where closed_at is null;
create index        incident_untold on ops.incident (incident_id) where recovery_told_at is null;
create index        incident_closed on ops.incident (kind, subject, closed_at);
comment on table  ops.incident                  is 'What was found to be wrong, from when to when, and when the webhook was told of it: once when it opened and once when it was over.';
comment on column ops.incident.incident_id      is 'Number of the incident; a receiver of messages can tell a repeated one by it.';
comment on column ops.incident.kind             is 'slices_failed, dataset_stale, credits_short, contract_drift, cost_changed or asking_stopped.';
comment on column ops.incident.subject          is 'What it is about: a dataset with an error code, a dataset, an operation; empty where the kind says it all.';
comment on column ops.incident.account_id       is 'Account that it is about, by the shortened hash of its key; empty when it is about the warehouse.';
comment on column ops.incident.summary          is 'In words: what is wrong, with its figures as last seen, and what to do next.';
comment on column ops.incident.detail           is 'The figures as last seen.';
comment on column ops.incident.opened_at        is 'When it was first seen.';
comment on column ops.incident.last_seen_at     is 'When it was last seen.';
comment on column ops.incident.looks_away       is 'Looks in a row that did not find it any more.';
comment on column ops.incident.looks_to_close   is 'So many looks in a row must not find it before it counts as over; more where it came back within a day.';
comment on column ops.incident.closed_at        is 'When it was over; null while it is open.';
comment on column ops.incident.told_at          is 'When the webhook took the message that it opened; null while it did not.';
comment on column ops.incident.recovery_told_at is 'When the webhook took the message that it is over; null while it did not.';

create table ops.watch (
  is_only       boolean primary key default true check (is_only),
  looked_at     timestamptz,
  tell_after    timestamptz,
  tell_failures integer not null default 0
);
comment on table  ops.watch               is 'One row: when the workers last looked for what is wrong, and when the webhook may be told again. They take turns by it.';
comment on column ops.watch.is_only       is 'Always true: there is one row.';
comment on column ops.watch.looked_at     is 'When a worker last began to look.';
comment on column ops.watch.tell_after    is 'The webhook is not told before this instant: somebody is telling it now, or it did not take the last message.';
comment on column ops.watch.tell_failures is 'Messages in a row that the webhook did not take; the wait grows with them.';

insert into ops.watch default values;

create view ops.incident_log as
select incident_id, kind, subject, summary, opened_at, last_seen_at, closed_at, closed_at is null as is_open, told_at, recovery_told_at
from   ops.incident;
comment on view   ops.incident_log                  is 'One row an incident, open or over: what was wrong, from when to when, and whether the webhook took the message. What is wrong now? How often was a dataset late last month?';
comment on column ops.incident_log.incident_id      is 'Number of the incident.';
comment on column ops.incident_log.kind             is 'slices_failed, dataset_stale, credits_short, contract_drift, cost_changed or asking_stopped.';
comment on column ops.incident_log.subject          is 'What it is about: a dataset with an error code, a dataset, an operation; empty where the kind says it all.';
comment on column ops.incident_log.summary          is 'In words: what is wrong, with its figures as last seen, and what to do next.';
comment on column ops.incident_log.opened_at        is 'When it was first seen.';
comment on column ops.incident_log.last_seen_at     is 'When it was last seen.';
comment on column ops.incident_log.closed_at        is 'When it was over; null while it is open.';
comment on column ops.incident_log.is_open          is 'True while it is not over.';
comment on column ops.incident_log.told_at          is 'When the webhook took the message that it opened; null while it did not.';
comment on column ops.incident_log.recovery_told_at is 'When the webhook took the message that it is over; null while it did not.';
