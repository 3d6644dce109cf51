-- Goals of the account's search ads and the events that count towards them.

create table core.search_ads_goal (
  goal_id        text        not null,
  account        text        not null default '',
  valid_from     date        not null,
  valid_to       date,
  is_current     boolean,
  app_key        integer,
  account_number text,
  tracker_type   text,
  goal_name      text,
  category       text,
  currency       text,
  created_at     timestamp,
  updated_at     timestamp,
  extra          jsonb,
  slice_id       bigint      not null,
  fetched_at     timestamptz not null,
  primary key (goal_id, account, valid_from)
);
comment on table  core.search_ads_goal                is 'Goals with which the account measures its search ads; one row per period without a change.';
comment on column core.search_ads_goal.goal_id        is 'Id of the goal; reports can be fetched for it (options.goals).';
comment on column core.search_ads_goal.app_key        is 'App of the goal.';
comment on column core.search_ads_goal.account_number is 'The service''s number of the account.';
comment on column core.search_ads_goal.tracker_type   is 'Measurement partner that reports its events.';
comment on column core.search_ads_goal.goal_name      is 'Name of the goal.';
comment on column core.search_ads_goal.category       is 'PURCHASE, SUBSCRIPTION ...';
comment on column core.search_ads_goal.currency       is 'Currency of its revenue.';
comment on column core.search_ads_goal.created_at     is 'When it was created, without time zone.';
comment on column core.search_ads_goal.updated_at     is 'When it was last changed, without time zone.';
select ops.add_foreign_keys('core.search_ads_goal');
select ops.comment_columns('core.search_ads_goal');

create table core.search_ads_goal_event (
  goal_id            text        not null,
  event_id           text        not null,
  account            text        not null default '',
  valid_from         date        not null,
  valid_to           date,
  is_current         boolean,
  event_name         text,
  revenue_policy     text,
  custom_revenue     numeric,
  custom_usd_revenue numeric,
  extra              jsonb,
  slice_id           bigint      not null,
  fetched_at         timestamptz not null,
  primary key (goal_id, event_id, account, valid_from)
);
comment on table  core.search_ads_goal_event                    is 'Events that count towards a goal; one row per period without a change.';
comment on column core.search_ads_goal_event.goal_id            is 'The goal.';
comment on column core.search_ads_goal_event.event_id           is 'Id of the event.';
comment on column core.search_ads_goal_event.event_name         is 'Name of the event.';
comment on column core.search_ads_goal_event.revenue_policy     is 'IN_APP_VALUE (as the app reports it) or FIXED_VALUE.';
comment on column core.search_ads_goal_event.custom_revenue     is 'Fixed revenue of one event, in the currency of the goal.';
comment on column core.search_ads_goal_event.custom_usd_revenue is 'The same in US dollars.';
select ops.comment_columns('core.search_ads_goal_event');
