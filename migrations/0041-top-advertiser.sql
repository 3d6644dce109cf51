-- Who advertises most.

create table core.fact_top_advertiser (
  store          text        not null,
  country_key    smallint    not null,
  category       text        not null,
  network        text        not null,
  period_start   date        not null,
  period_end     date        not null,
  rank           integer     not null,
  app_key        integer,
  app_name       text,
  developer_id   text,
  developer_name text,
  category_id    text,
  category_name  text,
  is_advertiser  boolean,
  is_publisher   boolean,
  ad_count       numeric,
  creative_count numeric,
  network_count  numeric,
  networks       jsonb,
  countries      jsonb,
  icon_url       text,
  service_app_id text,
  platform_id    integer,
  extra          jsonb,
  slice_id       bigint      not null,
  fetched_at     timestamptz not null,
  primary key (store, country_key, category, network, period_start, period_end, rank)
) partition by range (period_start);
comment on table  core.fact_top_advertiser                is 'The apps that advertise most, by store, country, category, network and period of 30 days, as far as pages were requested.';
comment on column core.fact_top_advertiser.country_key    is 'Requested country; 0 (ALL) for all countries together.';
comment on column core.fact_top_advertiser.category       is 'Requested category, in the words of the service; '''' for all categories together.';
comment on column core.fact_top_advertiser.network        is 'Requested network; '''' for all networks together.';
comment on column core.fact_top_advertiser.period_start   is 'First day of the 30 days of the answer.';
comment on column core.fact_top_advertiser.period_end     is 'Last day of the period, inclusive.';
comment on column core.fact_top_advertiser.rank           is 'Place in the list, 1 is the top, in the order of the answer. If a place is missing, its item was invalid (ops.reject).';
comment on column core.fact_top_advertiser.developer_id   is 'Id of the developer.';
comment on column core.fact_top_advertiser.category_id    is 'Category id of the app in its store; 0 is a real category.';
comment on column core.fact_top_advertiser.category_name  is 'Name of that category.';
comment on column core.fact_top_advertiser.is_advertiser  is 'True when the app advertises.';
comment on column core.fact_top_advertiser.is_publisher   is 'True when the app shows advertisements for others.';
comment on column core.fact_top_advertiser.ad_count       is 'Number of advertisements.';
comment on column core.fact_top_advertiser.creative_count is 'Number of different advertisements.';
comment on column core.fact_top_advertiser.network_count  is 'Number of networks.';
comment on column core.fact_top_advertiser.networks       is 'The networks: a list of title, class.';
comment on column core.fact_top_advertiser.countries      is 'The countries: a list of title, countryCode.';
comment on column core.fact_top_advertiser.icon_url       is 'Address of the app''s icon.';
comment on column core.fact_top_advertiser.service_app_id is 'The service''s own number of the app.';
comment on column core.fact_top_advertiser.platform_id    is 'Platform, by the service''s own numbering: 1 for Android, 2 for iOS.';
select ops.add_foreign_keys('core.fact_top_advertiser');
select ops.comment_columns('core.fact_top_advertiser');
