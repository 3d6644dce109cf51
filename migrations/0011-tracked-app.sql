-- Apps that the account tracks, and the competitors that it names for them.

create table core.tracked_app (
  app_key                    integer     not null,
  valid_from                 date        not null,
  valid_to                   date,
  is_current                 boolean     not null,
  is_store_account_connected boolean,
  slice_id                   bigint      not null,
  fetched_at                 timestamptz not null,
  primary key (app_key, valid_from)
);
comment on table  core.tracked_app                            is 'Apps that the account tracks; one row a stretch of days in which an app was tracked.';
comment on column core.tracked_app.valid_from                 is 'First day on which it was seen as tracked.';
comment on column core.tracked_app.valid_to                   is 'Day on which it was first seen as no longer tracked; null while it is.';
comment on column core.tracked_app.is_current                 is 'True while the app is tracked.';
comment on column core.tracked_app.is_store_account_connected is 'True when the account has connected its own store account for the app.';
select ops.add_foreign_keys('core.tracked_app');
select ops.comment_columns('core.tracked_app');

create table core.tracked_competitor (
  app_key            integer     not null,
  competitor_app_key integer     not null,
  valid_from         date        not null,
  valid_to           date,
  is_current         boolean     not null,
  slice_id           bigint      not null,
  fetched_at         timestamptz not null,
  primary key (app_key, competitor_app_key, valid_from)
);
create index tracked_competitor_by_competitor on core.tracked_competitor (competitor_app_key);
comment on table  core.tracked_competitor                    is 'Apps that the account names as competitors of an app that it tracks; one row a stretch of days in which one was named for the other.';
comment on column core.tracked_competitor.app_key            is 'The app that the account tracks.';
comment on column core.tracked_competitor.competitor_app_key is 'Its competitor, which need not be followed itself.';
comment on column core.tracked_competitor.valid_from         is 'First day on which it was seen as named.';
comment on column core.tracked_competitor.valid_to           is 'Day on which it was first seen as no longer named; null while it is.';
comment on column core.tracked_competitor.is_current         is 'True while it is named.';
select ops.add_foreign_keys('core.tracked_competitor');
select ops.comment_columns('core.tracked_competitor');
