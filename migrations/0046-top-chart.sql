-- Top charts by day.

create table core.fact_top_chart (
  app_key       integer     not null,
  date_day      date        not null,
  country_key   smallint    not null,
  device_key    smallint    not null,
  category_code text        not null,
  chart         text        not null,
  chart_version text        not null,
  rank          integer     not null,
  category_id   integer,
  category_name text,
  charted_at    timestamp,
  extra         jsonb,
  slice_id      bigint      not null,
  fetched_at    timestamptz not null,
  primary key (app_key, date_day, country_key, device_key, category_code, chart, chart_version)
) partition by range (date_day);
create index fact_top_chart_by_chart on core.fact_top_chart (category_code, country_key, chart, date_day);
comment on table  core.fact_top_chart               is 'All apps of a chart on a day. Always choose one device and chart_version. Who is in the chart, and who is new?';
comment on column core.fact_top_chart.date_day      is 'Day of the chart.';
comment on column core.fact_top_chart.category_code is 'Category: its id on iOS (36 is overall), its name on Android (OVERALL). Ids of the two stores overlap, but these codes do not.';
comment on column core.fact_top_chart.chart         is 'FREE, PAID or GROSSING.';
comment on column core.fact_top_chart.chart_version is 'v1 or v2 of the iOS charts; '''' on Android.';
comment on column core.fact_top_chart.rank          is 'Position, 1 is the top.';
comment on column core.fact_top_chart.category_id   is 'Id of the category in its store; 0 is a real category on Android.';
comment on column core.fact_top_chart.charted_at    is 'When the chart was seen, as the service reports it, without time zone; null if it reports none.';
comment on column core.fact_top_chart.extra         is 'Fields of the app''s entry without a column of their own (Android); null when there are none.';
select ops.add_foreign_keys('core.fact_top_chart');
select ops.comment_columns('core.fact_top_chart');
