-- Keyword ranks: the largest fact, monthly partitions, integer keys throughout.

create table core.fact_keyword_rank (
  app_key     integer   not null,
  date_day    date      not null,
  country_key smallint  not null,
  keyword_key integer   not null,
  device_key  smallint  not null,
  rank        integer,
  observed_at timestamp,
  slice_id    bigint      not null,
  fetched_at  timestamptz not null,
  primary key (app_key, date_day, country_key, keyword_key, device_key)
) partition by range (date_day);
comment on table  core.fact_keyword_rank             is 'Rank of an app for a keyword by country, device and day. A row without rank: asked for and not ranked. No row: not asked for; ops.coverage_daily tells why.';
comment on column core.fact_keyword_rank.app_key     is 'The app.';
comment on column core.fact_keyword_rank.date_day    is 'Calendar day of the crawl.';
comment on column core.fact_keyword_rank.country_key is 'The country.';
comment on column core.fact_keyword_rank.keyword_key is 'The keyword.';
comment on column core.fact_keyword_rank.device_key  is 'The device; 0 on Android.';
comment on column core.fact_keyword_rank.rank        is 'Position in the search results, 1 is the top; of several crawls of a day the last one counts. Null: asked for and not ranked.';
comment on column core.fact_keyword_rank.observed_at is 'Crawl time by the service''s own clock, without zone; epoch-milliseconds are read as UTC. Null when the answer left the keyword out.';
comment on column core.fact_keyword_rank.slice_id    is 'Slice that wrote the row.';
comment on column core.fact_keyword_rank.fetched_at  is 'When the answer was received.';
