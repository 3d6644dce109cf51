-- What changed with each release of an app.

create table core.app_change (
  app_key       integer     not null,
  country_key   smallint    not null,
  language_code text        not null,
  version_at    timestamp   not null,
  version       text        not null,
  property      text        not null,
  old_value     jsonb,
  new_value     jsonb,
  extra         jsonb,
  slice_id      bigint      not null,
  fetched_at    timestamptz not null,
  primary key (app_key, country_key, language_code, version_at, version, property)
);
comment on table  core.app_change               is 'Changes of each release of an app, one row per changed property. What did a competitor change, and when?';
comment on column core.app_change.country_key   is 'Country of the store page; 0 (ALL) on Android, whose pages differ by language.';
comment on column core.app_change.language_code is 'Language of the store page in the format of the answers (en, pt_br); '''' on iOS, whose pages differ by country.';
comment on column core.app_change.version_at    is 'When the version was released, without time zone.';
comment on column core.app_change.version       is 'Number of the new version; '''' if the service reports none.';
comment on column core.app_change.property      is 'What changed, with the names of app_version.differences (DESCRIPTION, ICON, FILE_SIZE ...).';
comment on column core.app_change.old_value     is 'Former value; null if the service reports none.';
comment on column core.app_change.new_value     is 'New value; null if the service reports none.';
select ops.add_foreign_keys('core.app_change');
select ops.comment_columns('core.app_change');
