-- Problems that a worker finds, about once a minute, and the messages about them.

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
comment on table  ops.incident                  is 'Problems that the workers found, with start, end and the times of the two messages to the webhook.';
comment on column ops.incident.incident_id      is 'Number of the incident. A receiver of messages can recognise a repeated message by it.';
comment on column ops.incident.kind             is 'slices_failed, dataset_stale, credits_short, contract_drift, cost_changed or asking_stopped.';
comment on column ops.incident.subject          is 'Subject of the problem: a dataset with an error code, a dataset or an operation; empty where the kind needs none.';
comment on column ops.incident.account_id       is 'Account with the problem, as the shortened hash of its key; empty when the problem is in the warehouse.';
comment on column ops.incident.summary          is 'Text: what is wrong, with its latest figures, and what to do next.';
comment on column ops.incident.detail           is 'Latest figures.';
comment on column ops.incident.opened_at        is 'When it was first seen.';
comment on column ops.incident.last_seen_at     is 'When it was last seen.';
comment on column ops.incident.looks_away       is 'Checks in a row that did not find the problem.';
comment on column ops.incident.looks_to_close   is 'Checks in a row without the problem after which it is closed; more when it had come back within a day.';
comment on column ops.incident.closed_at        is 'When it was closed; null while it is open.';
comment on column ops.incident.told_at          is 'When the webhook accepted the message that it opened; null until then.';
comment on column ops.incident.recovery_told_at is 'When the webhook accepted the message that it closed; null until then.';

create table ops.watch (
  is_only       boolean primary key default true check (is_only),
  looked_at     timestamptz,
  tell_after    timestamptz,
  tell_failures integer not null default 0
);
comment on table  ops.watch               is 'One row, by which the workers take turns: time of the last check for problems, and earliest time of the next message to the webhook.';
comment on column ops.watch.is_only       is 'Always true, so that the table has one row.';
comment on column ops.watch.looked_at     is 'When a worker last started a check.';
comment on column ops.watch.tell_after    is 'Earliest time of the next message to the webhook: another worker sends one now, or the webhook did not accept the last one.';
comment on column ops.watch.tell_failures is 'Messages in a row that the webhook did not accept. The wait grows with their number.';

insert into ops.watch default values;

create view ops.incident_log as
select incident_id, kind, subject, summary, opened_at, last_seen_at, closed_at, closed_at is null as is_open, told_at, recovery_told_at
from   ops.incident;
comment on view   ops.incident_log                  is 'One row per incident, open or closed, with the times of the messages to the webhook. What is wrong now? How often was a dataset late last month?';
comment on column ops.incident_log.incident_id      is 'Number of the incident.';
comment on column ops.incident_log.kind             is 'slices_failed, dataset_stale, credits_short, contract_drift, cost_changed or asking_stopped.';
comment on column ops.incident_log.subject          is 'Subject of the problem: a dataset with an error code, a dataset or an operation; empty where the kind needs none.';
comment on column ops.incident_log.summary          is 'Text: what is wrong, with its latest figures, and what to do next.';
comment on column ops.incident_log.opened_at        is 'When it was first seen.';
comment on column ops.incident_log.last_seen_at     is 'When it was last seen.';
comment on column ops.incident_log.closed_at        is 'When it was closed; null while it is open.';
comment on column ops.incident_log.is_open          is 'True until it is closed.';
comment on column ops.incident_log.told_at          is 'When the webhook accepted the message that it opened; null until then.';
comment on column ops.incident_log.recovery_told_at is 'When the webhook accepted the message that it closed; null until then.';
