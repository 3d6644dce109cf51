-- Estimated reach of keywords and installs that it could lead to.

create table core.fact_keyword_estimate (
  app_key         integer     not null,
  date_day        date        not null,
  country_key     smallint    not null,
  keyword_key     integer     not null,
  kind            text        not null,
  conversion_rate numeric,
  max_reach_count numeric,
  install_count   numeric,
  extra           jsonb,
  slice_id        bigint      not null,
  fetched_at      timestamptz not null,
  primary key (app_key, date_day, country_key, keyword_key, kind)
) partition by range (date_day);
comment on table  core.fact_keyword_estimate                 is 'How many people a keyword could reach, and how many of them would install an app, by country and day. Always choose one kind. A row without figures means that they were requested and the service reported none.';
comment on column core.fact_keyword_estimate.date_day        is 'Day of the estimate, or the day of observation for the kind now.';
comment on column core.fact_keyword_estimate.kind            is 'now: the estimate on the day of observation; history: the estimate for the day, as the service keeps it.';
comment on column core.fact_keyword_estimate.conversion_rate is 'Share of the reached people who would install; 0.0023 means 0.23 percent.';
comment on column core.fact_keyword_estimate.max_reach_count is 'Estimated unique impressions of the keyword in the country.';
comment on column core.fact_keyword_estimate.install_count   is 'Installs to expect from reach and conversion.';
select ops.add_foreign_keys('core.fact_keyword_estimate');
select ops.comment_columns('core.fact_keyword_estimate');
