-- Keywords that apps pay for.

create table core.fact_paid_keyword (
  app_key      integer     not null,
  period_start date        not null,
  period_end   date        not null,
  country_key  smallint    not null,
  keyword_key  integer     not null,
  app_share    numeric,
  slot_shares  jsonb,
  extra        jsonb,
  slice_id     bigint      not null,
  fetched_at   timestamptz not null,
  primary key (app_key, period_start, period_end, country_key, keyword_key)
) partition by range (period_start);
comment on table  core.fact_paid_keyword              is 'Keywords that iOS apps pay for, over periods of 14 days.';
comment on column core.fact_paid_keyword.period_start is 'First day of the 14 days of the answer.';
comment on column core.fact_paid_keyword.period_end   is 'Last day of the period, inclusive.';
comment on column core.fact_paid_keyword.app_share    is 'The app''s share of all impressions of the keyword''s advertisements.';
comment on column core.fact_paid_keyword.slot_shares  is 'The app''s share of the impressions of each slot, by slot. The shares of different slots cannot be added up.';
select ops.add_foreign_keys('core.fact_paid_keyword');
select ops.comment_columns('core.fact_paid_keyword');
