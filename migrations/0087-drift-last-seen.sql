-- A field that the contract does not name is over only when answers come without it.

alter table ops.drift add column last_seen_at timestamptz;
update ops.drift set last_seen_at = first_seen_at;
alter table ops.drift alter column last_seen_at set not null;
comment on column ops.drift.last_seen_at is 'When an answer last held it, to the hour.';
