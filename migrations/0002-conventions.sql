-- What every table has in common: foreign keys to the dimensions, comments of columns that mean the same everywhere, the day that is today.

create function ops.add_foreign_keys(relation regclass) returns void
language plpgsql volatile as $$
declare
  clause text := case when starts_with(relation::text, 'core.fact_') and current_setting('server_version_num')::integer >= 180000 then 'not enforced' else '' end;
  link   record;
begin
  for link in
    select a.attname as column_name, d.dimension, d.key
    from   (values ('app_key', 'core.dim_app', 'app_key'), ('country_key', 'core.dim_country', 'country_key'),
                   ('keyword_key', 'core.dim_keyword', 'keyword_key'), ('device_key', 'core.dim_device', 'device_key'),
                   ('date_day', 'core.dim_date', 'date_day'), ('period_start', 'core.dim_date', 'date_day'),
                   ('period_end', 'core.dim_date', 'date_day')) as d (suffix, dimension, key)
    join   pg_catalog.pg_attribute as a on a.attrelid = relation and a.attnum > 0 and a.attname ~ ('(^|_)' || d.suffix || '$')
    order  by a.attnum
  loop
    execute format('alter table %s add foreign key (%I) references %s (%I) %s', relation, link.column_name, link.dimension, link.key, clause);
  end loop;
end
$$;
comment on function ops.add_foreign_keys(regclass) is 'Adds a foreign key to the dimension for each key column of a table (app_key, country_key, date_day ...), so that BI tools can join. The loader takes every key of a fact from its dimension, so Postgres 18 and later record the keys of facts without checking each row again; older versions check them.';

create function ops.comment_columns(relation regclass, model regclass default null) returns void
language plpgsql volatile as $$
declare
  missing record;
begin
  for missing in
    select a.attname as column_name, coalesce(m.comment, s.comment) as comment
    from   pg_catalog.pg_attribute as a
    left   join (
      select b.attname, pg_catalog.col_description(b.attrelid, b.attnum) as comment
      from   pg_catalog.pg_attribute as b
      where  b.attrelid = model and b.attnum > 0) as m on m.attname = a.attname
    left   join (values
      ('account',        'Account of the API, by its name under accounts in the configuration; empty for that of API_TOKEN.'),
      ('store',          'ios or android.'),
      ('track_id',       'Track id of the app in its store.'),
      ('app_key',        'The app.'),
      ('app_name',       'Name of the app.'),
      ('country_key',    'The country.'),
      ('country_code',   'Country, ISO 3166-1 alpha-2.'),
      ('country_name',   'Name of the country.'),
      ('keyword_key',    'The keyword.'),
      ('keyword',        'The keyword.'),
      ('keyword_groups', 'Groups of the keyword (portfolio.groups of the configuration) separated by commas; null if it is in none. mart.keyword_group has one row for each.'),
      ('app_groups',     'Groups of the app (portfolio.groups of the configuration) separated by commas; null if it is in none. mart.app_group has one row for each.'),
      ('device_key',     'The device; 0 on Android.'),
      ('device_code',    'IPHONE, IPAD, or ALL on Android.'),
      ('date_day',       'The day.'),
      ('valid_from',     'First day on which these values were seen.'),
      ('valid_to',       'First day on which other values were seen; null while these are current.'),
      ('is_current',     'True while these values are current, false once they ended; null if that is unknown, because the newest answer had invalid items and did not name this row.'),
      ('developer_id',   'Id of the developer in the store.'),
      ('developer_name', 'Name of the developer.'),
      ('icon_url',       'Address of the icon.'),
      ('category_name',  'Name of the category.'),
      ('org_id',         'Search-ads organisation.'),
      ('org_name',       'Name of the organisation.'),
      ('campaign_name',  'Name of the campaign as reported with the row. A renamed campaign has several names, so group by its id.'),
      ('ad_group_name',  'Name of the ad group as reported with the row. A renamed ad group has several names, so group by its id.'),
      ('dataset',        'Dataset.'),
      ('operation',      'Operation of the API.'),
      ('extra',          'Fields of the answer that have no column of their own; null when there are none.'),
      ('slice_id',       'Slice that wrote the row.'),
      ('fetched_at',     'When the answer was received.')
    ) as s (column_name, comment) on s.column_name = a.attname
    where  a.attrelid = relation and a.attnum > 0 and pg_catalog.col_description(a.attrelid, a.attnum) is null
    and    coalesce(m.comment, s.comment) is not null
  loop
    execute format('comment on column %s.%I is %L', relation, missing.column_name, missing.comment);
  end loop;
end
$$;
comment on function ops.comment_columns(regclass, regclass) is 'Comments each column of a table or view that has no comment yet: with the comment of the column of the same name in the model, if one is given, else with the comment that the column has in every table.';

-- parallel safe, or else no query that calls it would use a second core
create function ops.today() returns date language sql stable parallel safe
  return coalesce(nullif(current_setting('storehouse.today', true), '')::date, (now() at time zone 'UTC')::date);
comment on function ops.today() is 'Day that counts as today: the current day in UTC, or the session setting storehouse.today.';
