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
comment on table  core.fact_ad_distribution               is 'How the advertising of apps is spread over stretches of 30 days. Always choose one kind, media_type, network and country_key; the parts of one member_group make a whole, and percents of different periods cannot be averaged.';
comment on column core.fact_ad_distribution.period_start  is 'First day of the 30 days that the answer is about.';
comment on column core.fact_ad_distribution.period_end    is 'Last day of them, counted in.';
comment on column core.fact_ad_distribution.country_key   is 'Country that was asked for; 0 (ALL) for all of them together.';
comment on column core.fact_ad_distribution.kind          is 'What is told apart: country, dimension, type, language, network, or publisher_dimension (sizes of what the app shows of others).';
comment on column core.fact_ad_distribution.media_type    is 'What is counted: creatives or impressions; '''' where the service does not say (language, publisher_dimension).';
comment on column core.fact_ad_distribution.network       is 'Network that was asked for; '''' for all of them together.';
comment on column core.fact_ad_distribution.member_group  is 'The whole that the parts belong to where there are several: image, video, html (dimension), the media type (publisher_dimension); '''' where there is one.';
comment on column core.fact_ad_distribution.member        is 'The part: country code (alpha-2), size, type, language or network.';
comment on column core.fact_ad_distribution.member_name   is 'Its name; null where the member is all there is.';
comment on column core.fact_ad_distribution.percent_share is 'Part of the whole in percent, 0 to 100.';
select ops.add_foreign_keys('core.fact_ad_distribution');
select ops.comment_columns('core.fact_ad_distribution');
