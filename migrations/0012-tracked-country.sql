-- Keywords that the account tracks, counted by country.

create table core.tracked_country (
  app_key       integer     not null,
  country_key   smallint    not null,
  account       text        not null default '',
  valid_from    date        not null,
  valid_to      date,
  is_current    boolean,
  keyword_count integer     not null,
  slice_id      bigint      not null,
  fetched_at    timestamptz not null,
  primary key (app_key, country_key, account, valid_from)
);
comment on table  core.tracked_country               is 'Number of keywords that the account tracks for an app, by country; one row per period with the same number.';
comment on column core.tracked_country.valid_from    is 'First day with this number.';
comment on column core.tracked_country.valid_to      is 'First day with another number, or none; null while the number is current, and if the app left before (core.tracked_app): its numbers are then no longer read.';
comment on column core.tracked_country.is_current    is 'True while the number is current; null if the newest answer had invalid items and did not name the country.';
comment on column core.tracked_country.keyword_count is 'Number of tracked keywords.';
select ops.add_foreign_keys('core.tracked_country');
select ops.comment_columns('core.tracked_country');
