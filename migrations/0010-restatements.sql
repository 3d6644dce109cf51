-- How values moved that the source restates.

create table ops.restated_value (
  table_name text        not null,
  row_key    jsonb       not null,
  row_hash   uuid        not null generated always as (md5(row_key::text)::uuid) stored,
  date_day   date,
  changed_at timestamptz not null,
  seen_at    timestamptz,
  slice_id   bigint      not null,
  was        jsonb       not null,
  became     jsonb,
  primary key (table_name, row_hash, changed_at)
);
-- rows that a newer answer left out
create index restated_value_withdrawn on ops.restated_value (table_name, row_hash, changed_at) where became is null;
comment on table  ops.restated_value            is 'Former values of restated facts, written in the transaction in which a newer answer changes a row or leaves it out. A row that never changed has no entry and was first seen at its own fetched_at. Any other row was first seen at its oldest seen_at here and last changed at its own fetched_at. See ops.reported_at.';
comment on column ops.restated_value.table_name is 'Table of the row, schema and name.';
comment on column ops.restated_value.row_key    is 'Primary key of the row by column.';
comment on column ops.restated_value.row_hash   is 'MD5 of the key, because the key itself may be too long for an index.';
comment on column ops.restated_value.date_day   is 'First day of the row; null if rows have no day.';
comment on column ops.restated_value.changed_at is 'When the answer that changed the row was received.';
comment on column ops.restated_value.seen_at    is 'When the answer with the former values was received.';
comment on column ops.restated_value.slice_id   is 'Slice that changed the row.';
comment on column ops.restated_value.was        is 'Changed columns with their former values; all columns if the row was left out.';
comment on column ops.restated_value.became     is 'The same columns with their new values; null if the row was left out.';

create table ops.compared_day (
  slice_id     bigint  not null,
  table_name   text    not null,
  date_day     date    not null,
  dataset      text    not null,
  observed_on  date    not null,
  row_count    integer not null,
  moved_count  integer not null,
  amount       numeric not null,
  moved_amount numeric not null,
  account      text    not null default '',
  primary key (slice_id, table_name, date_day)
);
create index compared_day_of_dataset on ops.compared_day (dataset, observed_on);
comment on table  ops.compared_day              is 'Days that were requested again, and how many of their rows the newer answer changed. storehouse lookback learns from it after how many days figures are final. A row is written in the transaction that loads the answer, and kept for 90 days.';
comment on column ops.compared_day.slice_id     is 'Slice of the newer answer.';
comment on column ops.compared_day.table_name   is 'Table of the rows, schema and name.';
comment on column ops.compared_day.date_day     is 'Day of the rows.';
comment on column ops.compared_day.dataset      is 'Dataset of the slice.';
comment on column ops.compared_day.observed_on  is 'Day on which it was requested again, according to the planning.';
comment on column ops.compared_day.row_count    is 'Number of rows of the day in either answer.';
comment on column ops.compared_day.moved_count  is 'Number of these rows whose figures differ or that are new or gone.';
comment on column ops.compared_day.amount       is 'Sum of the amounts of the rows, for each row the larger of the two answers.';
comment on column ops.compared_day.moved_amount is 'Sum of the differences of the amounts.';
comment on column ops.compared_day.account      is 'Account whose run requested it, as accounts in the configuration names it; empty for that of API_TOKEN. Each account learns its own lookbacks.';
select ops.comment_columns('ops.compared_day');

create function ops.reported_at(reported regclass, at timestamptz) returns setof jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  keys text;
begin
  -- the books of former values are closed to readers, and so is every table outside core
  if not exists (select from pg_catalog.pg_class as c where c.oid = reported and c.relnamespace = 'core'::regnamespace and c.relkind in ('r', 'p')) then
    raise exception '% is no table of core', reported using errcode = 'invalid_parameter_value';
  end if;
  select string_agg(format('t.%I', a.attname), ', ' order by k.place) into keys
  from   pg_catalog.pg_index as i
  cross  join lateral unnest(i.indkey::int2[]) with ordinality as k (attnum, place)
  join   pg_catalog.pg_attribute as a on a.attrelid = i.indrelid and a.attnum = k.attnum
  where  i.indrelid = reported and i.indisprimary;
  return query execute format($query$
    with now as (
      select (select to_jsonb(v) from (select %1$s) as v) as row_key, to_jsonb(t) - '{slice_id,fetched_at}'::text[] as row_values, t.fetched_at
      from   %2$s as t
    ), since as (
      select r.row_key, (array_agg(r.seen_at order by r.changed_at))[1] as seen_at, jsonb_object_agg(w.name, w.value order by r.changed_at desc) as was
      from   ops.restated_value as r
      cross  join lateral jsonb_each(r.was) as w (name, value)
      where  r.table_name = %3$L and r.changed_at > $1
      -- of rows of months that retention removed since only the columns that changed are left
      and    not exists (select from ops.dropped_month as o
                         where  o.table_name = r.table_name and o.is_done and o.month_start = date_trunc('month', r.date_day::timestamp)::date
                         and    o.dropped_at >= r.changed_at)
      group  by r.row_key
    )
    select coalesce(now.row_values, since.row_key) || coalesce(since.was, '{}')
    from   now
    full   join since on since.row_key = now.row_key
    where  case when since.row_key is null then now.fetched_at <= $1 else since.seen_at <= $1 end$query$,
    keys, reported, (select n.nspname || '.' || c.relname from pg_catalog.pg_class as c join pg_catalog.pg_namespace as n on n.oid = c.relnamespace where c.oid = reported))
  using at;
end
$$;
revoke all on function ops.reported_at(regclass, timestamptz) from public;
comment on function ops.reported_at(regclass, timestamptz) is 'Rows of a restated fact as they were at a given time, as JSON, without months that retention removed. What did we report at that time? select * from jsonb_populate_recordset(null::core.fact_search_ads_report, (select jsonb_agg(r) from ops.reported_at(''core.fact_search_ads_report'', now() - interval ''7 days'') as r)).';

create table ops.reported_check (
  dataset         text        not null,
  scope           jsonb       not null,
  date_day        date        not null,
  source          text        not null,
  account         text        not null,
  figures         jsonb       not null,
  compared_count  integer     not null default 0,
  differing_count integer     not null default 0,
  primary key (dataset, scope, date_day, source, account)
);
comment on table  ops.reported_check                 is 'Days whose figures the answer of another dataset reports and which are requested anyway, to compare both. If they differ, everything else that the other dataset reported to the account is requested again, and nothing more is taken from it.';
comment on column ops.reported_check.dataset         is 'Dataset of the figures.';
comment on column ops.reported_check.scope           is 'Partition of the figures.';
comment on column ops.reported_check.date_day        is 'Day of the figures.';
comment on column ops.reported_check.source          is 'Dataset whose answer reports them.';
comment on column ops.reported_check.account         is 'Account that requested it, as accounts in the configuration names it; empty for that of API_TOKEN.';
comment on column ops.reported_check.figures         is 'Reported figures that are not compared yet, by item.';
comment on column ops.reported_check.compared_count  is 'Number of figures that were compared.';
comment on column ops.reported_check.differing_count is 'Number of these figures that differ.';
select ops.comment_columns('ops.reported_check');
