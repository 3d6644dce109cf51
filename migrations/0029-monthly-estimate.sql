-- Estimated downloads and revenue of the last month.

create table core.fact_monthly_estimate (
  app_key        integer     not null,
  date_day       date        not null,
  country_key    smallint    not null,
  is_total       boolean     not null,
  period_start   date        not null,
  period_end     date        not null,
  download_count numeric,
  revenue        numeric,
  extra          jsonb,
  slice_id       bigint      not null,
  fetched_at     timestamptz not null,
  primary key (app_key, date_day, country_key)
) partition by range (date_day);
comment on table  core.fact_monthly_estimate                is 'Estimated downloads and revenue of iOS apps in the previous month, as estimated on the day of observation. The rows of each day cover the whole month: choose one day per month, such as the newest. Never add the row of ALL to the rows of countries.';
comment on column core.fact_monthly_estimate.date_day       is 'Day on which the estimate was seen.';
comment on column core.fact_monthly_estimate.country_key    is 'Country; 0 (ALL) for the total.';
comment on column core.fact_monthly_estimate.is_total       is 'True for the total over all countries, which the service reports as a separate figure.';
comment on column core.fact_monthly_estimate.period_start   is 'First day of the calendar month before the day of observation; the answer itself states no month.';
comment on column core.fact_monthly_estimate.period_end     is 'Last day of that month.';
comment on column core.fact_monthly_estimate.download_count is 'Estimated downloads.';
comment on column core.fact_monthly_estimate.revenue        is 'Estimated revenue; the service reports no currency.';
select ops.add_foreign_keys('core.fact_monthly_estimate');
select ops.comment_columns('core.fact_monthly_estimate');
