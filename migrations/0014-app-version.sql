-- Releases of apps.

create table core.app_version (
  app_key       integer     not null,
  country_key   smallint    not null,
  language_code text        not null,
  version_at    timestamp   not null,
  version       text        not null,
  release_notes text,
  differences   jsonb,
  extra         jsonb,
  slice_id      bigint      not null,
  fetched_at    timestamptz not null,
  primary key (app_key, country_key, language_code, version_at, version)
);
comment on table  core.app_version               is 'Releases of apps, one row per release and store page. A version that changed later, for instance in its price, has another row with the time of the change. When was an app last released?';
comment on column core.app_version.country_key   is 'Country of the store page; 0 (ALL) on Android, whose pages differ by language.';
comment on column core.app_version.language_code is 'Language of the store page in the format of the answers (en, pt_br); '''' on iOS, whose pages differ by country.';
comment on column core.app_version.version_at    is 'When the version was released, as the service reports it, without time zone.';
comment on column core.app_version.version       is 'Version number; '''' if the service reports none.';
comment on column core.app_version.release_notes is 'Release notes in the language of the page.';
comment on column core.app_version.differences   is 'Names of the changed properties, in the format of the service.';
select ops.add_foreign_keys('core.app_version');
select ops.comment_columns('core.app_version');
