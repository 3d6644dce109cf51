-- Problems that a worker finds, about once a minute, and the messages about them.

create table ops.incident (
  incident_id       bigint      primary key generated always as identity,
  kind              text        not null,
  subject           text        not null,
  account_id        text        not null,
  summary           text        not null,
  detail            jsonb       not null,
  opened_at         timestamptz not null,
  last_seen_at      timestamptz not null,
  clean_checks      integer     not null default 0,
  closed_at         timestamptz,
  notified_at       timestamptz,
  close_notified_at timestamptz
);
create unique index incident_open       on ops.incident (kind, subject, account_id) where closed_at is null;
create index        incident_unnotified on ops.incident (incident_id) where close_notified_at is null;
comment on table  ops.incident                   is 'Problems that the workers found, with start, end and the times of the messages to the webhook.';
comment on column ops.incident.incident_id       is 'Number of the incident. A receiver of messages can recognise a repeated message by it.';
comment on column ops.incident.kind              is 'slices_failed, dataset_stale, credits_short, contract_drift, cost_changed or requests_stopped.';
comment on column ops.incident.subject           is 'Subject of the problem: a dataset with an error code, a dataset or an operation; empty where the kind needs none.';
comment on column ops.incident.account_id        is 'Account with the problem, as the shortened hash of its key; empty when the problem is in the warehouse.';
comment on column ops.incident.summary           is 'Text: what is wrong, with its latest figures, and what to do next.';
comment on column ops.incident.detail            is 'Latest figures.';
comment on column ops.incident.opened_at         is 'When it was first seen.';
comment on column ops.incident.last_seen_at      is 'When it was last seen.';
comment on column ops.incident.clean_checks      is 'Checks in a row that did not find the problem; the tenth closes the incident.';
comment on column ops.incident.closed_at         is 'When it was closed; null while it is open.';
comment on column ops.incident.notified_at       is 'When the webhook last accepted a message that it is open; null until then. It is notified again a day later.';
comment on column ops.incident.close_notified_at is 'When the webhook accepted the message that it closed; null until then.';

create table ops.watch (
  is_only         boolean primary key default true check (is_only),
  checked_at      timestamptz,
  notify_after    timestamptz,
  notify_failures integer not null default 0
);
comment on table  ops.watch                 is 'One row, by which the workers take turns: time of the last check for problems, and earliest time of the next message to the webhook.';
comment on column ops.watch.is_only         is 'Always true, so that the table has one row.';
comment on column ops.watch.checked_at      is 'When a worker last started a check.';
comment on column ops.watch.notify_after    is 'Earliest time of the next message to the webhook: another worker sends one now, or the webhook did not accept the last one.';
comment on column ops.watch.notify_failures is 'Messages in a row that the webhook did not accept. The wait grows with their number.';

insert into ops.watch default values;

create view ops.incident_log as
select incident_id, kind, subject, summary, opened_at, last_seen_at, closed_at, closed_at is null as is_open, notified_at, close_notified_at
from   ops.incident;
comment on view   ops.incident_log                   is 'One row per incident, open or closed, with the times of the messages to the webhook. What is wrong now? How often was a dataset late last month?';
comment on column ops.incident_log.incident_id       is 'Number of the incident.';
comment on column ops.incident_log.kind              is 'slices_failed, dataset_stale, credits_short, contract_drift, cost_changed or requests_stopped.';
comment on column ops.incident_log.subject           is 'Subject of the problem: a dataset with an error code, a dataset or an operation; empty where the kind needs none.';
comment on column ops.incident_log.summary           is 'Text: what is wrong, with its latest figures, and what to do next.';
comment on column ops.incident_log.opened_at         is 'When it was first seen.';
comment on column ops.incident_log.last_seen_at      is 'When it was last seen.';
comment on column ops.incident_log.closed_at         is 'When it was closed; null while it is open.';
comment on column ops.incident_log.is_open           is 'True until it is closed.';
comment on column ops.incident_log.notified_at       is 'When the webhook last accepted a message that it is open; null until then.';
comment on column ops.incident_log.close_notified_at is 'When the webhook accepted the message that it closed; null until then.';
