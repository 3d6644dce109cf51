-- What the store shows of an app, as versions.

create table core.app_history (
  app_key                 integer     not null,
  country_key             smallint    not null,
  language_code           text        not null,
  valid_from              date        not null,
  valid_to                date,
  is_current              boolean,
  app_name                text,
  developer_id            text,
  developer_name          text,
  price_text              text,
  icon_url                text,
  category_id             text,
  category_name           text,
  version                 text,
  updated_at              timestamp,
  description             text,
  screenshots             jsonb,
  whats_new               jsonb,
  has_in_app_purchases    boolean,
  in_app_products         text,
  is_removed              boolean,
  released_at             timestamp,
  available_countries     jsonb,
  file_size               text,
  install_range           text,
  has_top_developer_badge boolean,
  support_url             text,
  store_url               text,
  owner_email             text,
  video_url               text,
  video_frame_url         text,
  last_modified_at        timestamp,
  similar_apps            jsonb,
  rating                  numeric,
  rating_count            bigint,
  ratings_by_star         jsonb,
  extra                   jsonb,
  slice_id                bigint      not null,
  fetched_at              timestamptz not null,
  primary key (app_key, country_key, language_code, valid_from)
);
comment on table  core.app_history                         is 'The page of an app in the store; one row per period without a change. What did the page show on a given day?';
comment on column core.app_history.country_key             is 'Country of the store page; 0 (ALL) on Android, whose pages differ by language.';
comment on column core.app_history.language_code           is 'Language of the store page in the format of the answers (en, pt_br); '''' on iOS, whose pages differ by country.';
comment on column core.app_history.price_text              is 'Price as the store writes it (0.00, Free ...), not a number.';
comment on column core.app_history.category_id             is 'Category id; each store has its own numbering, and 0 is a real category.';
comment on column core.app_history.version                 is 'Version number (Android).';
comment on column core.app_history.updated_at              is 'When the app was last updated (Android), without time zone.';
comment on column core.app_history.description             is 'Description in the language of the page.';
comment on column core.app_history.screenshots             is 'Addresses of the screenshots, in order.';
comment on column core.app_history.whats_new               is 'What is new (Android), as the service reports it.';
comment on column core.app_history.has_in_app_purchases    is 'True when the app offers in-app purchases.';
comment on column core.app_history.in_app_products         is 'Prices of the in-app products (Android), as the store writes them.';
comment on column core.app_history.is_removed              is 'True when the store has removed the app.';
comment on column core.app_history.released_at             is 'When the app was first released (iOS), without time zone.';
comment on column core.app_history.available_countries     is 'Country codes of the stores that offer the app (iOS), sorted.';
comment on column core.app_history.file_size               is 'Size as the store writes it (Android).';
comment on column core.app_history.install_range           is 'Range of installs as the store writes it (Android).';
comment on column core.app_history.has_top_developer_badge is 'True when the developer has the badge (Android).';
comment on column core.app_history.support_url             is 'Address of support (Android).';
comment on column core.app_history.store_url               is 'Address of the page inside the store (Android).';
comment on column core.app_history.owner_email             is 'Contact of the owner (Android).';
comment on column core.app_history.video_url               is 'Address of the video (Android).';
comment on column core.app_history.video_frame_url         is 'Address of the picture of the video (Android).';
comment on column core.app_history.last_modified_at        is 'When the service last saw the page change, without time zone.';
comment on column core.app_history.similar_apps            is 'Ids of similar apps (Android), as last seen; a change here does not start a new period.';
comment on column core.app_history.rating                  is 'Average rating, 1 to 5, as last seen.';
comment on column core.app_history.rating_count            is 'Number of ratings, as last seen.';
comment on column core.app_history.ratings_by_star         is 'Number of ratings with one to five stars (Android), as last seen.';
comment on column core.app_history.extra                   is 'Fields of the answer without a column of their own, as last seen; null when there are none.';
select ops.add_foreign_keys('core.app_history');
select ops.comment_columns('core.app_history');
