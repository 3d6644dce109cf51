-- Search-ads organisations of the account.

create table core.search_ads_integration (
  org_id            text        not null,
  integration_id    text        not null,
  account           text        not null default '',
  valid_from        date        not null,
  valid_to          date,
  is_current        boolean,
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
  slice_id          bigint      not null,
  fetched_at        timestamptz not null,
  primary key (org_id, integration_id, account, valid_from)
);
comment on table  core.search_ads_integration                   is 'Search-ads organisations that the account is connected to; one row per period without a change. No row means that the account is not connected; it may still have spent money. Which organisations are connected?';
comment on column core.search_ads_integration.org_id            is 'Id of the organisation.';
comment on column core.search_ads_integration.integration_id    is 'Id of the connection.';
comment on column core.search_ads_integration.organisation_name is 'Name of the organisation.';
comment on column core.search_ads_integration.integration_code  is 'The connection''s own code, of no fixed length or alphabet.';
comment on column core.search_ads_integration.currency          is 'The organisation''s own currency, which is the currency of the amounts under original in reports.';
comment on column core.search_ads_integration.time_zone         is 'Its time zone.';
comment on column core.search_ads_integration.payment_model     is 'How it pays.';
comment on column core.search_ads_integration.is_valid          is 'False when the connection does not work. Its reports are then not requested.';
comment on column core.search_ads_integration.has_fetched       is 'True when the service has fetched its data.';
comment on column core.search_ads_integration.role_names        is 'What the connection may do: a list of names.';
comment on column core.search_ads_integration.created_at        is 'When it was connected, without time zone.';
select ops.comment_columns('core.search_ads_integration');
