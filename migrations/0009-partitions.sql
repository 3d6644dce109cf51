-- Partitions of facts and of requests. Roles that own no table make and remove them by these functions, which do nothing else.

create function ops.make_partition(fact regclass, day date, by_day boolean default false, out held daterange, out is_new boolean)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  fact_name  text;
  month      date := date_trunc('month', day::timestamp)::date;
  month_leaf text;
  leaf_name  text;
begin
  select c.relname into fact_name
  from   pg_catalog.pg_partitioned_table as p
  join   pg_catalog.pg_class             as c on c.oid = p.partrelid
  join   pg_catalog.pg_attribute         as a on a.attrelid = c.oid and a.attnum = p.partattrs[0]
  where  c.oid = fact and c.relnamespace = 'core'::regnamespace and p.partstrat = 'r' and p.partnatts = 1 and a.atttypid = 'date'::regtype;
  if fact_name is null then
    raise exception '% is no fact with partitions by day', fact using errcode = 'invalid_parameter_value';
  end if;
  if day is null or not isfinite(day) or day not between '1970-01-01' and '2199-12-31' then
    raise exception '% is no day between 1970 and 2199', coalesce(day::text, 'null') using errcode = 'invalid_parameter_value';
  end if;
  month_leaf := fact_name || to_char(month, '"_"YYYY"_"MM');
  -- two workers may want the same month at once; the second finds it there
  perform pg_advisory_xact_lock(hashtext('storehouse partition ' || month_leaf));
  -- a month stays as it was begun: rows need not move when the setting changes
  if to_regclass(format('parts.%I', month_leaf)) is not null then
    by_day := false;
  elsif exists (select from pg_catalog.pg_class where relnamespace = 'parts'::regnamespace and relname ~ ('^' || month_leaf || '_[0-9]{2}$')) then
    by_day := true;
  end if;
  leaf_name := month_leaf || case when by_day then to_char(day, '"_"DD') else '' end;
  held := case when by_day then daterange(day, day + 1) else daterange(month, (month + interval '1 month')::date) end;
  is_new := to_regclass(format('parts.%I', leaf_name)) is null;
  if not is_new then
    return;
  end if;
  execute format('create table parts.%I (like core.%I including defaults including constraints)', leaf_name, fact_name);
  -- attaching takes a lighter lock on the parent than `create table ... partition of`, so loads beside it go on
  execute format('alter table core.%I attach partition parts.%I for values from (%L) to (%L)', fact_name, leaf_name, lower(held), upper(held));
end
$$;
comment on function ops.make_partition(regclass, date, boolean) is 'Creates the partition of a fact that holds a day: the partition of its month or, with by_day, that of the single day, unless the month already has partitions of the other kind. Returns the days of the partition and whether it is new. The caller only needs the right to execute the function, not the right to create tables.';
revoke all on function ops.make_partition(regclass, date, boolean) from public;

-- A month is recorded here and removed in one transaction, so that no session sees the one without the other.
create table ops.dropped_month (
  dataset     text        not null,
  table_name  text        not null,
  month_start date        not null,
  action      text        not null check (action in ('drop', 'detach')),
  rows_gone   bigint      not null,
  bytes_gone  bigint      not null,
  dropped_by  text        not null,
  dropped_at  timestamptz not null,
  is_done     boolean     not null,
  primary key (dataset, table_name, month_start)
);
comment on table  ops.dropped_month             is 'Months of facts and requests that retention dropped or detached, one row per dataset, table and month. Rows that are loaded for such a month later count again.';
comment on column ops.dropped_month.table_name  is 'Fact table, or ops.request, which belongs to no dataset.';
comment on column ops.dropped_month.month_start is 'First day of the month.';
comment on column ops.dropped_month.action      is 'drop or detach (the rows are then in the schema archive).';
comment on column ops.dropped_month.rows_gone   is 'Rows of the month, of all datasets of the table.';
comment on column ops.dropped_month.bytes_gone  is 'Bytes of its partitions, including indexes.';
comment on column ops.dropped_month.dropped_by  is 'Database role that removed it.';
comment on column ops.dropped_month.dropped_at  is 'When it was removed. Slices that ended before then no longer have rows in this month.';
comment on column ops.dropped_month.is_done     is 'False only within the transaction that removes the month. ops.remove_month removes no other month.';
select ops.comment_columns('ops.dropped_month');

create function ops.remove_month(fact regclass, month date, to_archive boolean) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  schema     text;
  fact_name  text;
  month_leaf text;
  leaf_name  text;
  taken      integer;
  index_name text;
  is_gone    boolean := false;
begin
  select c.relnamespace::regnamespace, c.relname into schema, fact_name
  from   pg_catalog.pg_partitioned_table as p
  join   pg_catalog.pg_class             as c on c.oid = p.partrelid
  where  c.oid = fact and (c.relnamespace = 'core'::regnamespace or c.oid = 'ops.request'::regclass) and p.partstrat = 'r';
  if fact_name is null then
    raise exception '% is no fact with monthly partitions', fact using errcode = 'invalid_parameter_value';
  end if;
  if not exists (select from ops.dropped_month as d where d.table_name = schema || '.' || fact_name and d.month_start = month and not d.is_done) then
    raise exception 'the month % of % is not noted as one that goes', coalesce(month::text, 'null'), fact using errcode = 'invalid_parameter_value';
  end if;
  month_leaf := fact_name || to_char(month, '"_"YYYY"_"MM');
  -- a process that creates a partition of the same month waits until it is removed
  perform pg_advisory_xact_lock(hashtext('storehouse partition ' || month_leaf));
  for leaf_name in select c.relname from pg_catalog.pg_class as c
                   where  c.relnamespace = 'parts'::regnamespace and c.relkind = 'r' and c.relname ~ ('^' || month_leaf || '(_[0-9]{2})?$')
                   order  by c.relname
  loop
    is_gone := true;
    if exists (select from pg_catalog.pg_inherits as i where i.inhparent = fact and i.inhrelid = to_regclass(format('parts.%I', leaf_name))) then
      execute format('alter table %I.%I detach partition parts.%I', schema, fact_name, leaf_name);
    end if;
    if not to_archive then
      execute format('drop table parts.%I', leaf_name);
      continue;
    end if;
    -- what was detached before, loaded anew and detached again gets a number behind its name, and so do its indexes
    select count(*) into taken
    from   pg_catalog.pg_class as c
    where  c.relnamespace = 'archive'::regnamespace and c.relkind = 'r' and c.relname ~ ('^' || leaf_name || '(_copy_[0-9]+)?$');
    if taken > 0 then
      for index_name in select c.relname from pg_catalog.pg_index as i join pg_catalog.pg_class as c on c.oid = i.indexrelid
                        where i.indrelid = to_regclass(format('parts.%I', leaf_name))
      loop
        -- a name that is cut at its end would be the one that is taken
        execute format('alter index parts.%I rename to %I', index_name, left(index_name, 63 - length('_copy_' || taken + 1)) || '_copy_' || taken + 1);
      end loop;
      execute format('alter table parts.%I rename to %I', leaf_name, leaf_name || '_copy_' || taken + 1);
      leaf_name := leaf_name || '_copy_' || taken + 1;
    end if;
    execute format('alter table parts.%I set schema archive', leaf_name);
  end loop;
  return is_gone;
end
$$;
comment on function ops.remove_month(regclass, date, boolean) is 'Drops the partitions of a month of a fact or of ops.request, or moves them to the schema archive, if ops.dropped_month has a row for it with is_done false; returns false when there are none. The caller only needs the right to execute the function, not the right to drop tables.';
revoke all on function ops.remove_month(regclass, date, boolean) from public;

-- Requests by month: they are stored without a check of which months exist, and sorted into them by the night's retention.

create function ops.make_request_months(months date[]) returns integer
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  month     date;
  leaf_name text;
  made      integer := 0;
begin
  perform pg_advisory_xact_lock(hashtext('storehouse partition request'));
  for month in
    select date_trunc('month', m)::date from unnest(months) as m
    union  select date_trunc('month', received_at at time zone 'UTC')::date from parts.request_other
    order  by 1
  loop
    leaf_name := 'request' || to_char(month, '"_"YYYY"_"MM');
    continue when to_regclass(format('parts.%I', leaf_name)) is not null;
    -- nothing of the month may be stored elsewhere between the move and the attaching
    lock table parts.request_other in access exclusive mode;
    execute format('create table parts.%I (like ops.request including defaults including constraints including indexes)', leaf_name);
    execute format('with moved as (delete from parts.request_other where received_at >= %1$L and received_at < %2$L returning *)
                    insert into parts.%3$I select * from moved',
                   month::timestamp at time zone 'UTC', (month + interval '1 month') at time zone 'UTC', leaf_name);
    execute format('alter table ops.request attach partition parts.%I for values from (%L) to (%L)', leaf_name,
                   month::timestamp at time zone 'UTC', (month + interval '1 month') at time zone 'UTC');
    made := made + 1;
  end loop;
  return made;
end
$$;
comment on function ops.make_request_months(date[]) is 'Creates the partitions of ops.request for the months of the given days and for those of requests that have none, and moves these requests there. Returns how many it created. The caller needs the right to execute the function and no right to create tables.';
revoke all on function ops.make_request_months(date[]) from public;

create function ops.hold_request_month(month date) returns void
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
begin
  execute format('lock table parts.%I in share mode', 'request' || to_char(month, '"_"YYYY"_"MM'));
end
$$;
comment on function ops.hold_request_month(date) is 'Keeps other sessions from storing requests of a month until the transaction ends, so that its sums stay correct. Requests of other months can be stored meanwhile.';
revoke all on function ops.hold_request_month(date) from public;

create table ops.past_spend (
  month_start          date    not null,
  days                 integer not null,
  account_id           text    not null,
  dataset              text,
  class                text    not null,
  operation            text    not null,
  store                text,
  track_id             text,
  country_code         text,
  request_count        integer not null,
  failed_request_count integer not null,
  cost                 integer not null
);
create index past_spend_month on ops.past_spend (month_start);
comment on table  ops.past_spend                      is 'Sums over requests whose months retention dropped, so that charges still add up: one row per account, dataset, class, operation, app, country and month, for all days of the month that had the same sums.';
comment on column ops.past_spend.month_start          is 'First day of the month.';
comment on column ops.past_spend.days                 is 'Days of the month with these sums: bit 0 is its first day.';
comment on column ops.past_spend.account_id           is 'Account that was charged; import for imported answers.';
comment on column ops.past_spend.dataset              is 'Dataset; null for requests about the account and for requests of a command.';
comment on column ops.past_spend.class                is 'Class for which credits were held.';
comment on column ops.past_spend.store                is 'ios or android; null if the requests are not about a store.';
comment on column ops.past_spend.track_id             is 'Track id of the app; null if they are about several apps or none.';
comment on column ops.past_spend.country_code         is 'Country; null if they are about all countries or none.';
comment on column ops.past_spend.request_count        is 'Requests on each of these days.';
comment on column ops.past_spend.failed_request_count is 'Number of these requests without a valid answer.';
comment on column ops.past_spend.cost                 is 'Credits charged on each of these days.';
select ops.comment_columns('ops.past_spend');

create table ops.past_slice_spend (
  slice_id      bigint  primary key,
  request_count integer not null,
  cost          bigint  not null
);
comment on table  ops.past_slice_spend               is 'Credits charged for slices by requests whose months retention dropped.';
comment on column ops.past_slice_spend.slice_id      is 'The slice.';
comment on column ops.past_slice_spend.request_count is 'Requests.';
comment on column ops.past_slice_spend.cost          is 'Credits charged for these requests.';

create view ops.past_spend_daily as
select d.date_day, p.account_id, p.dataset, p.class, p.operation, p.store, p.track_id, p.country_code, p.request_count, p.failed_request_count, p.cost
from   ops.past_spend as p
-- by the calendar: a filter on days then chooses months, before their sums are taken apart
join   core.dim_date  as d on d.month_start = p.month_start
where  p.days & (1 << (d.date_day - d.month_start)) <> 0;
comment on view   ops.past_spend_daily          is 'One row per day, account, dataset, class, operation, app and country of months whose requests retention dropped. The sums of ops.credit_spend_daily include them. What was charged before the oldest request on record?';
comment on column ops.past_spend_daily.date_day is 'Day of the answers, UTC.';
select ops.comment_columns('ops.past_spend_daily', 'ops.past_spend');

-- Slices of months that are over: see fold-slices.ts.

create table ops.folded_month (
  dataset     text        not null,
  month_start date        not null,
  state       text        not null check (state in ('loaded', 'empty')),
  slice_count bigint      not null,
  rows_loaded bigint      not null,
  checked_at  timestamptz not null,
  primary key (dataset, month_start, state)
);
comment on table  ops.folded_month             is 'Months whose slices were folded: adjacent slices with the same outcome became one. One row per dataset, month and state, even if nothing could be folded yet.';
comment on column ops.folded_month.month_start is 'First day of the month.';
comment on column ops.folded_month.state       is 'loaded or empty.';
comment on column ops.folded_month.slice_count is 'Number of slices that were folded into others; they are deleted.';
comment on column ops.folded_month.rows_loaded is 'Rows of their answers.';
comment on column ops.folded_month.checked_at  is 'When the slices of the month were last checked for slices that can be folded.';
select ops.comment_columns('ops.folded_month');

create view ops.folded_slices as
select dataset, state, sum(slice_count)::bigint as slice_count, sum(rows_loaded)::bigint as rows_loaded
from   ops.folded_month
where  slice_count > 0
group  by dataset, state;
comment on view   ops.folded_slices             is 'One row per dataset and state: slices that were folded into others, which are in no other view, and the rows of their answers. How many slices were loaded in all?';
comment on column ops.folded_slices.state       is 'loaded or empty.';
comment on column ops.folded_slices.slice_count is 'Number of deleted slices.';
comment on column ops.folded_slices.rows_loaded is 'Rows of their answers.';
select ops.comment_columns('ops.folded_slices');
