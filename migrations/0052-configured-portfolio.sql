-- Since when the configuration lists what it lists: the file has no dates of its own.

create table core.configured_portfolio (
  store      text not null check (store in ('ios', 'android')),
  track_id   text not null,
  part       text not null check (part in ('app', 'country', 'keyword')),
  member     text not null,
  valid_from date not null,
  valid_to   date,
  account    text not null default '',
  primary key (store, track_id, part, member, account, valid_from)
);
comment on table  core.configured_portfolio            is 'Apps in portfolio.apps of the configuration, with their countries and keywords, as of each planning; one row per period in which the member was listed. If portfolio.source is account, there are none.';
comment on column core.configured_portfolio.part       is 'What is listed: the app itself, a country of it, or a keyword of it.';
comment on column core.configured_portfolio.member     is 'The country or the keyword; empty for the app itself. A keyword applies to all countries listed with it in the configuration.';
comment on column core.configured_portfolio.valid_from is 'First day on which a planning found it listed.';
comment on column core.configured_portfolio.valid_to   is 'First day on which a planning no longer found it listed; null while it is listed.';
select ops.comment_columns('core.configured_portfolio');

create table ops.unread_account (
  account      text primary key,
  unread_since date
);
comment on table  ops.unread_account              is 'Accounts whose lists were read once but, as of the last planning, no longer are: portfolio.source is config, or the account is no longer in the configuration. Rows of core.tracked_* stay as they were last read and have no effect.';
comment on column ops.unread_account.account      is 'Name of the account; empty for that of API_TOKEN.';
comment on column ops.unread_account.unread_since is 'First day on which a planning found that its lists are no longer read; null if they are read again.';
select ops.comment_columns('ops.unread_account');
