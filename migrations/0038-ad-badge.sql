-- Whether apps advertise and show advertisements.

create table core.ad_badge (
  app_key       integer     not null,
  date_day      date        not null,
  is_advertiser boolean,
  is_publisher  boolean,
  extra         jsonb,
  slice_id      bigint      not null,
  fetched_at    timestamptz not null,
  primary key (app_key, date_day)
);
comment on table  core.ad_badge               is 'Whether apps advertise and show advertisements, by day of observation.';
comment on column core.ad_badge.date_day      is 'Day on which this was seen.';
comment on column core.ad_badge.is_advertiser is 'True when the app advertises.';
comment on column core.ad_badge.is_publisher  is 'True when the app shows advertisements for others.';
select ops.add_foreign_keys('core.ad_badge');
select ops.comment_columns('core.ad_badge');
