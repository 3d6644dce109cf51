-- Incidents as an operator reads them.

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
