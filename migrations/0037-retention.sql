-- Retention of the account's own apps.

create table core.fact_retention (
  app_key                   integer     not null,
  date_day                  date        not null,
  country_key               smallint    not null,
  device_key                smallint    not null,
  is_total                  boolean     not null,
  is_device_total           boolean     not null,
  android_store_visit_count numeric,
  extra                     jsonb,
  slice_id                  bigint      not null,
  fetched_at                timestamptz not null,
  primary key (app_key, date_day, country_key, device_key)
) partition by range (date_day);
comment on table  core.fact_retention                           is 'Visits to the pages of the account''s own apps in the store by country and day. Never add the row of ALL countries to those of single countries, nor rows of all devices to those of single devices.';
comment on column core.fact_retention.country_key               is 'Country of the visitors; 0 (ALL) for the total.';
comment on column core.fact_retention.device_key                is 'Requested device; 0 (ALL) if the request named none.';
comment on column core.fact_retention.is_total                  is 'True for the total over all countries, which the service reports as a separate figure.';
comment on column core.fact_retention.is_device_total           is 'True if the request for an iOS app named all devices together.';
comment on column core.fact_retention.android_store_visit_count is 'Visits to the page in the Android store.';
select ops.add_foreign_keys('core.fact_retention');
select ops.comment_columns('core.fact_retention');
