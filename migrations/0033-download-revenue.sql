-- Estimated downloads and revenue by day.

create table core.fact_download_revenue (
  app_key        integer     not null,
  date_day       date        not null,
  country_key    smallint    not null,
  device_key     smallint    not null,
  is_total       boolean     not null,
  download_count numeric,
  revenue        numeric,
  extra          jsonb,
  slice_id       bigint      not null,
  fetched_at     timestamptz not null,
  primary key (app_key, date_day, country_key, device_key)
) partition by range (date_day);
comment on table  core.fact_download_revenue                is 'Estimated downloads and revenue of iOS apps by country, device and day. Never add the rows of all devices to those of single devices.';
comment on column core.fact_download_revenue.device_key     is 'Requested device; 0 (ALL) if the request named none.';
comment on column core.fact_download_revenue.is_total       is 'True if the request named no device: the figures are for all devices together.';
comment on column core.fact_download_revenue.download_count is 'Estimated downloads.';
comment on column core.fact_download_revenue.revenue        is 'Estimated revenue; the service reports no currency.';
select ops.add_foreign_keys('core.fact_download_revenue');
select ops.comment_columns('core.fact_download_revenue');
