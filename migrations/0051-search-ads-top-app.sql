-- Who wins the impressions of the account's keywords.

create table core.fact_search_ads_top_app (
  org_id            text        not null,
  period_start      date        not null,
  period_end        date        not null,
  country_key       smallint    not null,
  keyword_id        text        not null,
  app_key           integer     not null,
  keyword_key       integer,
  share             numeric,
  app_name          text,
  icon_url          text,
  is_removed        boolean,
  keyword_app_count numeric,
  competitors       jsonb,
  extra             jsonb,
  slice_id          bigint      not null,
  fetched_at        timestamptz not null,
  primary key (org_id, period_start, period_end, country_key, keyword_id, app_key)
) partition by range (period_start);
comment on table  core.fact_search_ads_top_app                   is 'The apps with the most impressions for keywords that the account bids on, by calendar month.';
comment on column core.fact_search_ads_top_app.period_start      is 'First day of the period of the answer.';
comment on column core.fact_search_ads_top_app.period_end        is 'Last day of the period, inclusive.';
comment on column core.fact_search_ads_top_app.country_key       is 'Country.';
comment on column core.fact_search_ads_top_app.keyword_id        is 'Id of the keyword in reports.';
comment on column core.fact_search_ads_top_app.app_key           is 'App with impressions.';
comment on column core.fact_search_ads_top_app.share             is 'Share of the impressions, on the service''s own scale.';
comment on column core.fact_search_ads_top_app.icon_url          is 'Address of the app''s icon.';
comment on column core.fact_search_ads_top_app.is_removed        is 'True when the app is no longer in the store.';
comment on column core.fact_search_ads_top_app.keyword_app_count is 'Number of apps that the search for the keyword returns.';
comment on column core.fact_search_ads_top_app.competitors       is 'Field competitors of the answer: true, false or a list.';
select ops.add_foreign_keys('core.fact_search_ads_top_app');
select ops.comment_columns('core.fact_search_ads_top_app');
