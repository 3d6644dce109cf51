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
comment on table  core.fact_search_ads_report                          is 'Spend, taps, installs and goals of search ads. One row a thing of its level and day or longer period; levels, grains, currencies, attributions and goals hold the same figures again, so that a sum is over one of each and without totals. See mart.search_ads_daily. How values moved is in ops.restated_value.';
comment on column core.fact_search_ads_report.report_level             is 'What a row stands for: ACCOUNT, APP, CAMPAIGN, AD_GROUP, AD, CPP, KEYWORD, NEGATIVE, SEARCH_TERM.';
comment on column core.fact_search_ads_report.grain                    is 'day, week or month: what the row is an aggregate over; week_summary or month_summary for the line of a SUMMARY over it; window for rows of a DAILY report that do not tell their day, over all days that were asked for.';
comment on column core.fact_search_ads_report.currency                 is 'Currency of the money, as asked for.';
comment on column core.fact_search_ads_report.attribution              is 'Whether installs of people who had the app before count: WITH, WITHOUT, ONLY; as asked for.';
comment on column core.fact_search_ads_report.goal_id                  is 'Goal that was asked for; '''' for none, and then the figures of goals say nothing.';
comment on column core.fact_search_ads_report.period_start             is 'First day that the figures are about.';
comment on column core.fact_search_ads_report.period_end               is 'Last day of them, counted in; the same day where grain is day.';
comment on column core.fact_search_ads_report.is_total                 is 'True for a row that sums up others of its report: never to be added to them.';
comment on column core.fact_search_ads_report.app_id                   is 'Advertised app; '''' for none.';
comment on column core.fact_search_ads_report.campaign_id              is 'Campaign; '''' for none.';
comment on column core.fact_search_ads_report.ad_group_id              is 'Ad group; '''' for none. With the day it is not unique: country and the four segments belong to it.';
comment on column core.fact_search_ads_report.keyword_id               is 'Keyword, or negative keyword; '''' for none.';
comment on column core.fact_search_ads_report.ad_id                    is 'Ad; '''' for none.';
comment on column core.fact_search_ads_report.product_page             is 'Custom product page, by its id or else its name; '''' for none.';
comment on column core.fact_search_ads_report.search_term              is 'What people searched for; '''' for none.';
comment on column core.fact_search_ads_report.match_type               is 'How the keyword must match; '''' for none.';
comment on column core.fact_search_ads_report.country_key              is 'Country; 0 (ALL) where the row is about no single one.';
comment on column core.fact_search_ads_report.gender                   is 'Segment; '''' for none.';
comment on column core.fact_search_ads_report.age                      is 'Segment; '''' for none.';
comment on column core.fact_search_ads_report.device_class             is 'Segment; '''' for none.';
comment on column core.fact_search_ads_report.customer_type            is 'Segment; '''' for none.';
comment on column core.fact_search_ads_report.segment                  is 'What else tells rows apart that are alike in all of these, as JSON; '''' where nothing has to.';
comment on column core.fact_search_ads_report.report_type              is 'Report that it comes from: DAILY, REPORT, SUMMARY. A day is held once, as the newest report of whichever type told it.';
comment on column core.fact_search_ads_report.date_day                 is 'The day where grain is day; null for longer periods, which are never spread over their days.';
comment on column core.fact_search_ads_report.app_key                  is 'The advertised app.';
comment on column core.fact_search_ads_report.ad_name                  is 'Name of the ad.';
comment on column core.fact_search_ads_report.product_page_name        is 'Name of the product page.';
comment on column core.fact_search_ads_report.spend                    is 'Money spent, in currency.';
comment on column core.fact_search_ads_report.impression_count         is 'Impressions.';
comment on column core.fact_search_ads_report.tap_count                is 'Taps.';
comment on column core.fact_search_ads_report.install_count            is 'Installs, of people who had the app before or not.';
comment on column core.fact_search_ads_report.new_download_count       is 'Installs of people who never had the app.';
comment on column core.fact_search_ads_report.redownload_count         is 'Installs of people who had the app before.';
comment on column core.fact_search_ads_report.lat_on_install_count     is 'Installs of people who limit ad tracking.';
comment on column core.fact_search_ads_report.lat_off_install_count    is 'Installs of people who do not.';
comment on column core.fact_search_ads_report.cpa                      is 'Spend an install, in currency.';
comment on column core.fact_search_ads_report.cpt                      is 'Spend a tap, in currency.';
comment on column core.fact_search_ads_report.cpm                      is 'Spend a thousand impressions, in currency.';
comment on column core.fact_search_ads_report.ttr                      is 'Taps an impression.';
comment on column core.fact_search_ads_report.cr                       is 'Installs a tap.';
comment on column core.fact_search_ads_report.attributed_install_count is 'Installs by the measurement partner.';
comment on column core.fact_search_ads_report.attributed_install_rate  is 'Those of them a tap.';
comment on column core.fact_search_ads_report.cpi                      is 'Spend an install by the measurement partner, in currency.';
comment on column core.fact_search_ads_report.goal_count               is 'Times that the goal was reached.';
comment on column core.fact_search_ads_report.goal_count_1d            is 'The same within 1 days of the install.';
comment on column core.fact_search_ads_report.goal_count_3d            is 'The same within 3 days of the install.';
comment on column core.fact_search_ads_report.goal_count_7d            is 'The same within 7 days of the install.';
comment on column core.fact_search_ads_report.goal_count_14d           is 'The same within 14 days of the install.';
comment on column core.fact_search_ads_report.goal_count_30d           is 'The same within 30 days of the install.';
comment on column core.fact_search_ads_report.goal_rate                is 'Goals an install.';
comment on column core.fact_search_ads_report.cost_per_goal            is 'Spend a goal, in currency.';
comment on column core.fact_search_ads_report.cpa_goal                 is 'Spend an install that was aimed at, in currency.';
comment on column core.fact_search_ads_report.goal_revenue             is 'Revenue of the goal, in currency.';
comment on column core.fact_search_ads_report.goal_revenue_1d          is 'The same within 1 days of the install, in currency.';
comment on column core.fact_search_ads_report.goal_revenue_3d          is 'The same within 3 days of the install, in currency.';
comment on column core.fact_search_ads_report.goal_revenue_7d          is 'The same within 7 days of the install, in currency.';
comment on column core.fact_search_ads_report.goal_revenue_14d         is 'The same within 14 days of the install, in currency.';
comment on column core.fact_search_ads_report.goal_revenue_30d         is 'The same within 30 days of the install, in currency.';
comment on column core.fact_search_ads_report.goal_roas                is 'Revenue of the goal a unit of spend.';
comment on column core.fact_search_ads_report.goal_roas_1d             is 'The same within 1 days of the install.';
comment on column core.fact_search_ads_report.goal_roas_3d             is 'The same within 3 days of the install.';
comment on column core.fact_search_ads_report.goal_roas_7d             is 'The same within 7 days of the install.';
comment on column core.fact_search_ads_report.goal_roas_14d            is 'The same within 14 days of the install.';
comment on column core.fact_search_ads_report.goal_roas_30d            is 'The same within 30 days of the install.';
comment on column core.fact_search_ads_report.revenue_per_goal         is 'Revenue a goal, in currency.';
comment on column core.fact_search_ads_report.arpu                     is 'Revenue an install, in currency.';
comment on column core.fact_search_ads_report.default_bid              is 'Default bid of the ad group, in currency.';
comment on column core.fact_search_ads_report.daily_budget             is 'Daily budget, in currency.';
comment on column core.fact_search_ads_report.started_at               is 'When what the row is about began, without zone.';
comment on column core.fact_search_ads_report.ad_channel_type          is 'SEARCH or DISPLAY.';
comment on column core.fact_search_ads_report.billing_event            is 'What is paid for: TAPS.';
comment on column core.fact_search_ads_report.pricing_model            is 'How it is priced.';
comment on column core.fact_search_ads_report.campaign_status          is 'ENABLED or PAUSED.';
comment on column core.fact_search_ads_report.ad_group_status          is 'ENABLED or PAUSED.';
comment on column core.fact_search_ads_report.display_status           is 'RUNNING or PAUSED.';
comment on column core.fact_search_ads_report.serving_status_reasons   is 'Why it does not run, PAUSED_BY_USER for instance.';
comment on column core.fact_search_ads_report.search_match             is 'Whether matching searches are found by themselves, as the service spells it.';
comment on column core.fact_search_ads_report.countries                is 'Countries of the campaign: a list.';
comment on column core.fact_search_ads_report.country_statuses         is 'Country to whether it runs there.';
comment on column core.fact_search_ads_report.supply_sources           is 'Placements: a list of names.';
comment on column core.fact_search_ads_report.original                 is 'The money in the organisation''s own currency, as the service names it.';
select ops.add_foreign_keys('core.fact_search_ads_report');
select ops.comment_columns('core.fact_search_ads_report');

create table core.search_ads_report_shape (
  org_id       text        not null,
  report_level text        not null,
  period_start date        not null,
  period_end   date        not null,
  shape        text,
  slice_id     bigint      not null,
  fetched_at   timestamptz not null,
  primary key (org_id, report_level, period_start, period_end)
);
comment on table  core.search_ads_report_shape              is 'What the rows of DAILY reports are like, answer by answer: the contract does not show them, and where they lack their day, days come from a REPORT each instead.';
comment on column core.search_ads_report_shape.report_level is 'Level of the report.';
comment on column core.search_ads_report_shape.period_start is 'First day that was asked for.';
comment on column core.search_ads_report_shape.period_end   is 'Last day that was asked for.';
comment on column core.search_ads_report_shape.shape        is 'days: rows tell their day and what their level is about; totals: they are totals, of which nothing follows; window: they tell what their level is about and no day.';
select ops.add_foreign_keys('core.search_ads_report_shape');
select ops.comment_columns('core.search_ads_report_shape');
