-- Parts of keywords: of their impressions by app, of their use by category.

create table core.fact_impression_share (
  keyword_key      integer     not null,
  date_day         date        not null,
  country_key      smallint    not null,
  store            text        not null check (store in ('ios', 'android')),
  device_key       smallint    not null,
  share_day        date        not null,
  app_key          integer     not null,
  impression_share numeric,
  extra            jsonb,
  slice_id         bigint      not null,
  fetched_at       timestamptz not null,
  primary key (keyword_key, date_day, country_key, store, device_key, share_day, app_key)
) partition by range (date_day);
comment on table  core.fact_impression_share                  is 'Which part of the impressions of a keyword goes to which app, without advertisements, as seen on a day; replaced as a whole when asked again on that day. The parts that are told need not add up to everything.';
comment on column core.fact_impression_share.keyword_key      is 'The keyword.';
comment on column core.fact_impression_share.date_day         is 'Day of observation.';
comment on column core.fact_impression_share.country_key      is 'Country of the store.';
comment on column core.fact_impression_share.store            is 'ios or android.';
comment on column core.fact_impression_share.device_key       is 'The device; 0 on Android.';
comment on column core.fact_impression_share.share_day        is 'Day that the service tells the part for; the day of observation where it tells none.';
comment on column core.fact_impression_share.app_key          is 'The app.';
comment on column core.fact_impression_share.impression_share is 'Part of the impressions, as the service scales it.';
comment on column core.fact_impression_share.extra            is 'Fields of the answer that have no column of their own; null when there are none.';
comment on column core.fact_impression_share.slice_id         is 'Slice that wrote the row.';
comment on column core.fact_impression_share.fetched_at       is 'When the answer was received.';

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
  extra          jsonb,
  slice_id       bigint      not null,
  fetched_at     timestamptz not null,
  primary key (keyword_key, date_day, country_key, store, device_key, share_day, category_code)
) partition by range (date_day);
comment on table  core.fact_category_share                is 'In which categories apps have a keyword in their metadata, and in which part, as seen on a day; replaced as a whole when asked again on that day.';
comment on column core.fact_category_share.keyword_key    is 'The keyword.';
comment on column core.fact_category_share.date_day       is 'Day of observation.';
comment on column core.fact_category_share.country_key    is 'Country of the store.';
comment on column core.fact_category_share.store          is 'ios or android.';
comment on column core.fact_category_share.device_key     is 'The device; 0 on Android.';
comment on column core.fact_category_share.share_day      is 'Day that the service tells the part for; the day of observation where it tells none.';
comment on column core.fact_category_share.category_code  is 'Category: its id on iOS (36 is overall), its name on Android. The two stores number their categories on their own.';
comment on column core.fact_category_share.category_name  is 'Name of the category.';
comment on column core.fact_category_share.category_share is 'Part of the category, as the service scales it.';
comment on column core.fact_category_share.extra          is 'Fields of the answer that have no column of their own; null when there are none.';
comment on column core.fact_category_share.slice_id       is 'Slice that wrote the row.';
comment on column core.fact_category_share.fetched_at     is 'When the answer was received.';
