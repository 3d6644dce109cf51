-- Monthly partitions of facts. Roles that own no table make and remove them by these functions, which do nothing else.

create function ops.make_partition(fact regclass, month date) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  fact_name text;
  leaf_name text;
begin
  select c.relname into fact_name
  from   pg_catalog.pg_partitioned_table as p
  join   pg_catalog.pg_class             as c on c.oid = p.partrelid
  join   pg_catalog.pg_attribute         as a on a.attrelid = c.oid and a.attnum = p.partattrs[0]
  where  c.oid = fact and c.relnamespace = 'core'::regnamespace and p.partstrat = 'r' and p.partnatts = 1 and a.atttypid = 'date'::regtype;
  if fact_name is null then
    raise exception '% is no fact with monthly partitions', fact using errcode = 'invalid_parameter_value';
  end if;
  if month is null or not isfinite(month) or extract(day from month) <> 1 or month not between '1970-01-01' and '2199-12-01' then
    raise exception '% is no first day of a month between 1970 and 2199', coalesce(month::text, 'null') using errcode = 'invalid_parameter_value';
  end if;
  leaf_name := fact_name || to_char(month, '"_"YYYY"_"MM');
  -- two workers may want the same month at once; the second finds it there
  perform pg_advisory_xact_lock(hashtext('storehouse partition ' || leaf_name));
  if exists (select from pg_catalog.pg_class where relnamespace = 'parts'::regnamespace and relname = leaf_name) then
    return false;
  end if;
  execute format('create table parts.%I (like core.%I including defaults including constraints)', leaf_name, fact_name);
  -- attaching takes a lighter lock on the parent than `create table ... partition of`, so loads beside it go on
  execute format('alter table core.%I attach partition parts.%I for values from (%L) to (%L)',
                 fact_name, leaf_name, month, (month + interval '1 month')::date);
  return true;
end
$$;
comment on function ops.make_partition(regclass, date) is 'Creates the partition of a fact for the month that starts on the given day; returns false when it exists. The caller needs the right to execute the function and no right to create tables.';
revoke all on function ops.make_partition(regclass, date) from public;

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
comment on table  ops.dropped_month             is 'Months of facts that retention dropped or detached, one row per dataset, table and month. Rows that are loaded for such a month later count again.';
comment on column ops.dropped_month.table_name  is 'Fact table.';
comment on column ops.dropped_month.month_start is 'First day of the month.';
comment on column ops.dropped_month.action      is 'drop or detach (the rows are then in the schema archive).';
comment on column ops.dropped_month.rows_gone   is 'Rows of the month, of all datasets of the table.';
comment on column ops.dropped_month.bytes_gone  is 'Bytes of the partition, including indexes.';
comment on column ops.dropped_month.dropped_by  is 'Database role that did it.';
comment on column ops.dropped_month.dropped_at  is 'When it was dropped. Slices that ended before have no rows in this month any more.';
comment on column ops.dropped_month.is_done     is 'False only within the transaction that removes the month. ops.remove_month removes no other month.';
select ops.comment_columns('ops.dropped_month');

create function ops.remove_month(fact regclass, month date, to_archive boolean) returns boolean
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  fact_name  text;
  leaf_name  text;
  taken      integer;
  index_name text;
begin
  select c.relname into fact_name
  from   pg_catalog.pg_partitioned_table as p
  join   pg_catalog.pg_class             as c on c.oid = p.partrelid
  where  c.oid = fact and c.relnamespace = 'core'::regnamespace and p.partstrat = 'r';
  if fact_name is null then
    raise exception '% is no fact with monthly partitions', fact using errcode = 'invalid_parameter_value';
  end if;
  if not exists (select from ops.dropped_month as d where d.table_name = 'core.' || fact_name and d.month_start = month and not d.is_done) then
    raise exception 'the month % of % is not noted as one that goes', coalesce(month::text, 'null'), fact using errcode = 'invalid_parameter_value';
  end if;
  leaf_name := fact_name || to_char(month, '"_"YYYY"_"MM');
  -- a process that creates the same month waits until it is removed
  perform pg_advisory_xact_lock(hashtext('storehouse partition ' || leaf_name));
  if exists (select from pg_catalog.pg_inherits as i where i.inhparent = fact and i.inhrelid = to_regclass(format('parts.%I', leaf_name))) then
    execute format('alter table core.%I detach partition parts.%I', fact_name, leaf_name);
  end if;
  if to_regclass(format('parts.%I', leaf_name)) is null then
    return false;
  end if;
  if not to_archive then
    execute format('drop table parts.%I', leaf_name);
    return true;
  end if;
  -- a month that was detached before, loaded anew and detached again gets a number behind its name, and so do its indexes
  select count(*) into taken
  from   pg_catalog.pg_class as c
  where  c.relnamespace = 'archive'::regnamespace and c.relkind = 'r' and c.relname ~ ('^' || leaf_name || '(_[0-9]+)?$');
  if taken > 0 then
    for index_name in select c.relname from pg_catalog.pg_index as i join pg_catalog.pg_class as c on c.oid = i.indexrelid
                      where i.indrelid = to_regclass(format('parts.%I', leaf_name))
    loop
      execute format('alter index parts.%I rename to %I', index_name, index_name || '_' || taken + 1);
    end loop;
    execute format('alter table parts.%I rename to %I', leaf_name, leaf_name || '_' || taken + 1);
    leaf_name := leaf_name || '_' || taken + 1;
  end if;
  execute format('alter table parts.%I set schema archive', leaf_name);
  return true;
end
$$;
comment on function ops.remove_month(regclass, date, boolean) is 'Drops the partition of a month of a fact, or moves it to the schema archive, if ops.dropped_month has a row for it with is_done false; returns false when it does not exist. The caller needs the right to execute the function and no right to drop tables.';
revoke all on function ops.remove_month(regclass, date, boolean) from public;
