-- Slices wait in the ledger itself: whoever runs them takes the next ones from here.

alter table ops.slice add column queue_id bigint  not null default 0;
alter table ops.slice add column turn     integer not null default 0;
comment on column ops.slice.queue_id is 'Which queue it waits in: the number of the foreground process that runs it, or 0 for the queue that all workers share.';
comment on column ops.slice.turn     is 'Its turn in the queue, lower first: class, then day, newest first or as its plan says.';
comment on column ops.slice.due_at   is 'Not to be started before this instant; null when at once, or for a deferred one when somebody takes it up.';

update ops.slice as s
set    queue_id = coalesce(r.worker_id, 0),
       turn     = array_position(array['snapshot', 'daily', 'lookback', 'backfill'], s.class) * 100000
                  + case when coalesce((select newest_first from ops.plan as p where p.plan_id = s.plan_id), true)
                         then date '2100-01-01' - s.window_end else s.window_start - date '2000-01-01' end
from   ops.run as r
where  r.run_id = s.run_id and s.state not in ('loaded', 'empty');

create index slice_ready on ops.slice (queue_id, turn, slice_id) where state = 'pending' and due_at is null;
create index slice_due   on ops.slice (queue_id, due_at) where state in ('pending', 'deferred') and due_at is not null;

-- jobs that carried one slice each
do $$
begin
  if to_regclass('graphile_worker._private_jobs') is not null then
    delete from graphile_worker._private_jobs where key like 'slice %';
  end if;
end
$$;
