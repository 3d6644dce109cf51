-- Keyword ranks: the largest fact, monthly partitions, integer keys throughout; and their sums, which every load of ranks keeps up in its own
-- transaction. What reads ranks of many apps and days reads the sums instead: a row for hundreds of ranks.

create table core.fact_keyword_rank (
  app_key     integer     not null,
  date_day    date        not null,
  country_key smallint    not null,
  keyword_key integer     not null,
  device_key  smallint    not null,
  rank        integer,
  observed_at timestamp,
  slice_id    bigint      not null,
  fetched_at  timestamptz not null,
  primary key (app_key, date_day, country_key, keyword_key, device_key)
) partition by range (date_day);
comment on table  core.fact_keyword_rank             is 'Rank of an app for a keyword by country, device and day. A row without rank: asked for and not ranked. No row: not asked for; ops.coverage_daily tells why.';
comment on column core.fact_keyword_rank.date_day    is 'Calendar day of the crawl.';
comment on column core.fact_keyword_rank.country_key is 'The country.';
comment on column core.fact_keyword_rank.rank        is 'Position in the search results, 1 is the top; of several crawls of a day the last one counts. Null: asked for and not ranked.';
comment on column core.fact_keyword_rank.observed_at is 'Crawl time by the service''s own clock, without zone; epoch-milliseconds are read as UTC. Null when the answer left the keyword out.';
select ops.add_foreign_keys('core.fact_keyword_rank');
select ops.comment_columns('core.fact_keyword_rank');

create table core.fact_keyword_standing (
  app_key              integer  not null,
  date_day             date     not null,
  country_key          smallint not null,
  device_key           smallint not null,
  asked_keyword_count  bigint   not null,
  ranked_keyword_count bigint   not null,
  top_1_keyword_count  bigint   not null,
  top_3_keyword_count  bigint   not null,
  top_10_keyword_count bigint   not null,
  top_50_keyword_count bigint   not null,
  rank_sum             bigint   not null,
  voice_billionths     bigint   not null,
  primary key (app_key, date_day, country_key, device_key)
);
create index fact_keyword_standing_by_day on core.fact_keyword_standing (date_day, country_key);
comment on table  core.fact_keyword_standing                      is 'Sums over core.fact_keyword_rank by app, country, device and day: kept up by each load of ranks in its own transaction, never loaded by itself. Parts add up over apps and countries; devices search alike and are not to be added up.';
comment on column core.fact_keyword_standing.date_day             is 'Calendar day of the crawl.';
comment on column core.fact_keyword_standing.country_key          is 'The country.';
comment on column core.fact_keyword_standing.asked_keyword_count  is 'Keywords that were asked for.';
comment on column core.fact_keyword_standing.ranked_keyword_count is 'Keywords of these for which the app ranks.';
comment on column core.fact_keyword_standing.top_1_keyword_count  is 'Keywords for which it is the first result.';
comment on column core.fact_keyword_standing.top_3_keyword_count  is 'Keywords for which it is among the first 3 results.';
comment on column core.fact_keyword_standing.top_10_keyword_count is 'Keywords for which it is among the first 10 results.';
comment on column core.fact_keyword_standing.top_50_keyword_count is 'Keywords for which it is among the first 50 results.';
comment on column core.fact_keyword_standing.rank_sum             is 'Sum of the ranks; over ranked_keyword_count it is the average rank.';
comment on column core.fact_keyword_standing.voice_billionths     is 'Sum of 1 / rank in billionths, each cut to a whole number: a first place counts 1,000,000,000, a second one half of it, no rank nothing.';
select ops.add_foreign_keys('core.fact_keyword_standing');
select ops.comment_columns('core.fact_keyword_standing');
