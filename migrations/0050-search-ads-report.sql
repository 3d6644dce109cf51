-- Reports of search ads.

create table core.fact_search_ads_report (
  org_id                   text        not null,
  report_level             text        not null,
  grain                    text        not null,
  currency                 text        not null,
  attribution              text        not null,
  goal_id                  text        not null,
  period_start             date        not null,
  period_end               date        not null,
  is_total                 boolean     not null,
  app_id                   text        not null,
  campaign_id              text        not null,
  ad_group_id              text        not null,
  keyword_id               text        not null,
  ad_id                    text        not null,
  product_page             text        not null,
  search_term              text        not null,
  match_type               text        not null,
  country_key              smallint    not null,
  gender                   text        not null,
  age                      text        not null,
  device_class             text        not null,
  customer_type            text        not null,
  segment                  text        not null,
  report_type              text,
  date_day                 date,
  app_key                  integer,
  keyword_key              integer,
  org_name                 text,
  app_name                 text,
  campaign_name            text,
  ad_group_name            text,
  ad_name                  text,
  product_page_name        text,
  spend                    numeric,
  impression_count         numeric,
  tap_count                numeric,
  install_count            numeric,
  new_download_count       numeric,
  redownload_count         numeric,
  lat_on_install_count     numeric,
  lat_off_install_count    numeric,
  cpa                      numeric,
  cpt                      numeric,
  cpm                      numeric,
  ttr                      numeric,
  cr                       numeric,
  attributed_install_count numeric,
  attributed_install_rate  numeric,
  cpi                      numeric,
  goal_count               numeric,
  goal_count_1d            numeric,
  goal_count_3d            numeric,
  goal_count_7d            numeric,
  goal_count_14d           numeric,
  goal_count_30d           numeric,
  goal_rate                numeric,
  cost_per_goal            numeric,
  cpa_goal                 numeric,
  goal_revenue             numeric,
  goal_revenue_1d          numeric,
  goal_revenue_3d          numeric,
  goal_revenue_7d          numeric,
  goal_revenue_14d         numeric,
  goal_revenue_30d         numeric,
  goal_roas                numeric,
  goal_roas_1d             numeric,
  goal_roas_3d             numeric,
  goal_roas_7d             numeric,
  goal_roas_14d            numeric,
  goal_roas_30d            numeric,
  revenue_per_goal         numeric,
  arpu                     numeric,
  default_bid              numeric,
  daily_budget             numeric,
  started_at               timestamp,
  ad_channel_type          text,
  billing_event            text,
  pricing_model            text,
  campaign_status          text,
  ad_group_status          text,
  display_status           text,
  serving_status_reasons   text,
  search_match             text,
  countries                jsonb,
  country_statuses         jsonb,
  supply_sources           jsonb,
  original                 jsonb,
  extra                    jsonb,
  slice_id                 bigint      not null,
  fetched_at               timestamptz not null,
  primary key (org_id, report_level, grain, currency, attribution, goal_id, period_start, period_end, is_total, app_id, campaign_id, ad_group_id, keyword_id, ad_id, product_page, search_term, match_type, country_key, gender, age, device_class, customer_type, segment)
) partition by range (period_start);
-- spend of an app by day, for marts
create index fact_search_ads_report_by_app on core.fact_search_ads_report (app_key, period_start)
  where report_level = 'CAMPAIGN' and grain = 'day' and goal_id = '' and not is_total;
comment on table  core.fact_search_ads_report                          is 'Spend, taps, installs and goals of search ads. One row per entity of its level and day or longer period. Levels, grains, currencies, attributions and goals repeat the same figures: choose one of each before you add up rows, and leave out totals. See mart.search_ads_daily. Former values are in ops.restated_value.';
comment on column core.fact_search_ads_report.report_level             is 'Level of the row: ACCOUNT, APP, CAMPAIGN, AD_GROUP, AD, CPP, KEYWORD, NEGATIVE, SEARCH_TERM.';
comment on column core.fact_search_ads_report.grain                    is 'Period of the row: day, week or month; week_summary or month_summary for a row of a SUMMARY over a week or month; window for a row of a DAILY report without a day, which covers all requested days.';
comment on column core.fact_search_ads_report.currency                 is 'Requested currency of the money.';
comment on column core.fact_search_ads_report.attribution              is 'How redownloads (installs by earlier users) were requested to be counted: WITH, WITHOUT, ONLY.';
comment on column core.fact_search_ads_report.goal_id                  is 'Requested goal; '''' for none. Without a goal the goal columns have no meaning.';
comment on column core.fact_search_ads_report.period_start             is 'First day of the period of the figures.';
comment on column core.fact_search_ads_report.period_end               is 'Last day of the period, inclusive; the same day if grain is day.';
comment on column core.fact_search_ads_report.is_total                 is 'True for a row that is the sum of other rows of its report. Never add it to them.';
comment on column core.fact_search_ads_report.app_id                   is 'Advertised app; '''' for none.';
comment on column core.fact_search_ads_report.campaign_id              is 'Campaign; '''' for none.';
comment on column core.fact_search_ads_report.ad_group_id              is 'Ad group; '''' for none. Ad group and day are not unique: country and the four segments belong to the key.';
comment on column core.fact_search_ads_report.keyword_id               is 'Keyword, or negative keyword; '''' for none.';
comment on column core.fact_search_ads_report.ad_id                    is 'Ad; '''' for none.';
comment on column core.fact_search_ads_report.product_page             is 'Custom product page: its id, or its name if it has no id; '''' for none.';
comment on column core.fact_search_ads_report.search_term              is 'What people searched for; '''' for none.';
comment on column core.fact_search_ads_report.match_type               is 'How the keyword must match; '''' for none.';
comment on column core.fact_search_ads_report.country_key              is 'Country; 0 (ALL) if the row is not about a single country.';
comment on column core.fact_search_ads_report.gender                   is 'Segment; '''' for none.';
comment on column core.fact_search_ads_report.age                      is 'Segment; '''' for none.';
comment on column core.fact_search_ads_report.device_class             is 'Segment; '''' for none.';
comment on column core.fact_search_ads_report.customer_type            is 'Segment; '''' for none.';
comment on column core.fact_search_ads_report.segment                  is 'Further fields of the key, as JSON, if rows have the same values in all columns above; '''' if they are not needed.';
comment on column core.fact_search_ads_report.report_type              is 'Type of the report: DAILY, REPORT, SUMMARY. A day has one row, from the newest report of any type.';
comment on column core.fact_search_ads_report.date_day                 is 'The day if grain is day; null for longer periods, which are never spread over their days.';
comment on column core.fact_search_ads_report.app_key                  is 'The advertised app.';
comment on column core.fact_search_ads_report.ad_name                  is 'Name of the ad.';
comment on column core.fact_search_ads_report.product_page_name        is 'Name of the product page.';
comment on column core.fact_search_ads_report.spend                    is 'Money spent, in currency.';
comment on column core.fact_search_ads_report.impression_count         is 'Impressions.';
comment on column core.fact_search_ads_report.tap_count                is 'Taps.';
comment on column core.fact_search_ads_report.install_count            is 'Installs, new downloads and redownloads together.';
comment on column core.fact_search_ads_report.new_download_count       is 'Installs by new users.';
comment on column core.fact_search_ads_report.redownload_count         is 'Installs by earlier users.';
comment on column core.fact_search_ads_report.lat_on_install_count     is 'Installs by users who limit ad tracking.';
comment on column core.fact_search_ads_report.lat_off_install_count    is 'Installs by users who do not limit ad tracking.';
comment on column core.fact_search_ads_report.cpa                      is 'Spend per install, in currency.';
comment on column core.fact_search_ads_report.cpt                      is 'Spend per tap, in currency.';
comment on column core.fact_search_ads_report.cpm                      is 'Spend per thousand impressions, in currency.';
comment on column core.fact_search_ads_report.ttr                      is 'Taps per impression.';
comment on column core.fact_search_ads_report.cr                       is 'Installs per tap.';
comment on column core.fact_search_ads_report.attributed_install_count is 'Installs that the measurement partner attributes.';
comment on column core.fact_search_ads_report.attributed_install_rate  is 'Installs that the measurement partner attributes, per tap.';
comment on column core.fact_search_ads_report.cpi                      is 'Spend per install that the measurement partner attributes, in currency.';
comment on column core.fact_search_ads_report.goal_count               is 'Number of times the goal was reached.';
comment on column core.fact_search_ads_report.goal_count_1d            is 'Number of times the goal was reached within 1 day of the install.';
comment on column core.fact_search_ads_report.goal_count_3d            is 'Number of times the goal was reached within 3 days of the install.';
comment on column core.fact_search_ads_report.goal_count_7d            is 'Number of times the goal was reached within 7 days of the install.';
comment on column core.fact_search_ads_report.goal_count_14d           is 'Number of times the goal was reached within 14 days of the install.';
comment on column core.fact_search_ads_report.goal_count_30d           is 'Number of times the goal was reached within 30 days of the install.';
comment on column core.fact_search_ads_report.goal_rate                is 'Goals per install.';
comment on column core.fact_search_ads_report.cost_per_goal            is 'Spend per goal, in currency.';
comment on column core.fact_search_ads_report.cpa_goal                 is 'Target spend per install (CPA goal), in currency.';
comment on column core.fact_search_ads_report.goal_revenue             is 'Revenue of the goal, in currency.';
comment on column core.fact_search_ads_report.goal_revenue_1d          is 'Revenue of the goal within 1 day of the install, in currency.';
comment on column core.fact_search_ads_report.goal_revenue_3d          is 'Revenue of the goal within 3 days of the install, in currency.';
comment on column core.fact_search_ads_report.goal_revenue_7d          is 'Revenue of the goal within 7 days of the install, in currency.';
comment on column core.fact_search_ads_report.goal_revenue_14d         is 'Revenue of the goal within 14 days of the install, in currency.';
comment on column core.fact_search_ads_report.goal_revenue_30d         is 'Revenue of the goal within 30 days of the install, in currency.';
comment on column core.fact_search_ads_report.goal_roas                is 'Revenue of the goal per unit of spend.';
comment on column core.fact_search_ads_report.goal_roas_1d             is 'Revenue of the goal within 1 day of the install per unit of spend.';
comment on column core.fact_search_ads_report.goal_roas_3d             is 'Revenue of the goal within 3 days of the install per unit of spend.';
comment on column core.fact_search_ads_report.goal_roas_7d             is 'Revenue of the goal within 7 days of the install per unit of spend.';
comment on column core.fact_search_ads_report.goal_roas_14d            is 'Revenue of the goal within 14 days of the install per unit of spend.';
comment on column core.fact_search_ads_report.goal_roas_30d            is 'Revenue of the goal within 30 days of the install per unit of spend.';
comment on column core.fact_search_ads_report.revenue_per_goal         is 'Revenue per goal, in currency.';
comment on column core.fact_search_ads_report.arpu                     is 'Revenue per install, in currency.';
comment on column core.fact_search_ads_report.default_bid              is 'Default bid of the ad group, in currency.';
comment on column core.fact_search_ads_report.daily_budget             is 'Daily budget, in currency.';
comment on column core.fact_search_ads_report.started_at               is 'When the campaign, ad group or keyword of the row started, without time zone.';
comment on column core.fact_search_ads_report.ad_channel_type          is 'SEARCH or DISPLAY.';
comment on column core.fact_search_ads_report.billing_event            is 'What is paid for: TAPS.';
comment on column core.fact_search_ads_report.pricing_model            is 'How it is priced.';
comment on column core.fact_search_ads_report.campaign_status          is 'ENABLED or PAUSED.';
comment on column core.fact_search_ads_report.ad_group_status          is 'ENABLED or PAUSED.';
comment on column core.fact_search_ads_report.display_status           is 'RUNNING or PAUSED.';
comment on column core.fact_search_ads_report.serving_status_reasons   is 'Why it does not run, PAUSED_BY_USER for instance.';
comment on column core.fact_search_ads_report.search_match             is 'Whether the service matches searches automatically, in the format of the service.';
comment on column core.fact_search_ads_report.countries                is 'Countries of the campaign: a list.';
comment on column core.fact_search_ads_report.country_statuses         is 'Country mapped to the status of the campaign in it.';
comment on column core.fact_search_ads_report.supply_sources           is 'Placements: a list of names.';
comment on column core.fact_search_ads_report.original                 is 'The money in the organisation''s own currency, as the service reports it.';
select ops.add_foreign_keys('core.fact_search_ads_report');
select ops.comment_columns('core.fact_search_ads_report');

create table ops.search_ads_report_shape (
  org_id       text        not null,
  report_level text        not null,
  period_start date        not null,
  period_end   date        not null,
  shape        text,
  slice_id     bigint      not null,
  fetched_at   timestamptz not null,
  primary key (org_id, report_level, period_start, period_end)
);
comment on table  ops.search_ads_report_shape              is 'Shape of the rows of DAILY reports, one row per answer. The contract does not document the shape; if rows lack their day, each day is fetched as a REPORT instead.';
comment on column ops.search_ads_report_shape.report_level is 'Level of the report.';
comment on column ops.search_ads_report_shape.period_start is 'First requested day.';
comment on column ops.search_ads_report_shape.period_end   is 'Last requested day.';
comment on column ops.search_ads_report_shape.shape        is 'days: rows name their day and their entity; totals: rows are totals; window: rows name their entity but no day.';
select ops.add_foreign_keys('ops.search_ads_report_shape');
select ops.comment_columns('ops.search_ads_report_shape');

create table ops.search_ads_report_week (
  org_id       text        not null,
  report_level text        not null,
  currency     text        not null,
  attribution  text        not null,
  goal_id      text        not null,
  period_start date        not null,
  digest       text        not null,
  period_end   date,
  last_seen_on date,
  slice_id     bigint      not null,
  fetched_at   timestamptz not null,
  primary key (org_id, report_level, currency, attribution, goal_id, period_start, digest)
);
comment on table  ops.search_ads_report_week              is 'Digests of weekly reports, one row per week and digest. If DAILY reports name no day, the days of a week long past are requested again only when its digest has changed.';
comment on column ops.search_ads_report_week.report_level is 'Level of the report.';
comment on column ops.search_ads_report_week.currency     is 'Requested currency of the money.';
comment on column ops.search_ads_report_week.attribution  is 'How redownloads were requested to be counted: WITH, WITHOUT, ONLY.';
comment on column ops.search_ads_report_week.goal_id      is 'Requested goal; '''' for none.';
comment on column ops.search_ads_report_week.period_start is 'First day of the week.';
comment on column ops.search_ads_report_week.period_end   is 'Last day of the week.';
comment on column ops.search_ads_report_week.digest       is 'SHA-256 over the counts and the money of all rows.';
comment on column ops.search_ads_report_week.last_seen_on is 'Last day on which an answer had this digest.';
select ops.add_foreign_keys('ops.search_ads_report_week');
select ops.comment_columns('ops.search_ads_report_week');
