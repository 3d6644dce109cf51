-- Impressions of a keyword by app.

create table core.fact_impression_share (
  keyword_key      integer     not null,
  date_day         date        not null,
  country_key      smallint    not null,
  store            text        not null check (store in ('ios', 'android')),
  device_key       smallint    not null,
  share_day        date        not null,
  app_key          integer     not null,
  impression_share numeric,
  answer_day date,
  extra            jsonb,
  slice_id         bigint      not null,
  fetched_at       timestamptz not null,
  primary key (keyword_key, date_day, country_key, store, device_key, share_day, app_key)
) partition by range (date_day);
comment on table  core.fact_impression_share                  is 'Each app''s share of the impressions of a keyword, without advertisements, as seen on a day. A newer answer on that day replaces the whole list. The reported shares may add up to less than the whole.';
comment on column core.fact_impression_share.date_day         is 'Day of observation.';
comment on column core.fact_impression_share.share_day        is 'Day of the share, or the day of observation if the service reports none.';
comment on column core.fact_impression_share.impression_share is 'Share of the impressions, on the service''s own scale.';
comment on column core.fact_impression_share.answer_day is 'Day stated for the answer as a whole; null if there is none.';
select ops.add_foreign_keys('core.fact_impression_share');
select ops.comment_columns('core.fact_impression_share');
