-- Keywords that the account tracks.

create table core.tracked_keyword (
  app_key        integer     not null,
  country_key    smallint    not null,
  keyword_key    integer     not null,
  valid_from     date        not null,
  valid_to       date,
  is_current     boolean     not null,
  search_volume  numeric,
  chance         numeric,
  app_count      bigint,
  brand_track_id text,
  slice_id       bigint      not null,
  fetched_at     timestamptz not null,
  primary key (app_key, country_key, keyword_key, valid_from)
);
comment on table  core.tracked_keyword                is 'Keywords that the account tracks for an app and country; one row per period in which the account tracked the keyword.';
comment on column core.tracked_keyword.valid_from     is 'First day on which the account was seen to track it.';
comment on column core.tracked_keyword.valid_to       is 'First day on which the account was seen not to track it any more; null while it does.';
comment on column core.tracked_keyword.is_current     is 'True while the account tracks the keyword.';
comment on column core.tracked_keyword.search_volume  is 'Search volume score as last seen.';
comment on column core.tracked_keyword.chance         is 'Chance to rank, as the service scores it, as last seen.';
comment on column core.tracked_keyword.app_count      is 'Apps that the search for the keyword returns, as last seen.';
comment on column core.tracked_keyword.brand_track_id is 'Track id of the app whose brand the keyword is; null when it is none.';
select ops.add_foreign_keys('core.tracked_keyword');
select ops.comment_columns('core.tracked_keyword');
