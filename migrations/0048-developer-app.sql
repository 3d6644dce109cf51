-- Apps of developers.

create table core.developer_app (
  store          text        not null,
  developer_code text        not null,
  country_key    smallint    not null,
  language_code  text        not null,
  app_key        integer     not null,
  valid_from     date        not null,
  valid_to       date,
  is_current     boolean,
  app_name       text,
  price_text     text,
  icon_url       text,
  category_id    text,
  category_name  text,
  developer_id   text,
  developer_name text,
  updated_at     timestamp,
  extra          jsonb,
  slice_id       bigint      not null,
  fetched_at     timestamptz not null,
  primary key (store, developer_code, country_key, language_code, app_key, valid_from)
);
comment on table  core.developer_app                is 'Apps of the developers of the apps in the portfolio; one row per period in which an app was listed with the same name and price. What did they launch, and what did they remove?';
comment on column core.developer_app.developer_code is 'Requested developer: the id on iOS, the name on Android.';
comment on column core.developer_app.country_key    is 'Country of the store page; 0 (ALL) on Android, whose pages differ by language.';
comment on column core.developer_app.language_code  is 'Language of the store page in the format of the answers (en, pt_br); '''' on iOS, whose pages differ by country.';
comment on column core.developer_app.valid_to       is 'First day on which other values, or none, were seen; null while these are current.';
comment on column core.developer_app.price_text     is 'Price as the store writes it, not a number.';
comment on column core.developer_app.icon_url       is 'Address of the icon, as last seen.';
comment on column core.developer_app.category_id    is 'Category id in its store, as last seen; 0 is a real category.';
comment on column core.developer_app.category_name  is 'Name of the category, as last seen.';
comment on column core.developer_app.developer_id   is 'Id of the developer in the store, as last seen.';
comment on column core.developer_app.developer_name is 'Name of the developer, as last seen.';
comment on column core.developer_app.updated_at     is 'When the app was last updated, as last seen, without time zone.';
comment on column core.developer_app.extra          is 'Fields of the answer without a column of their own, as last seen; null when there are none.';
select ops.add_foreign_keys('core.developer_app');
select ops.comment_columns('core.developer_app');
