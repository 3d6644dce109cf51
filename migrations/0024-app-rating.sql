-- Ratings of apps by day of observation.

create table core.fact_app_rating (
  app_key        integer     not null,
  date_day       date        not null,
  country_key    smallint    not null,
  language_code  text        not null,
  rating         numeric,
  rating_count   bigint,
  app_name       text,
  price_text     text,
  icon_url       text,
  category_id    text,
  category_name  text,
  developer_id   text,
  developer_name text,
  updated_at     timestamp,
  extra          jsonb,
  slice_id       bigint      not null,
  fetched_at     timestamptz not null,
  primary key (app_key, date_day, country_key, language_code)
) partition by range (date_day);
comment on table  core.fact_app_rating                is 'Ratings of apps by day of observation. How do ratings grow?';
comment on column core.fact_app_rating.date_day       is 'Day on which this was seen.';
comment on column core.fact_app_rating.country_key    is 'Country of the store page; 0 (ALL) on Android, whose pages differ by language.';
comment on column core.fact_app_rating.language_code  is 'Language of the store page in the format of the answers (en, pt_br); '''' on iOS, whose pages differ by country.';
comment on column core.fact_app_rating.rating         is 'Average rating, 1 to 5.';
comment on column core.fact_app_rating.rating_count   is 'Number of ratings.';
comment on column core.fact_app_rating.price_text     is 'Price as the store writes it, not a number.';
comment on column core.fact_app_rating.category_id    is 'Category id in its store; 0 is a real category.';
comment on column core.fact_app_rating.developer_name is 'Name of the developer (iOS).';
comment on column core.fact_app_rating.updated_at     is 'When the app was last updated, without time zone.';
select ops.add_foreign_keys('core.fact_app_rating');
select ops.comment_columns('core.fact_app_rating');
