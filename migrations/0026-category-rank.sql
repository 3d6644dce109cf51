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
comment on table  core.fact_category_rank               is 'Ranks of apps in the charts of their categories. Always choose one resolution (and chart_version): the same chart may be here as an average of days, by look, and as last seen.';
comment on column core.fact_category_rank.date_day      is 'Day of the rank.';
comment on column core.fact_category_rank.category_code is 'Category: its id on iOS (36 is overall), its name on Android (OVERALL).';
comment on column core.fact_category_rank.chart         is 'FREE, PAID or GROSSING.';
comment on column core.fact_category_rank.resolution    is 'daily: average of the day (Android: its rank); hourly: one look of several; last_day: the newest day as all countries were asked for at once.';
comment on column core.fact_category_rank.chart_version is 'v1 or v2 of the iOS charts; '''' where there is one only.';
comment on column core.fact_category_rank.ranked_at     is 'When the rank was seen, without zone; midnight for a rank of a day.';
comment on column core.fact_category_rank.rank          is 'Position, 1 is the top; an average need not be whole. Null where the service tells the look and no rank.';
select ops.add_foreign_keys('core.fact_category_rank');
select ops.comment_columns('core.fact_category_rank');
