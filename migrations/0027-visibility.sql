-- Visibility in the searches of a store.

create table core.fact_visibility (
  app_key     integer     not null,
  date_day    date        not null,
  country_key smallint    not null,
  kind        text        not null,
  score       numeric,
  slice_id    bigint      not null,
  fetched_at  timestamptz not null,
  primary key (app_key, date_day, country_key, kind)
) partition by range (date_day);
comment on table  core.fact_visibility          is 'Visibility scores of apps in the searches of their store, by country and day.';
comment on column core.fact_visibility.date_day is 'Day of the score; the day of observation for kind now.';
comment on column core.fact_visibility.kind     is 'history: the score of the day as the service keeps it; now: the score seen on the day of observation.';
comment on column core.fact_visibility.score    is 'Visibility score; null if the service reports none.';
select ops.add_foreign_keys('core.fact_visibility');
select ops.comment_columns('core.fact_visibility');
