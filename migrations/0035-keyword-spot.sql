-- The hidden keyword field of iOS apps, whole and word by word, with history.

create table core.keyword_spot (
  app_key       integer     not null,
  country_key   smallint    not null,
  locale        text        not null,
  valid_from    date        not null,
  valid_to      date,
  is_current    boolean     not null,
  keywords      text,
  keyword_count integer,
  updated_at    timestamp,
  extra         jsonb,
  slice_id      bigint      not null,
  fetched_at    timestamptz not null,
  primary key (app_key, country_key, locale, valid_from)
);
comment on table  core.keyword_spot               is 'The hidden keyword field of iOS apps by locale; one row a stretch of days in which it stayed the same.';
comment on column core.keyword_spot.country_key   is 'Country that was asked for.';
comment on column core.keyword_spot.locale        is 'Locale that the field is filed under, as the service spells it.';
comment on column core.keyword_spot.valid_to      is 'Day on which it was first seen otherwise; null while it holds.';
comment on column core.keyword_spot.is_current    is 'True while it holds.';
comment on column core.keyword_spot.keywords      is 'The field as it stands, its words between commas.';
comment on column core.keyword_spot.keyword_count is 'Different words in it.';
comment on column core.keyword_spot.updated_at    is 'When the service last saw the field change, as last told, without zone.';
select ops.add_foreign_keys('core.keyword_spot');
select ops.comment_columns('core.keyword_spot');

create table core.keyword_spot_word (
  app_key     integer     not null,
  country_key smallint    not null,
  locale      text        not null,
  keyword_key integer     not null,
  valid_from  date        not null,
  valid_to    date,
  is_current  boolean     not null,
  position    integer,
  slice_id    bigint      not null,
  fetched_at  timestamptz not null,
  primary key (app_key, country_key, locale, keyword_key, valid_from)
);
comment on table  core.keyword_spot_word             is 'The words of the hidden keyword field of iOS apps; one row a stretch of days in which a word was there. Which of our words never rank?';
comment on column core.keyword_spot_word.country_key is 'Country that was asked for.';
comment on column core.keyword_spot_word.locale      is 'Locale that the field is filed under, as the service spells it.';
comment on column core.keyword_spot_word.keyword_key is 'The word.';
comment on column core.keyword_spot_word.valid_to    is 'Day on which it was first seen otherwise; null while it holds.';
comment on column core.keyword_spot_word.is_current  is 'True while it holds.';
comment on column core.keyword_spot_word.position    is 'Place in the field, from 1, as last seen.';
select ops.add_foreign_keys('core.keyword_spot_word');
select ops.comment_columns('core.keyword_spot_word');
