-- How the advertising of apps is spread.

create table core.fact_ad_distribution (
  app_key       integer     not null,
  period_start  date        not null,
  period_end    date        not null,
  country_key   smallint    not null,
  kind          text        not null,
  media_type    text        not null,
  network       text        not null,
  member_group  text        not null,
  member        text        not null,
  member_name   text,
  percent_share numeric,
  extra         jsonb,
  slice_id      bigint      not null,
  fetched_at    timestamptz not null,
  primary key (app_key, period_start, period_end, country_key, kind, media_type, network, member_group, member)
) partition by range (period_start);
comment on table  core.fact_ad_distribution               is 'How the advertising of apps is distributed, for periods of 30 days. Always choose one kind, media_type, network and country_key. The parts of one member_group make up a whole; percentages of different periods cannot be averaged.';
comment on column core.fact_ad_distribution.period_start  is 'First day of the 30 days of the answer.';
comment on column core.fact_ad_distribution.period_end    is 'Last day of the period, inclusive.';
comment on column core.fact_ad_distribution.country_key   is 'Requested country; 0 (ALL) for all countries together.';
comment on column core.fact_ad_distribution.kind          is 'What the parts are: country, dimension, type, language, network, or publisher_dimension (sizes of the advertisements for others that the app shows).';
comment on column core.fact_ad_distribution.media_type    is 'Unit of the share: creatives or impressions; '''' if the service does not report it (language, publisher_dimension).';
comment on column core.fact_ad_distribution.network       is 'Requested network; '''' for all networks together.';
comment on column core.fact_ad_distribution.member_group  is 'The whole to which the part belongs, if the kind has several: image, video, html (dimension), the media type (publisher_dimension); '''' if it has only one.';
comment on column core.fact_ad_distribution.member        is 'The part: country code (alpha-2), size, type, language or network.';
comment on column core.fact_ad_distribution.member_name   is 'Name of the part; null if the member is its only name.';
comment on column core.fact_ad_distribution.percent_share is 'Share of the whole in percent, 0 to 100.';
select ops.add_foreign_keys('core.fact_ad_distribution');
select ops.comment_columns('core.fact_ad_distribution');
