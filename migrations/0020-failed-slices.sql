-- Failures that are still in the way: what failed once and was loaded since by another slice, however it was cut, is made good.

create index slice_failed on ops.slice (dataset) where state = 'failed';

create view ops.failed_slice as
select f.slice_id, f.dataset, f.operation, f.scope, f.batch_id, f.window_start, f.window_end, f.run_id, f.plan_id, f.error_code, f.error_message, f.ended_at
from   ops.slice as f
left   join ops.batch as b on b.batch_id = f.batch_id
cross  join lateral (
  select array_agg(n.slice_id) as ids
  from   (select *
          from   ops.slice as s
          where  hashtextextended(s.scope::text, 0) = hashtextextended(f.scope::text, 0) and s.window_end > f.window_start
          and    s.window_start < case when f.class = 'snapshot' then date 'infinity' else f.window_end end
          offset 0) as n -- a fence: the index on datasets would be read from end to end for each failure
  where  n.slice_id > f.slice_id and n.dataset = f.dataset and n.scope = f.scope
  and    (n.state in ('loaded', 'empty') or n.state = 'skipped' and n.error_code in ('bad_request', 'not_encodable'))
) as newer
where  f.state = 'failed'
and    (newer.ids is null
        or f.class <> 'snapshot' and exists (
          select i.item, d.date_day
          from   unnest(coalesce(b.items, array[''])) as i (item)
          cross  join generate_series(f.window_start::timestamp, f.window_end - 1, interval '1 day') as d (date_day)
          except
          select i.item, d.date_day
          from   ops.slice as n
          left   join ops.batch as nb on nb.batch_id = n.batch_id
          cross  join lateral unnest(coalesce(nb.items, array[''])) as i (item)
          cross  join lateral generate_series(greatest(n.window_start, f.window_start)::timestamp, least(n.window_end, f.window_end) - 1, interval '1 day') as d (date_day)
          where  n.slice_id = any (newer.ids)));
comment on view   ops.failed_slice               is 'Failed slices of which a cell (item and day) was not answered since by a newer slice of the same dataset and scope: one that is loaded, empty, or refused for what it asked. A snapshot is made good by any newer one of its scope. What must be retried?';
comment on column ops.failed_slice.slice_id      is 'Number of the slice.';
comment on column ops.failed_slice.dataset       is 'Dataset.';
comment on column ops.failed_slice.operation     is 'Operation of the API that was to answer it.';
comment on column ops.failed_slice.scope         is 'Who it is about.';
comment on column ops.failed_slice.batch_id      is 'List of keywords or ids asked for; null where the scope says it all.';
comment on column ops.failed_slice.window_start  is 'First day asked for.';
comment on column ops.failed_slice.window_end    is 'Day after the last one asked for.';
comment on column ops.failed_slice.run_id        is 'The run it belongs to.';
comment on column ops.failed_slice.plan_id       is 'The plan that it belongs to; null when it belongs to none.';
comment on column ops.failed_slice.error_code    is 'Stable code of the last error.';
comment on column ops.failed_slice.error_message is 'The last error in words, with what to do next.';
comment on column ops.failed_slice.ended_at      is 'When it failed.';
comment on column ops.coverage_daily.failed_count is 'Cells of which the newest slice failed; storehouse retry asks for them again, save for a snapshot that a newer one made good.';
