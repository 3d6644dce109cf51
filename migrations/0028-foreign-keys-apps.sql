-- Foreign keys from the facts about apps to their dimensions, so that BI tools see how tables hang together; declared and not enforced
-- from Postgres 18 on, as those of the other facts.

do $$
declare
  clause text := case when current_setting('server_version_num')::int >= 180000 then 'not enforced' else '' end;
  link   record;
begin
  for link in
    select c.table_name, c.column_name,
           case c.column_name when 'app_key' then 'dim_app' when 'country_key' then 'dim_country'
                              when 'device_key' then 'dim_device' else 'dim_date' end as dimension
    from   information_schema.columns as c
    where  c.table_schema = 'core'
    and    c.table_name in ('fact_app_rating', 'fact_category_rank', 'fact_visibility', 'fact_monthly_estimate')
    and    c.column_name in ('app_key', 'country_key', 'device_key', 'date_day')
    order  by c.table_name, c.ordinal_position
  loop
    execute format('alter table core.%I add foreign key (%I) references core.%I (%I) %s',
                   link.table_name, link.column_name, link.dimension, link.column_name, clause);
  end loop;
end
$$;
