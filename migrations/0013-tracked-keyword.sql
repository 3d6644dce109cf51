-- Keywords that the account tracks.

create table core.tracked_keyword (
  app_key        integer     not null,
  country_key    smallint    not null,
  keyword_key    integer     not null,
  account        text        not null default '',
  valid_from     date        not null,
  valid_to       date,
  is_current     boolean,
  search_volume  numeric,
  chance         numeric,
  app_count      bigint,
  brand_track_id text,
  rank_change    integer,
  ranking_history jsonb,
  created_at     timestamp,
  slice_id       bigint      not null,
  fetched_at     timestamptz not null,
  primary key (app_key, country_key, keyword_key, account, valid_from)
);
-- each night reads the millions that are tracked now, by country: from this alone, where a vacuum has been since they changed
create index tracked_keyword_now on core.tracked_keyword (account, app_key, country_key, keyword_key) where valid_to is null;
comment on table  core.tracked_keyword                is 'Keywords that the account tracks for an app and country; one row per period in which the account tracked the keyword.';
comment on column core.tracked_keyword.valid_from     is 'First day on which the account was seen to track it.';
comment on column core.tracked_keyword.valid_to       is 'First day on which the account was seen to no longer track it; null while it does, and if its country or the app left before it (core.tracked_country, core.tracked_app): the list is then no longer read.';
comment on column core.tracked_keyword.is_current     is 'True if the newest list names the keyword; null if that list had invalid items and did not name it: it then stays in the portfolio.';
comment on column core.tracked_keyword.search_volume  is 'Search volume score as last seen.';
comment on column core.tracked_keyword.chance         is 'Chance to rank, as the service scores it, as last seen.';
comment on column core.tracked_keyword.app_count      is 'Number of apps that the search for the keyword returns, as last seen.';
comment on column core.tracked_keyword.brand_track_id is 'Track id of the app whose brand the keyword is; null if it is no brand.';
comment on column core.tracked_keyword.rank_change     is 'Change of the rank in one day on the device of the list (iPhone on iOS), as last seen.';
comment on column core.tracked_keyword.ranking_history is 'Ranks of the last days according to the list, on the same device; core.fact_keyword_rank holds the days that were fetched.';
comment on column core.tracked_keyword.created_at      is 'When the account began to track it, as the service reports it, without a time zone.';
select ops.add_foreign_keys('core.tracked_keyword');
select ops.comment_columns('core.tracked_keyword');
