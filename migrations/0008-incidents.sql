-- Problems that a worker finds, about once a minute, what alerts fired, and the messages about both.

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
comment on table  ops.incident                   is 'Problems that the workers found, with their start, end and the times of the messages to the webhook.';
comment on column ops.incident.incident_id       is 'Number of the incident. A receiver of messages can recognise a repeated message by it.';
comment on column ops.incident.kind              is 'Kind of the problem, such as api_unavailable; the documentation lists all.';
comment on column ops.incident.subject           is 'Subject of the problem: an app, a dataset with an error code, a dataset, or an operation; empty if the kind needs none.';
comment on column ops.incident.account_id        is 'Account with the problem, as the shortened hash of its key; empty when the problem is in the warehouse.';
comment on column ops.incident.summary           is 'Text: what happened, since when, what it means for the data, and which command to run.';
comment on column ops.incident.detail            is 'Latest figures.';
comment on column ops.incident.opened_at         is 'When a check first found it; since in the column detail shows when the problem began.';
comment on column ops.incident.last_seen_at      is 'When it was last seen.';
comment on column ops.incident.clean_checks      is 'Checks in a row that did not find the problem; the tenth closes the incident.';
comment on column ops.incident.closed_at         is 'When it was closed; null while it is open.';
comment on column ops.incident.notified_at       is 'When the webhook last accepted a message about the open incident; null until then. Another message follows after notify.repeat_hours.';
comment on column ops.incident.close_notified_at is 'When the webhook accepted the message about the closing; null until then.';

create table ops.watch (
  is_only         boolean primary key default true check (is_only),
  notify_after    timestamptz,
  pinged_at       timestamptz,
  notify_failures integer not null default 0
);
comment on table  ops.watch                 is 'One row with which the workers take turns: earliest time of the next message to the webhook, and time of the last ping.';
comment on column ops.watch.is_only         is 'Always true, so that the table has one row.';
comment on column ops.watch.notify_after    is 'Earliest time of the next message to the webhook: another worker sends one now, or the webhook did not accept the last one.';
comment on column ops.watch.pinged_at       is 'When a worker last requested NOTIFY_PING_URL.';
comment on column ops.watch.notify_failures is 'Messages in a row that the webhook did not accept. The wait grows with their number.';

insert into ops.watch default values;

create table ops.watch_check (
  account_id    text        primary key,
  checked_at    timestamptz not null,
  full_check_at timestamptz not null
);
comment on table  ops.watch_check               is 'Checks for problems of the warehouse and of each account, with which the workers take turns. Only the workers of an account check that account.';
comment on column ops.watch_check.account_id    is 'Account, as the shortened hash of its key; empty for the warehouse.';
comment on column ops.watch_check.checked_at    is 'When a worker last started a check.';
comment on column ops.watch_check.full_check_at is 'When a worker last checked for every kind of problem. Without new requests this happens every ten minutes.';

create table ops.api_outage (
  account_id text        primary key,
  code       text        not null,
  since_at   timestamptz not null,
  seen_at    timestamptz not null,
  ended_at   timestamptz
);
comment on table  ops.api_outage            is 'For each account, the last period in which the API did not respond, as seen by the processes that wait for it.';
comment on column ops.api_outage.account_id is 'Account, as the shortened hash of its key.';
comment on column ops.api_outage.code       is 'Error code of the calls.';
comment on column ops.api_outage.since_at   is 'When the first process found that the API did not respond.';
comment on column ops.api_outage.seen_at    is 'When a process last saw the outage; it is over when none has seen it for three minutes.';
comment on column ops.api_outage.ended_at   is 'When the API responded again; null until a process has seen that.';

create table ops.finding (
  kind         text        not null,
  subject      text        not null,
  account_id   text        not null,
  facts        jsonb       not null,
  found_at     timestamptz not null,
  stands_until timestamptz,
  primary key (kind, subject, account_id)
);
comment on table  ops.finding              is 'Problems that processes noticed during their work and that someone should know about; each is an incident while it lasts.';
comment on column ops.finding.kind         is 'Kind of incident that it becomes.';
comment on column ops.finding.subject      is 'Subject of the problem; empty if the kind needs none.';
comment on column ops.finding.account_id   is 'Account with the problem, as the shortened hash of its key; empty when the problem is in the warehouse.';
comment on column ops.finding.facts        is 'Figures.';
comment on column ops.finding.found_at     is 'When it was first found.';
comment on column ops.finding.stands_until is 'When it is over, unless it is found again; null if it lasts until a process ends it.';

create view ops.incident_log as
select i.incident_id, i.kind, i.subject, c.account, i.summary, i.opened_at, i.last_seen_at, i.closed_at, i.closed_at is null as is_open, i.notified_at,
       i.close_notified_at, i.detail
from   ops.incident as i
left   join ops.credit_account as c on c.account_id = i.account_id;
comment on view   ops.incident_log                   is 'One row per incident, open or closed, with the times of the messages to the webhook. What is wrong now? How often was a dataset late last month?';
comment on column ops.incident_log.incident_id       is 'Number of the incident.';
comment on column ops.incident_log.kind              is 'Kind of the problem, such as api_unavailable; the documentation lists all.';
comment on column ops.incident_log.subject           is 'Subject of the problem: an app, a dataset with an error code, a dataset, or an operation; empty if the kind needs none.';
comment on column ops.incident_log.account           is 'Name of the account with the problem, empty for that of API_TOKEN; null when the problem is in the warehouse.';
comment on column ops.incident_log.summary           is 'Text: what happened, since when, what it means for the data, and which command to run.';
comment on column ops.incident_log.opened_at         is 'When a check first found it.';
comment on column ops.incident_log.last_seen_at      is 'When it was last seen.';
comment on column ops.incident_log.closed_at         is 'When it was closed; null while it is open.';
comment on column ops.incident_log.is_open           is 'True until it is closed.';
comment on column ops.incident_log.notified_at       is 'When the webhook last accepted a message that it is open; null until then.';
comment on column ops.incident_log.close_notified_at is 'When the webhook accepted the message about the closing; null until then.';
comment on column ops.incident_log.detail            is 'Latest figures, as in messages to the webhook, such as the names of its datasets.';

create table ops.alert (
  alert_name    text        primary key,
  digest        text        not null,
  since_day     date        not null,
  checked_at    timestamptz,
  error_message text
);
comment on table  ops.alert               is 'Alerts of the configuration, as a worker last checked them.';
comment on column ops.alert.alert_name    is 'Name of the alert.';
comment on column ops.alert.digest        is 'Digest of its mart, conditions and subjects, which changes when they do; empty if the alert is not in the configuration.';
comment on column ops.alert.since_day     is 'First day for which it is checked: the day before it was configured or changed.';
comment on column ops.alert.checked_at    is 'When a worker last checked it without an error; null before that.';
comment on column ops.alert.error_message is 'Error of the last check; null if there was none.';

create table ops.alert_day (
  alert_name       text        not null references ops.alert (alert_name),
  date_day         date        not null,
  digest           text        not null,
  answered_at      timestamptz not null,
  answer_count     integer     not null,
  unanswered_count integer     not null,
  primary key (alert_name, date_day)
);
comment on table  ops.alert_day                  is 'Days for which alerts were checked. A day is checked again when more answers have come for it, or for the days with which it is compared.';
comment on column ops.alert_day.alert_name       is 'Name of the alert.';
comment on column ops.alert_day.date_day         is 'The day.';
comment on column ops.alert_day.digest           is 'Digest of the alert as it was checked.';
comment on column ops.alert_day.answered_at      is 'When the newest answer came, for the day or for the days with which it is compared.';
comment on column ops.alert_day.answer_count     is 'Slices of these days with an answer.';
comment on column ops.alert_day.unanswered_count is 'Slices of these days that are deferred or have failed.';

create table ops.alert_fire (
  alert_fire_id bigint      primary key generated always as identity,
  alert_name    text        not null references ops.alert (alert_name),
  digest        text        not null,
  mart          text        not null,
  subject       text        not null,
  date_day      date        not null,
  compared_day  date,
  summary       text        not null,
  detail        jsonb       not null,
  fired_at      timestamptz not null,
  due_at        timestamptz not null,
  notified_at   timestamptz
);
create unique index alert_fire_once on ops.alert_fire (alert_name, digest, date_day, subject);
create index        alert_fire_due  on ops.alert_fire (due_at) where notified_at is null;
comment on table  ops.alert_fire               is 'Alerts that fired, one row per alert, subject and day, with the times of the messages to the webhook.';
comment on column ops.alert_fire.alert_fire_id is 'Number of the row. A receiver of messages can recognise a repeated message by it.';
comment on column ops.alert_fire.alert_name    is 'Name of the alert.';
comment on column ops.alert_fire.digest        is 'Digest of the alert as it fired: a changed alert starts again.';
comment on column ops.alert_fire.mart          is 'Mart that the alert checks.';
comment on column ops.alert_fire.subject       is 'Columns and values that identify the row of the mart.';
comment on column ops.alert_fire.date_day      is 'Day of the row.';
comment on column ops.alert_fire.compared_day  is 'Earlier day with which it was compared; null if nothing was compared.';
comment on column ops.alert_fire.summary       is 'Text: the subject, the values and their days.';
comment on column ops.alert_fire.detail        is 'The same in a machine-readable form.';
comment on column ops.alert_fire.fired_at      is 'When a worker found it.';
comment on column ops.alert_fire.due_at        is 'When the message about it is due: immediately, or the next morning.';
comment on column ops.alert_fire.notified_at   is 'When the webhook accepted the message; null until then.';

create view ops.alert_log as
select alert_fire_id, alert_name, mart, date_day, compared_day, summary, fired_at, due_at, notified_at
from   ops.alert_fire;
comment on view   ops.alert_log               is 'One row per fired alert, subject and day, with the time of the message to the webhook. What fired last week? Which alert fires most?';
comment on column ops.alert_log.alert_fire_id is 'Number of the row.';
comment on column ops.alert_log.alert_name    is 'Name of the alert.';
comment on column ops.alert_log.mart          is 'Mart that the alert checks.';
comment on column ops.alert_log.date_day      is 'Day of the row.';
comment on column ops.alert_log.compared_day  is 'Earlier day with which it was compared; null if nothing was compared.';
comment on column ops.alert_log.summary       is 'Text: the subject, the values and their days.';
comment on column ops.alert_log.fired_at      is 'When a worker found it.';
comment on column ops.alert_log.due_at        is 'When the message about it is due: immediately, or the next morning.';
comment on column ops.alert_log.notified_at   is 'When the webhook accepted the message; null until then.';
