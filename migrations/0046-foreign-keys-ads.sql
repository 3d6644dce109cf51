-- Foreign keys from the tables about advertising to their dimensions, so that BI tools see how tables hang together; declared and not
-- enforced from Postgres 18 on, as those of the other facts.

do $$
declare
  clause text := case when current_setting('server_version_num')::int >= 180000 then 'not enforced' else '' end;
  link   record;
begin
  for link in
    select c.table_name, c.column_name,
           case c.column_name when 'app_key' then 'dim_app' when 'country_key' then 'dim_country' when 'keyword_key' then 'dim_keyword'
                              else 'dim_date' end as dimension,
           case when c.column_name in ('date_day', 'period_start', 'period_end') then 'date_day' else c.column_name end as named
    from   information_schema.columns as c
    where  c.table_schema = 'core'
    and    c.table_name in ('ad_badge', 'ad_creative', 'fact_ad_distribution', 'fact_top_advertiser', 'fact_paid_keyword', 'fact_paying_app')
    and    c.column_name in ('app_key', 'country_key', 'keyword_key', 'date_day', 'period_start', 'period_end')
    order  by c.table_name, c.ordinal_position
  loop
    execute format('alter table core.%I add foreign key (%I) references core.%I (%I) %s',
                   link.table_name, link.column_name, link.dimension, link.named, clause);
  end loop;
end
$$;
