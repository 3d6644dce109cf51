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
  extra            jsonb,
  slice_id         bigint      not null,
  fetched_at       timestamptz not null,
  primary key (keyword_key, date_day, country_key, store, device_key, share_day, app_key)
) partition by range (date_day);
comment on table  core.fact_impression_share                  is 'Which part of the impressions of a keyword goes to which app, without advertisements, as seen on a day; replaced as a whole when asked again on that day. The parts that are told need not add up to everything.';
comment on column core.fact_impression_share.date_day         is 'Day of observation.';
comment on column core.fact_impression_share.share_day        is 'Day that the service tells the part for; the day of observation where it tells none.';
comment on column core.fact_impression_share.impression_share is 'Part of the impressions, as the service scales it.';
select ops.add_foreign_keys('core.fact_impression_share');
select ops.comment_columns('core.fact_impression_share');
