-- Apps that pay for keywords.

create table core.fact_paying_app (
  keyword_key                integer     not null,
  period_start               date        not null,
  period_end                 date        not null,
  country_key                smallint    not null,
  app_key                    integer     not null,
  share                      numeric,
  slot_shares                jsonb,
  default_product_page_count numeric,
  custom_product_page_count  numeric,
  extra                      jsonb,
  slice_id                   bigint      not null,
  fetched_at                 timestamptz not null,
  primary key (keyword_key, period_start, period_end, country_key, app_key)
) partition by range (period_start);
comment on table  core.fact_paying_app                            is 'iOS apps that pay for keywords, over periods of 14 days.';
comment on column core.fact_paying_app.period_start               is 'First day of the 14 days of the answer.';
comment on column core.fact_paying_app.period_end                 is 'Last day of the period, inclusive.';
comment on column core.fact_paying_app.app_key                    is 'The app that pays.';
comment on column core.fact_paying_app.share                      is 'The app''s share of all impressions of the keyword''s advertisements.';
comment on column core.fact_paying_app.slot_shares                is 'The app''s share of the impressions of each slot, by slot. The shares of different slots cannot be added up.';
comment on column core.fact_paying_app.default_product_page_count is 'Number of default product pages that are advertised.';
comment on column core.fact_paying_app.custom_product_page_count  is 'Number of custom product pages that are advertised.';
select ops.add_foreign_keys('core.fact_paying_app');
select ops.comment_columns('core.fact_paying_app');
