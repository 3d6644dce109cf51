-- What the account tracks, with the history of what was tracked when.

create table core.tracked_app (
  app_key                    integer not null references core.dim_app (app_key),
  valid_from                 date    not null,
  valid_to                   date,
  is_current                 boolean not null,
  is_store_account_connected boolean,
  slice_id                   bigint      not null,
  fetched_at                 timestamptz not null,
  primary key (app_key, valid_from)
);
comment on table  core.tracked_app                            is 'Apps that the account tracks; one row a stretch of days in which an app was tracked.';
comment on column core.tracked_app.app_key                    is 'The app.';
comment on column core.tracked_app.valid_from                 is 'First day on which it was seen as tracked.';
comment on column core.tracked_app.valid_to                   is 'Day on which it was first seen as no longer tracked; null while it is.';
comment on column core.tracked_app.is_current                 is 'True while the app is tracked.';
comment on column core.tracked_app.is_store_account_connected is 'True when the account has connected its own store account for the app.';
comment on column core.tracked_app.slice_id                   is 'Slice that wrote the row.';
comment on column core.tracked_app.fetched_at                 is 'When the answer was received.';

create table core.tracked_country (
  app_key       integer  not null references core.dim_app (app_key),
  country_key   smallint not null references core.dim_country (country_key),
  valid_from    date     not null,
  valid_to      date,
  is_current    boolean  not null,
  keyword_count integer  not null,
  slice_id      bigint      not null,
  fetched_at    timestamptz not null,
  primary key (app_key, country_key, valid_from)
);
comment on table  core.tracked_country               is 'How many keywords the account tracks for an app by country; one row a stretch of days with the same number.';
comment on column core.tracked_country.app_key       is 'The app.';
comment on column core.tracked_country.country_key   is 'The country.';
comment on column core.tracked_country.valid_from    is 'First day on which this number was seen.';
comment on column core.tracked_country.valid_to      is 'Day on which another number, or none, was seen; null while it holds.';
comment on column core.tracked_country.is_current    is 'True while the number holds.';
comment on column core.tracked_country.keyword_count is 'Number of tracked keywords.';
comment on column core.tracked_country.slice_id      is 'Slice that wrote the row.';
comment on column core.tracked_country.fetched_at    is 'When the answer was received.';

create table core.tracked_keyword (
  app_key        integer  not null references core.dim_app (app_key),
  country_key    smallint not null references core.dim_country (country_key),
  keyword_key    integer  not null references core.dim_keyword (keyword_key),
  valid_from     date     not null,
  valid_to       date,
  is_current     boolean  not null,
  search_volume  numeric,
  chance         numeric,
  app_count      bigint,
  brand_track_id text,
  slice_id       bigint      not null,
  fetched_at     timestamptz not null,
  primary key (app_key, country_key, keyword_key, valid_from)
);
comment on table  core.tracked_keyword                is 'Keywords that the account tracks for an app and country; one row a stretch of days in which a keyword was tracked.';
comment on column core.tracked_keyword.app_key        is 'The app.';
comment on column core.tracked_keyword.country_key    is 'The country.';
comment on column core.tracked_keyword.keyword_key    is 'The keyword.';
comment on column core.tracked_keyword.valid_from     is 'First day on which it was seen as tracked.';
comment on column core.tracked_keyword.valid_to       is 'Day on which it was first seen as no longer tracked; null while it is.';
comment on column core.tracked_keyword.is_current     is 'True while the keyword is tracked.';
comment on column core.tracked_keyword.search_volume  is 'Search volume score as last seen.';
comment on column core.tracked_keyword.chance         is 'Chance to rank, as the service scores it, as last seen.';
comment on column core.tracked_keyword.app_count      is 'Apps that the search for the keyword returns, as last seen.';
comment on column core.tracked_keyword.brand_track_id is 'Track id of the app whose brand the keyword is; null when it is none.';
comment on column core.tracked_keyword.slice_id       is 'Slice that wrote the row.';
comment on column core.tracked_keyword.fetched_at     is 'When the answer was received.';
