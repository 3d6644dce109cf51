-- What the account has of search ads: organisations, measurement partners, goals, apps.

create table core.search_ads_integration (
  org_id            text not null,
  integration_id    text not null,
  valid_from        date not null,
  valid_to          date,
  is_current        boolean not null,
  organisation_name text,
  integration_code  text,
  currency          text,
  time_zone         text,
  payment_model     text,
  is_valid          boolean,
  has_fetched       boolean,
  role_names        jsonb,
  created_at        timestamp,
  extra             jsonb,
  slice_id          bigint not null,
  fetched_at        timestamptz not null,
  primary key (org_id, integration_id, valid_from)
);
comment on table  core.search_ads_integration                   is 'Search-ads organisations that the account is connected with; one row a stretch of days in which nothing of one changed. Which organisations are connected? None means not connected, not that nothing was spent.';
comment on column core.search_ads_integration.org_id            is 'Id of the organisation.';
comment on column core.search_ads_integration.integration_id    is 'Id of the connection.';
comment on column core.search_ads_integration.valid_from        is 'First day on which it was seen so.';
comment on column core.search_ads_integration.valid_to          is 'Day on which that was first seen to be no longer so; null while it is.';
comment on column core.search_ads_integration.is_current        is 'True while it is.';
comment on column core.search_ads_integration.organisation_name is 'Name of the organisation.';
comment on column core.search_ads_integration.integration_code  is 'The connection''s own code, of no fixed length or alphabet.';
comment on column core.search_ads_integration.currency          is 'The organisation''s own currency, in which column original of reports is told.';
comment on column core.search_ads_integration.time_zone         is 'Its time zone.';
comment on column core.search_ads_integration.payment_model     is 'How it pays.';
comment on column core.search_ads_integration.is_valid          is 'False where the connection does not work; then nothing is asked for.';
comment on column core.search_ads_integration.has_fetched       is 'True when the service has fetched its data.';
comment on column core.search_ads_integration.role_names        is 'What the connection may do: a list of names.';
comment on column core.search_ads_integration.created_at        is 'When it was connected, without zone.';
comment on column core.search_ads_integration.extra             is 'Fields of the answer that have no column of their own; null when there are none.';
comment on column core.search_ads_integration.slice_id          is 'Slice that wrote the row.';
comment on column core.search_ads_integration.fetched_at        is 'When the answer was received.';

create table core.mmp_integration (
  app_key        integer not null,
  tracker_type   text not null,
  valid_from     date not null,
  valid_to       date,
  is_current     boolean not null,
  state          text,
  app_name       text,
  developer_name text,
  extra          jsonb,
  icon_url       text,
  slice_id       bigint not null,
  fetched_at     timestamptz not null,
  primary key (app_key, tracker_type, valid_from)
);
comment on table  core.mmp_integration                is 'Measurement partners that the account''s apps report to; one row a stretch of days in which nothing of one changed.';
comment on column core.mmp_integration.app_key        is 'The app.';
comment on column core.mmp_integration.tracker_type   is 'Name of the partner, upper case; '''' for an app without any.';
comment on column core.mmp_integration.valid_from     is 'First day on which it was seen so.';
comment on column core.mmp_integration.valid_to       is 'Day on which that was first seen to be no longer so; null while it is.';
comment on column core.mmp_integration.is_current     is 'True while it is.';
comment on column core.mmp_integration.state          is 'How it stands: NO_RECENT_EVENT, SUCCESSFULLY_INTEGRATED, PENDING_FIRST_EVENT, CREATE_FIRST_GOAL.';
comment on column core.mmp_integration.app_name       is 'Name of the app.';
comment on column core.mmp_integration.developer_name is 'Name of its developer.';
comment on column core.mmp_integration.extra          is 'Fields of the answer that have no column of their own; null when there are none.';
comment on column core.mmp_integration.icon_url       is 'Address of the app''s icon.';
comment on column core.mmp_integration.slice_id       is 'Slice that wrote the row.';
comment on column core.mmp_integration.fetched_at     is 'When the answer was received.';

create table core.search_ads_goal (
  goal_id        text not null,
  valid_from     date not null,
  valid_to       date,
  is_current     boolean not null,
  app_key        integer,
  account_number text,
  tracker_type   text,
  goal_name      text,
  category       text,
  currency       text,
  created_at     timestamp,
  updated_at     timestamp,
  extra          jsonb,
  slice_id       bigint not null,
  fetched_at     timestamptz not null,
  primary key (goal_id, valid_from)
);
comment on table  core.search_ads_goal                is 'Goals by which the account measures its search ads; one row a stretch of days in which nothing of one changed.';
comment on column core.search_ads_goal.goal_id        is 'Id of the goal; reports can be fetched for it (options.goals).';
comment on column core.search_ads_goal.valid_from     is 'First day on which it was seen so.';
comment on column core.search_ads_goal.valid_to       is 'Day on which that was first seen to be no longer so; null while it is.';
comment on column core.search_ads_goal.is_current     is 'True while it is.';
comment on column core.search_ads_goal.app_key        is 'The app that it is of.';
comment on column core.search_ads_goal.account_number is 'The service''s number of the account.';
comment on column core.search_ads_goal.tracker_type   is 'Measurement partner that tells its events.';
comment on column core.search_ads_goal.goal_name      is 'Name of the goal.';
comment on column core.search_ads_goal.category       is 'PURCHASE, SUBSCRIPTION ...';
comment on column core.search_ads_goal.currency       is 'Currency of its revenue.';
comment on column core.search_ads_goal.created_at     is 'When it was made, without zone.';
comment on column core.search_ads_goal.updated_at     is 'When it was last changed, without zone.';
comment on column core.search_ads_goal.extra          is 'Fields of the answer that have no column of their own; null when there are none.';
comment on column core.search_ads_goal.slice_id       is 'Slice that wrote the row.';
comment on column core.search_ads_goal.fetched_at     is 'When the answer was received.';

create table core.search_ads_goal_event (
  goal_id            text not null,
  event_id           text not null,
  valid_from         date not null,
  valid_to           date,
  is_current         boolean not null,
  event_name         text,
  revenue_policy     text,
  custom_revenue     numeric,
  custom_usd_revenue numeric,
  extra              jsonb,
  slice_id           bigint not null,
  fetched_at         timestamptz not null,
  primary key (goal_id, event_id, valid_from)
);
comment on table  core.search_ads_goal_event                    is 'Events that count towards a goal; one row a stretch of days in which nothing of one changed.';
comment on column core.search_ads_goal_event.goal_id            is 'The goal.';
comment on column core.search_ads_goal_event.event_id           is 'Id of the event.';
comment on column core.search_ads_goal_event.valid_from         is 'First day on which it was seen so.';
comment on column core.search_ads_goal_event.valid_to           is 'Day on which that was first seen to be no longer so; null while it is.';
comment on column core.search_ads_goal_event.is_current         is 'True while it is.';
comment on column core.search_ads_goal_event.event_name         is 'Name of the event.';
comment on column core.search_ads_goal_event.revenue_policy     is 'IN_APP_VALUE (as the app tells it) or FIXED_VALUE.';
comment on column core.search_ads_goal_event.custom_revenue     is 'Fixed revenue of one event, in the currency of the goal.';
comment on column core.search_ads_goal_event.custom_usd_revenue is 'The same in US dollars.';
comment on column core.search_ads_goal_event.extra              is 'Fields of the answer that have no column of their own; null when there are none.';
comment on column core.search_ads_goal_event.slice_id           is 'Slice that wrote the row.';
comment on column core.search_ads_goal_event.fetched_at         is 'When the answer was received.';

create table core.search_ads_app (
  app_key        integer not null,
  valid_from     date not null,
  valid_to       date,
  is_current     boolean not null,
  app_name       text,
  category_id    text,
  category_name  text,
  subcategories  jsonb,
  price_text     text,
  developer_id   text,
  developer_name text,
  released_at    timestamp,
  icon_url       text,
  rating         numeric,
  rating_count   bigint,
  updated_at     timestamp,
  extra          jsonb,
  slice_id       bigint not null,
  fetched_at     timestamptz not null,
  primary key (app_key, valid_from)
);
comment on table  core.search_ads_app                is 'Apps that the account advertises; one row a stretch of days in which nothing of one changed but its ratings.';
comment on column core.search_ads_app.app_key        is 'The app.';
comment on column core.search_ads_app.valid_from     is 'First day on which it was seen so.';
comment on column core.search_ads_app.valid_to       is 'Day on which that was first seen to be no longer so; null while it is.';
comment on column core.search_ads_app.is_current     is 'True while it is.';
comment on column core.search_ads_app.app_name       is 'Name of the app.';
comment on column core.search_ads_app.category_id    is 'Category id in its store; 0 is a real one.';
comment on column core.search_ads_app.category_name  is 'Name of the category.';
comment on column core.search_ads_app.subcategories  is 'Its further categories: a list of names.';
comment on column core.search_ads_app.price_text     is 'Price as the store writes it, not a number.';
comment on column core.search_ads_app.developer_id   is 'Id of the developer in the store.';
comment on column core.search_ads_app.developer_name is 'Name of the developer.';
comment on column core.search_ads_app.released_at    is 'When it was released, without zone.';
comment on column core.search_ads_app.icon_url       is 'Address of the icon.';
comment on column core.search_ads_app.rating         is 'Average rating as last seen, 1 to 5.';
comment on column core.search_ads_app.rating_count   is 'Number of ratings as last seen.';
comment on column core.search_ads_app.updated_at     is 'When it was last updated, without zone.';
comment on column core.search_ads_app.extra          is 'Fields of the answer that have no column of their own; null when there are none.';
comment on column core.search_ads_app.slice_id       is 'Slice that wrote the row.';
comment on column core.search_ads_app.fetched_at     is 'When the answer was received.';
