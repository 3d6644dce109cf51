-- Monthly partitions for a role that may not make tables: the function makes nothing else, as whoever owns it.

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
comment on function ops.make_partition(regclass, date) is 'Makes the partition of a fact for a month, told by its first day; false when it is there. Needs the right to run it and none to make tables.';
revoke all on function ops.make_partition(regclass, date) from public;
