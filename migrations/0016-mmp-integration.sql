-- Measurement partners of the account.

create table core.mmp_integration (
  app_key        integer     not null,
  tracker_type   text        not null,
  account        text        not null default '',
  valid_from     date        not null,
  valid_to       date,
  is_current     boolean,
  state          text,
  app_name       text,
  developer_name text,
  extra          jsonb,
  icon_url       text,
  slice_id       bigint      not null,
  fetched_at     timestamptz not null,
  primary key (app_key, tracker_type, account, valid_from)
);
comment on table  core.mmp_integration                is 'Measurement partners that the account''s apps report to; one row per period without a change.';
comment on column core.mmp_integration.tracker_type   is 'Name of the partner, upper case; '''' for an app without any.';
comment on column core.mmp_integration.state          is 'State: NO_RECENT_EVENT, SUCCESSFULLY_INTEGRATED, PENDING_FIRST_EVENT, CREATE_FIRST_GOAL.';
comment on column core.mmp_integration.developer_name is 'Name of its developer.';
comment on column core.mmp_integration.icon_url       is 'Address of the app''s icon.';
select ops.add_foreign_keys('core.mmp_integration');
select ops.comment_columns('core.mmp_integration');
