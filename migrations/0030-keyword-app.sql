-- Apps that a search returns.

create table core.fact_keyword_app (
  keyword_key integer     not null,
  date_day    date        not null,
  country_key smallint    not null,
  store       text        not null check (store in ('ios', 'android')),
  device_key  smallint    not null,
  position    integer     not null,
  app_key     integer,
  updated_at  timestamp,
  extra       jsonb,
  slice_id    bigint      not null,
  fetched_at  timestamptz not null,
  primary key (keyword_key, date_day, country_key, store, device_key, position)
) partition by range (date_day);
comment on table  core.fact_keyword_app            is 'Apps that a search for a keyword shows, in their order, as seen on a day. A newer answer on that day replaces the whole list. Who ranks above us?';
comment on column core.fact_keyword_app.date_day   is 'Day of observation.';
comment on column core.fact_keyword_app.position   is 'Place in the list of results, 1 is the top.';
comment on column core.fact_keyword_app.app_key    is 'The app at this place.';
comment on column core.fact_keyword_app.updated_at is 'When the service last crawled the search, without time zone.';
select ops.add_foreign_keys('core.fact_keyword_app');
select ops.comment_columns('core.fact_keyword_app');
