-- How apps stand in the searches of a country: sums over keyword ranks by day, kept up by every load of ranks in its own transaction.
-- What reads ranks of many apps and days reads these instead: a row for hundreds of ranks.

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
comment on column core.fact_keyword_standing.app_key              is 'The app.';
comment on column core.fact_keyword_standing.date_day             is 'Calendar day of the crawl.';
comment on column core.fact_keyword_standing.country_key          is 'The country.';
comment on column core.fact_keyword_standing.device_key           is 'The device; 0 on Android.';
comment on column core.fact_keyword_standing.asked_keyword_count  is 'Keywords that were asked for.';
comment on column core.fact_keyword_standing.ranked_keyword_count is 'Keywords of these for which the app ranks.';
comment on column core.fact_keyword_standing.top_1_keyword_count  is 'Keywords for which it is the first result.';
comment on column core.fact_keyword_standing.top_3_keyword_count  is 'Keywords for which it is among the first 3 results.';
comment on column core.fact_keyword_standing.top_10_keyword_count is 'Keywords for which it is among the first 10 results.';
comment on column core.fact_keyword_standing.top_50_keyword_count is 'Keywords for which it is among the first 50 results.';
comment on column core.fact_keyword_standing.rank_sum             is 'Sum of the ranks; over ranked_keyword_count it is the average rank.';
comment on column core.fact_keyword_standing.voice_billionths     is 'Sum of 1 / rank in billionths, each cut to a whole number: a first place counts 1,000,000,000, a second one half of it, no rank nothing.';

insert into core.fact_keyword_standing
select r.app_key, r.date_day, r.country_key, r.device_key, count(*), count(r.rank), count(*) filter (where r.rank <= 1), count(*) filter (where r.rank <= 3),
       count(*) filter (where r.rank <= 10), count(*) filter (where r.rank <= 50), coalesce(sum(r.rank), 0), coalesce(sum(1000000000 / nullif(r.rank, 0)), 0)
from   core.fact_keyword_rank as r
group  by 1, 2, 3, 4;

do $$
declare
  clause text := case when current_setting('server_version_num')::int >= 180000 then 'not enforced' else '' end;
  link   record;
begin
  for link in
    select * from (values ('app_key', 'dim_app'), ('date_day', 'dim_date'), ('country_key', 'dim_country'), ('device_key', 'dim_device')) as k (key, dimension)
  loop
    execute format('alter table core.fact_keyword_standing add foreign key (%I) references core.%I (%I) %s', link.key, link.dimension, link.key, clause);
  end loop;
end
$$;
