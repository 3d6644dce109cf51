-- The hidden keyword field of iOS apps, whole and word by word, with history.

create table core.keyword_spot (
  app_key       integer     not null,
  country_key   smallint    not null,
  locale        text        not null,
  valid_from    date        not null,
  valid_to      date,
  is_current    boolean,
  keywords      text,
  keyword_count integer,
  updated_at    timestamp,
  extra         jsonb,
  slice_id      bigint      not null,
  fetched_at    timestamptz not null,
  primary key (app_key, country_key, locale, valid_from)
);
comment on table  core.keyword_spot               is 'The hidden keyword field of iOS apps by locale; one row per period without a change.';
comment on column core.keyword_spot.country_key   is 'Requested country.';
comment on column core.keyword_spot.locale        is 'Locale of the field, in the format of the service.';
comment on column core.keyword_spot.keywords      is 'The field, unchanged, its words separated by commas.';
comment on column core.keyword_spot.keyword_count is 'Number of different words in it.';
comment on column core.keyword_spot.updated_at    is 'When the service last saw the field change, as last reported, without time zone.';
select ops.add_foreign_keys('core.keyword_spot');
select ops.comment_columns('core.keyword_spot');

create table core.keyword_spot_word (
  app_key     integer     not null,
  country_key smallint    not null,
  locale      text        not null,
  keyword_key integer     not null,
  valid_from  date        not null,
  valid_to    date,
  is_current  boolean,
  position    integer,
  slice_id    bigint      not null,
  fetched_at  timestamptz not null,
  primary key (app_key, country_key, locale, keyword_key, valid_from)
);
comment on table  core.keyword_spot_word             is 'Words of the hidden keyword field of iOS apps; one row per period in which the field had the word. Which of our words never rank?';
comment on column core.keyword_spot_word.country_key is 'Requested country.';
comment on column core.keyword_spot_word.locale      is 'Locale of the field, in the format of the service.';
comment on column core.keyword_spot_word.keyword_key is 'The word.';
comment on column core.keyword_spot_word.position    is 'Place in the field, from 1, as last seen.';
select ops.add_foreign_keys('core.keyword_spot_word');
select ops.comment_columns('core.keyword_spot_word');
