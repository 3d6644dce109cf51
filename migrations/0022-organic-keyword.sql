-- Organic keywords: a snapshot an app, country, device and day.

create table core.fact_organic_keyword (
  app_key     integer     not null,
  date_day    date        not null,
  country_key smallint    not null,
  device_key  smallint    not null,
  keyword_key integer     not null,
  rank        integer,
  observed_at timestamp,
  slice_id    bigint      not null,
  fetched_at  timestamptz not null,
  primary key (app_key, date_day, country_key, device_key, keyword_key)
) partition by range (date_day);
comment on table  core.fact_organic_keyword             is 'Every keyword for which an app ranks, by country, device and day. A newer answer replaces the whole list.';
comment on column core.fact_organic_keyword.date_day    is 'Requested day.';
comment on column core.fact_organic_keyword.rank        is 'Position of the app in the search results, 1 is the top.';
comment on column core.fact_organic_keyword.observed_at is 'Time stated in the answer, without time zone; midnight if it states only a day.';
select ops.add_foreign_keys('core.fact_organic_keyword');
select ops.comment_columns('core.fact_organic_keyword');
