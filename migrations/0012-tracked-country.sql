-- Keywords that the account tracks, counted by country.

create table core.tracked_country (
  app_key       integer     not null,
  country_key   smallint    not null,
  valid_from    date        not null,
  valid_to      date,
  is_current    boolean     not null,
  keyword_count integer     not null,
  slice_id      bigint      not null,
  fetched_at    timestamptz not null,
  primary key (app_key, country_key, valid_from)
);
comment on table  core.tracked_country               is 'How many keywords the account tracks for an app by country; one row a stretch of days with the same number.';
comment on column core.tracked_country.country_key   is 'The country.';
comment on column core.tracked_country.valid_from    is 'First day on which this number was seen.';
comment on column core.tracked_country.valid_to      is 'Day on which another number, or none, was seen; null while it holds.';
comment on column core.tracked_country.is_current    is 'True while the number holds.';
comment on column core.tracked_country.keyword_count is 'Number of tracked keywords.';
select ops.add_foreign_keys('core.tracked_country');
select ops.comment_columns('core.tracked_country');
