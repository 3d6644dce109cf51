-- What the account's own apps sell.

create table core.fact_sales_metric (
  app_key               integer     not null,
  date_day              date        not null,
  country_key           smallint    not null,
  device_key            smallint    not null,
  context               text        not null,
  requested_country_key smallint    not null,
  is_total              boolean     not null,
  is_device_total       boolean     not null,
  units                 numeric,
  extra                 jsonb,
  slice_id              bigint      not null,
  fetched_at            timestamptz not null,
  primary key (app_key, date_day, country_key, device_key, context)
) partition by range (date_day);
comment on table  core.fact_sales_metric                       is 'Downloads, revenue and page views of the account''s own apps by day, as their store reported them. Choose one context. Never add the row of ALL countries to those of single countries, nor rows of all devices to those of single devices.';
comment on column core.fact_sales_metric.country_key           is 'Country of the store; 0 (ALL) for the total.';
comment on column core.fact_sales_metric.device_key            is 'Requested device; 0 (ALL) if the request named none.';
comment on column core.fact_sales_metric.context               is 'DOWNLOAD, REVENUE_TOTAL or PAGE_VIEW.';
comment on column core.fact_sales_metric.requested_country_key is 'Requested country; 0 (ALL) if the request named none. What such a request reports for a country replaces what a request for that country alone reports.';
comment on column core.fact_sales_metric.is_total              is 'True for the total over all countries, which the service reports as a separate figure.';
comment on column core.fact_sales_metric.is_device_total       is 'True if the request for an iOS app named all devices together.';
comment on column core.fact_sales_metric.units                 is 'Downloads, revenue or views, depending on the context. For revenue the service reports no currency.';
select ops.add_foreign_keys('core.fact_sales_metric');
select ops.comment_columns('core.fact_sales_metric');
