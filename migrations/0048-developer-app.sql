-- Apps of developers.

create table core.developer_app (
  store          text        not null,
  developer_code text        not null,
  country_key    smallint    not null,
  language_code  text        not null,
  app_key        integer     not null,
  valid_from     date        not null,
  valid_to       date,
  is_current     boolean     not null,
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
comment on table  core.developer_app                is 'The apps of the developers of followed apps; one row a stretch of days in which an app was among them under one name and price. What did they launch, what did they take out?';
comment on column core.developer_app.developer_code is 'By what the developer was asked for: the id on iOS, the name on Android.';
comment on column core.developer_app.country_key    is 'Country of the store page; 0 (ALL) on Android, whose pages differ by language.';
comment on column core.developer_app.language_code  is 'Language of the store page as answers spell it (en, pt_br); '''' on iOS, whose pages differ by country.';
comment on column core.developer_app.valid_to       is 'Day on which it was first seen otherwise, or no longer; null while it holds.';
comment on column core.developer_app.is_current     is 'True while it holds.';
comment on column core.developer_app.price_text     is 'Price as the store writes it, not a number.';
comment on column core.developer_app.icon_url       is 'Address of the icon, as last seen.';
comment on column core.developer_app.category_id    is 'Category id in its store, as last seen; 0 is a real one.';
comment on column core.developer_app.category_name  is 'Name of the category, as last seen.';
comment on column core.developer_app.developer_id   is 'Id of the developer in the store, as last seen.';
comment on column core.developer_app.developer_name is 'Name of the developer, as last seen.';
comment on column core.developer_app.updated_at     is 'When the app was last updated, as last seen, without zone.';
comment on column core.developer_app.extra          is 'Fields of the answer that have no column of their own, as last seen; null when there are none.';
select ops.add_foreign_keys('core.developer_app');
select ops.comment_columns('core.developer_app');
