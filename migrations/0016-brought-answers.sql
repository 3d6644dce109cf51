-- Answers that were brought as files, and cells of which only a part fitted.

comment on column ops.run.kind is 'sync, backfill, schedule, retry, or import (answers that were brought as files).';
comment on column ops.run.max_credits is 'Credits the run was allowed to spend; null without a limit, and for an import, which spends nothing.';
comment on table  ops.request is 'Every request that was sent: for which slice, what came back, what it cost. Never an address, never a token. An answer that was brought as a file has a row as well, of the account import, at no cost.';
comment on column ops.request.account_id is 'Account that was charged, by the shortened hash of its key; import for an answer that was brought as a file, for which nothing was sent.';

create or replace view ops.coverage_daily as
with cell as (
  select distinct on (s.dataset, s.scope, i.item, d.date_day)
         s.dataset, s.scope, i.item, d.date_day::date as date_day, s.state, s.rows_rejected
  from   ops.slice as s
  left   join ops.batch as b on b.batch_id = s.batch_id
  cross  join lateral unnest(coalesce(b.items, array[''])) as i (item)
  cross  join lateral generate_series(s.window_start::timestamp, s.window_end - 1, interval '1 day') as d (date_day)
  order  by s.dataset, s.scope, i.item, d.date_day, s.slice_id desc
)
select dataset, scope ->> 'store' as store, scope ->> 'app' as track_id, scope ->> 'country' as country_code, scope ->> 'device' as device_code, date_day,
       count(*)                                                  as cell_count,
       count(*) filter (where state = 'loaded')                  as loaded_count,
       count(*) filter (where state = 'empty')                   as empty_count,
       count(*) filter (where state in ('pending', 'running'))   as open_count,
       count(*) filter (where state = 'deferred')                as deferred_count,
       count(*) filter (where state = 'skipped')                 as skipped_count,
       count(*) filter (where state = 'failed')                  as failed_count,
       count(*) filter (where state = 'loaded' and rows_rejected > 0) as partial_count
from   cell
group  by dataset, scope, date_day;
comment on column ops.coverage_daily.loaded_count  is 'Cells that are loaded; those of partial_count among them.';
comment on column ops.coverage_daily.partial_count is 'Loaded cells of slices of whose answer some rows did not fit: ops.reject has these rows, each with its reason.';
