-- Foreign keys from the tables of the datasets to their dimensions, so that BI tools see how tables hang together; declared and not
-- enforced from Postgres 18 on, as those of the facts before.

do $$
declare
  clause text := case when current_setting('server_version_num')::int >= 180000 then 'not enforced' else '' end;
  link   record;
begin
  for link in
    select c.table_name, c.column_name, k.dimension, k.key
    from   information_schema.columns as c
    join   (values ('app_key', 'dim_app', 'app_key'), ('country_key', 'dim_country', 'country_key'), ('keyword_key', 'dim_keyword', 'keyword_key'),
                   ('device_key', 'dim_device', 'device_key'), ('date_day', 'dim_date', 'date_day'), ('period_start', 'dim_date', 'date_day'),
                   ('period_end', 'dim_date', 'date_day')) as k (column_name, dimension, key) on k.column_name = c.column_name
    where  c.table_schema = 'core'
    and    c.table_name in ('ad_badge', 'ad_creative', 'fact_ad_distribution', 'fact_app_rating', 'fact_bid_change', 'fact_category_rank',
                              'fact_category_share', 'fact_download_revenue', 'fact_featuring', 'fact_impression_share', 'fact_keyword_app',
                              'fact_keyword_estimate', 'fact_monthly_estimate', 'fact_paid_keyword', 'fact_paying_app', 'fact_retention',
                              'fact_review_word', 'fact_sales_metric', 'fact_search_ads_report', 'fact_search_ads_top_app',
                              'fact_top_advertiser', 'fact_top_chart', 'fact_visibility', 'mmp_integration', 'search_ads_app',
                              'search_ads_goal')
    order  by c.table_name, c.ordinal_position
  loop
    execute format('alter table core.%I add foreign key (%I) references core.%I (%I) %s',
                   link.table_name, link.column_name, link.dimension, link.key, clause);
  end loop;
end
$$;
