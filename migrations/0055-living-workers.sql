-- What tells a living process from a dead one, and a slice that kills whoever runs it.

alter table ops.worker add column session_name text not null default '';
alter table ops.slice  add column broken_off_count integer not null default 0;

-- what dead processes left is looked for every few seconds, among millions of slices
create index slice_running on ops.slice (worker_id) where state = 'running';
create index slice_suspect on ops.slice (queue_id, turn, slice_id) where state = 'pending' and broken_off_count > 1;

comment on table  ops.worker                 is 'Processes that talk to the API. A living one holds an advisory lock on its id and says every few seconds that it lives.';
comment on column ops.worker.started_at      is 'When it entered, by the clock of the database.';
comment on column ops.worker.heartbeat_at    is 'When it last said that it lives, by the clock of the database.';
comment on column ops.worker.stopped_at      is 'When it left in good order, or was found dead: then its slices, credits and jobs are free, and it has to enter anew.';
comment on column ops.worker.session_name    is 'Name of its sessions in pg_stat_activity; those of a process that is found dead are ended.';
comment on column ops.slice.broken_off_count is 'Attempts during which the process died or fell silent. From the second on the slice runs alone, and after the third it has failed.';
