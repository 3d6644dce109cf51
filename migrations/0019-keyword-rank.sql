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
comment on table  core.fact_keyword_rank             is 'Rank of an app for a keyword by country, device and day. A keyword that was requested but not ranked has a row with a null rank. A keyword that was not requested has no row; ops.coverage_daily shows why.';
comment on column core.fact_keyword_rank.date_day    is 'Calendar day on which the service crawled the store.';
comment on column core.fact_keyword_rank.rank        is 'Position in the search results, 1 is the top. The last crawl of a day counts. Null when the keyword was requested but the app does not rank for it.';
comment on column core.fact_keyword_rank.observed_at is 'When the service crawled the store, by its own clock, without time zone; epoch milliseconds are read as UTC. Null when the answer omits the keyword.';
select ops.add_foreign_keys('core.fact_keyword_rank');
select ops.comment_columns('core.fact_keyword_rank');

create table core.fact_keyword_rank_summary (
  app_key              integer  not null,
  date_day             date     not null,
  country_key          smallint not null,
  device_key           smallint not null,
  answered_keyword_count bigint  not null,
  ranked_keyword_count bigint   not null,
  top_1_keyword_count  bigint   not null,
  top_3_keyword_count  bigint   not null,
  top_10_keyword_count bigint   not null,
  top_50_keyword_count bigint   not null,
  rank_sum             bigint   not null,
  voice_billionths     bigint   not null,
  has_rows             boolean  not null default true,
  primary key (app_key, date_day, country_key, device_key)
);
create index fact_keyword_rank_summary_by_day on core.fact_keyword_rank_summary (date_day, country_key);
comment on table  core.fact_keyword_rank_summary                      is 'Sums over core.fact_keyword_rank by app, country, device and day. Each load of ranks updates them in its own transaction. They can be added up across apps and countries, but not across devices.';
comment on column core.fact_keyword_rank_summary.date_day             is 'Calendar day on which the service crawled the store.';
comment on column core.fact_keyword_rank_summary.answered_keyword_count is 'Requested keywords with an answer, ranked or not.';
comment on column core.fact_keyword_rank_summary.ranked_keyword_count is 'Requested keywords for which the app ranks.';
comment on column core.fact_keyword_rank_summary.top_1_keyword_count  is 'Keywords for which the app is the first result.';
comment on column core.fact_keyword_rank_summary.top_3_keyword_count  is 'Keywords for which the app is among the first 3 results.';
comment on column core.fact_keyword_rank_summary.top_10_keyword_count is 'Keywords for which the app is among the first 10 results.';
comment on column core.fact_keyword_rank_summary.top_50_keyword_count is 'Keywords for which the app is among the first 50 results.';
comment on column core.fact_keyword_rank_summary.rank_sum             is 'Sum of the ranks; divided by ranked_keyword_count it is the average rank.';
comment on column core.fact_keyword_rank_summary.voice_billionths     is 'Sum of 1 / rank in billionths, each rounded down: rank 1 counts 1,000,000,000, rank 2 counts 500,000,000, and no rank counts 0.';
comment on column core.fact_keyword_rank_summary.has_rows             is 'False if retention removed the ranks. The sums stay until a rank of the same app, country, device and day is loaded again: then they start from scratch.';
select ops.add_foreign_keys('core.fact_keyword_rank_summary');
select ops.comment_columns('core.fact_keyword_rank_summary');
