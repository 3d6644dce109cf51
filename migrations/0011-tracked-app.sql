-- Apps that the account tracks, and the competitors that it names for them.

create table core.tracked_app (
  app_key                    integer     not null,
  account                    text        not null default '',
  valid_from                 date        not null,
  valid_to                   date,
  is_current                 boolean,
  is_store_account_connected boolean,
  available_countries        jsonb,
  slice_id                   bigint      not null,
  fetched_at                 timestamptz not null,
  primary key (app_key, account, valid_from)
);
comment on table  core.tracked_app                            is 'Apps that the account tracks; one row per period in which the account tracked the app.';
comment on column core.tracked_app.valid_from                 is 'First day on which the account was seen to track it.';
comment on column core.tracked_app.valid_to                   is 'First day on which the account was seen to no longer track it; null while it does.';
comment on column core.tracked_app.is_current                 is 'True while the account tracks the app; null if the newest list had invalid items and did not name it: it then stays in the portfolio.';
comment on column core.tracked_app.is_store_account_connected is 'True when the account has connected its own store account for the app.';
comment on column core.tracked_app.available_countries        is 'Countries in which the app is available, sorted, as last seen.';
select ops.add_foreign_keys('core.tracked_app');
select ops.comment_columns('core.tracked_app');

create table core.tracked_competitor (
  app_key            integer     not null,
  competitor_app_key integer     not null,
  account            text        not null default '',
  valid_from         date        not null,
  valid_to           date,
  is_current         boolean,
  slice_id           bigint      not null,
  fetched_at         timestamptz not null,
  primary key (app_key, competitor_app_key, account, valid_from)
);
create index tracked_competitor_by_competitor on core.tracked_competitor (competitor_app_key);
comment on table  core.tracked_competitor                    is 'Competitors that the account names for an app that it tracks; one row per period in which the account named the competitor.';
comment on column core.tracked_competitor.app_key            is 'App that the account tracks.';
comment on column core.tracked_competitor.competitor_app_key is 'Its competitor, which need not be in the portfolio.';
comment on column core.tracked_competitor.valid_from         is 'First day on which the account was seen to name the competitor.';
comment on column core.tracked_competitor.valid_to           is 'First day on which the account was seen to no longer name the competitor; null while it does.';
comment on column core.tracked_competitor.is_current         is 'True while the competitor is named; null if the newest list had invalid items and did not name it.';
select ops.add_foreign_keys('core.tracked_competitor');
select ops.comment_columns('core.tracked_competitor');
