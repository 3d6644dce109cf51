-- Keyword metadata by observation day.

create table core.fact_keyword_metadata (
  store            text        not null check (store in ('ios', 'android')),
  keyword_key      integer     not null,
  date_day         date        not null,
  country_key      smallint    not null,
  language_code    text,
  search_volume    numeric,
  popularity       numeric,
  app_count        bigint,
  iphone_app_count bigint,
  ipad_app_count   bigint,
  chance           numeric,
  iphone_chance    numeric,
  ipad_chance      numeric,
  brand_track_id   text,
  slice_id         bigint      not null,
  fetched_at       timestamptz not null,
  primary key (keyword_key, date_day, country_key, store)
) partition by range (date_day);
comment on table  core.fact_keyword_metadata                  is 'Search volume, competition and chance of a keyword by store and country, as reported on the day of observation.';
comment on column core.fact_keyword_metadata.date_day         is 'Day of observation. The service reports the figures of its latest day.';
comment on column core.fact_keyword_metadata.language_code    is 'Language that the service detects in the keyword.';
comment on column core.fact_keyword_metadata.search_volume    is 'Search volume score.';
comment on column core.fact_keyword_metadata.popularity       is 'Search-ads popularity score (iOS); null if the service reports none.';
comment on column core.fact_keyword_metadata.app_count        is 'Number of apps that the search returns (Android).';
comment on column core.fact_keyword_metadata.iphone_app_count is 'Number of apps that the search returns on iPhone.';
comment on column core.fact_keyword_metadata.ipad_app_count   is 'Number of apps that the search returns on iPad.';
comment on column core.fact_keyword_metadata.chance           is 'Chance to rank, as the service scores it (Android).';
comment on column core.fact_keyword_metadata.iphone_chance    is 'Chance to rank on iPhone, as the service scores it.';
comment on column core.fact_keyword_metadata.ipad_chance      is 'Chance to rank on iPad, as the service scores it.';
comment on column core.fact_keyword_metadata.brand_track_id   is 'Track id of the app whose brand the keyword is; null if it is no brand.';
select ops.add_foreign_keys('core.fact_keyword_metadata');
select ops.comment_columns('core.fact_keyword_metadata');
