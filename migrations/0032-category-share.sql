-- Categories of a keyword.

create table core.fact_category_share (
  keyword_key    integer     not null,
  date_day       date        not null,
  country_key    smallint    not null,
  store          text        not null check (store in ('ios', 'android')),
  device_key     smallint    not null,
  share_day      date        not null,
  category_code  text        not null,
  category_name  text,
  category_share numeric,
  answer_day date,
  extra          jsonb,
  slice_id       bigint      not null,
  fetched_at     timestamptz not null,
  primary key (keyword_key, date_day, country_key, store, device_key, share_day, category_code)
) partition by range (date_day);
comment on table  core.fact_category_share                is 'Categories of the apps that have a keyword in their metadata, each with its share, as seen on a day. A newer answer on that day replaces the whole list.';
comment on column core.fact_category_share.date_day       is 'Day of observation.';
comment on column core.fact_category_share.share_day      is 'Day of the share, or the day of observation if the service reports none.';
comment on column core.fact_category_share.category_code  is 'Category: its id on iOS (36 is overall), its name on Android. Each store has its own numbering.';
comment on column core.fact_category_share.category_share is 'Share of the category, on the service''s own scale.';
comment on column core.fact_category_share.answer_day is 'Day stated for the answer as a whole; null if there is none.';
select ops.add_foreign_keys('core.fact_category_share');
select ops.comment_columns('core.fact_category_share');
