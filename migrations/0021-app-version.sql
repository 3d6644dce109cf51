-- Releases of apps and what changed with each.

create table core.app_version (
  app_key       integer not null references core.dim_app (app_key),
  country_key   smallint not null references core.dim_country (country_key),
  language_code text not null,
  version_at    timestamp not null,
  version       text not null,
  release_notes text,
  differences   jsonb,
  extra         jsonb,
  slice_id      bigint      not null,
  fetched_at    timestamptz not null,
  primary key (app_key, country_key, language_code, version_at, version)
);
comment on table  core.app_version               is 'Releases of apps, one row a release and store page. When did an app last ship?';
comment on column core.app_version.app_key       is 'The app.';
comment on column core.app_version.country_key   is 'Country of the store page; 0 (ALL) on Android, whose pages differ by language.';
comment on column core.app_version.language_code is 'Language of the store page as answers spell it (en, pt_br); '''' on iOS, whose pages differ by country.';
comment on column core.app_version.version_at    is 'When the release came out, as the service tells it, without zone.';
comment on column core.app_version.version       is 'Number of the version; '''' where none is told.';
comment on column core.app_version.release_notes is 'Release notes in the language of the page.';
comment on column core.app_version.differences   is 'Names of what changed with it, as the service spells them.';
comment on column core.app_version.extra         is 'Fields of the answer that have no column of their own; null when there are none.';
comment on column core.app_version.slice_id      is 'Slice that wrote the row.';
comment on column core.app_version.fetched_at    is 'When the answer was received.';

create table core.app_change (
  app_key       integer not null references core.dim_app (app_key),
  country_key   smallint not null references core.dim_country (country_key),
  language_code text not null,
  version_at    timestamp not null,
  version       text not null,
  property      text not null,
  old_value     jsonb,
  new_value     jsonb,
  extra         jsonb,
  slice_id      bigint      not null,
  fetched_at    timestamptz not null,
  primary key (app_key, country_key, language_code, version_at, version, property)
);
comment on table  core.app_change               is 'What changed with each release of an app, one row a changed property. What did a competitor change, and when?';
comment on column core.app_change.app_key       is 'The app.';
comment on column core.app_change.country_key   is 'Country of the store page; 0 (ALL) on Android, whose pages differ by language.';
comment on column core.app_change.language_code is 'Language of the store page as answers spell it (en, pt_br); '''' on iOS, whose pages differ by country.';
comment on column core.app_change.version_at    is 'When the release came out, without zone.';
comment on column core.app_change.version       is 'Number of the new version; '''' where none is told.';
comment on column core.app_change.property      is 'What changed, in the words of app_version.differences (DESCRIPTION, ICON, FILE_SIZE ...).';
comment on column core.app_change.old_value     is 'Value before; null where none is told.';
comment on column core.app_change.new_value     is 'Value after; null where none is told.';
comment on column core.app_change.extra         is 'Fields of the answer that have no column of their own; null when there are none.';
comment on column core.app_change.slice_id      is 'Slice that wrote the row.';
comment on column core.app_change.fetched_at    is 'When the answer was received.';
