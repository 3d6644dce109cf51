-- Ranks in the charts of categories.

create table core.fact_category_rank (
  app_key       integer     not null,
  date_day      date        not null,
  country_key   smallint    not null,
  device_key    smallint    not null,
  category_code text        not null,
  chart         text        not null,
  resolution    text        not null,
  chart_version text        not null,
  ranked_at     timestamp   not null,
  category_name text,
  rank          numeric,
  slice_id      bigint      not null,
  fetched_at    timestamptz not null,
  primary key (app_key, date_day, country_key, device_key, category_code, chart, resolution, chart_version, ranked_at)
) partition by range (date_day);
comment on table  core.fact_category_rank               is 'Ranks of apps in the charts of their categories. Always choose one resolution and one chart_version: the same chart may have rows as a daily average, as hourly ranks and as the latest rank.';
comment on column core.fact_category_rank.date_day      is 'Day of the rank.';
comment on column core.fact_category_rank.category_code is 'Category: its id on iOS (36 is overall), its name on Android (OVERALL).';
comment on column core.fact_category_rank.chart         is 'FREE, PAID or GROSSING.';
comment on column core.fact_category_rank.resolution    is 'daily: average of the day (Android: its rank); hourly: one of several ranks of the day; last_day: rank on the newest day, from a request for all countries at once.';
comment on column core.fact_category_rank.chart_version is 'v1 or v2 of the iOS charts; '''' if there is only one version.';
comment on column core.fact_category_rank.ranked_at     is 'When the rank was seen, without time zone; midnight for a rank of a day.';
comment on column core.fact_category_rank.rank          is 'Position, 1 is the top; an average may have decimals. Null if the service reports the time without a rank.';
select ops.add_foreign_keys('core.fact_category_rank');
select ops.comment_columns('core.fact_category_rank');
