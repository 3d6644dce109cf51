-- Apps that the account advertises.

create table core.search_ads_app (
  app_key        integer     not null,
  account        text        not null default '',
  valid_from     date        not null,
  valid_to       date,
  is_current     boolean,
  app_name       text,
  category_id    text,
  category_name  text,
  subcategories  jsonb,
  price_text     text,
  developer_id   text,
  developer_name text,
  released_at    timestamp,
  icon_url       text,
  rating         numeric,
  rating_count   bigint,
  updated_at     timestamp,
  extra          jsonb,
  slice_id       bigint      not null,
  fetched_at     timestamptz not null,
  primary key (app_key, account, valid_from)
);
comment on table  core.search_ads_app               is 'Apps that the account advertises; one row per period without a change other than in ratings.';
comment on column core.search_ads_app.category_id   is 'Category id in its store; 0 is a real category.';
comment on column core.search_ads_app.subcategories is 'Its further categories: a list of names.';
comment on column core.search_ads_app.price_text    is 'Price as the store writes it, not a number.';
comment on column core.search_ads_app.released_at   is 'When it was released, without time zone.';
comment on column core.search_ads_app.rating        is 'Average rating as last seen, 1 to 5.';
comment on column core.search_ads_app.rating_count  is 'Number of ratings as last seen.';
comment on column core.search_ads_app.updated_at    is 'When it was last updated, without time zone.';
select ops.add_foreign_keys('core.search_ads_app');
select ops.comment_columns('core.search_ads_app');
