-- Old months go by a function, as they come: whoever loads need not own the tables, and retention runs unattended.

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
  -- whoever wants to make the same month waits until it is gone
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
comment on function ops.remove_month(regclass, date, boolean) is 'Drops the partition of a month of a fact, or moves it to archive; only of a month that ops.dropped_month notes as going. False when it is gone already. Needs the right to run it and none to drop tables.';
revoke all on function ops.remove_month(regclass, date, boolean) from public;
