-- Marts about the account's search ads: figures as now and as first reported.

create view ops.search_ads_default as
with recursive step (org_id, report_level, grain, currency, attribution) as (
  -- one step through the index for each combination, however many rows it has
  (select f.org_id, f.report_level, f.grain, f.currency, f.attribution from core.fact_search_ads_report as f order by 1, 2, 3, 4, 5 limit 1)
  union  all
  select n.*
  from   step as p
  cross  join lateral (
    select f.org_id, f.report_level, f.grain, f.currency, f.attribution
    from   core.fact_search_ads_report as f
    where  (f.org_id, f.report_level, f.grain, f.currency, f.attribution) > (p.org_id, p.report_level, p.grain, p.currency, p.attribution)
    order  by 1, 2, 3, 4, 5 limit 1) as n
), span as (
  -- first and last day are two steps through the index as well
  select p.org_id, p.currency, p.attribution, coalesce(d.day_count, 0) as day_count
  from   step as p
  cross  join lateral (
    select max(f.period_start) - min(f.period_start) + 1 as day_count
    from   core.fact_search_ads_report as f
    where  (f.org_id, f.report_level, f.grain, f.currency, f.attribution) = (p.org_id, p.report_level, p.grain, p.currency, p.attribution)
    and    f.goal_id = '') as d
), chosen as (
  select (select p.currency
          from   (select s.currency, s.org_id, max(s.day_count) as day_count from span as s group by 1, 2) as p
          group  by p.currency
          order  by sum(p.day_count) desc, count(*) desc, count(*) filter (where exists (
                      select from core.search_ads_integration as i
                      where  i.org_id = p.org_id and i.valid_to is null and i.currency = p.currency)) desc, p.currency <> 'USD', p.currency limit 1) as currency,
         (select p.attribution
          from   (select s.attribution, s.org_id, max(s.day_count) as day_count from span as s group by 1, 2) as p
          group  by p.attribution
          order  by sum(p.day_count) desc, count(*) desc, array_position('{WITH,WITHOUT,ONLY}', p.attribution) limit 1) as attribution
  where  exists (select from step)
)
select c.currency, c.attribution,
       (select count(distinct p.org_id) - count(distinct p.org_id) filter (where p.currency = c.currency and p.attribution = c.attribution) from step as p) as left_out_org_count
from   chosen as c;
comment on view   ops.search_ads_default             is 'One row once there are reports: the currency and the attribution in which figures of the search-ads marts may be added up across organisations. In which currency are our sums? Which installs do they count?';
comment on column ops.search_ads_default.currency    is 'The requested currency with the most days of reports: for each organisation the days from its first to its last report, added up. Among equals, the currency of the most organisations wins, then the one that is the own currency of the most organisations, then USD, then the first in alphabetical order.';
comment on column ops.search_ads_default.attribution is 'The requested attribution with the most days of reports, by the same count. Among equals, the attribution of the most organisations wins, then WITH, then WITHOUT.';
comment on column ops.search_ads_default.left_out_org_count is 'Number of organisations with reports but none in this currency and attribution: sums leave them out.';

create view ops.search_ads_own_currency as
select distinct on (i.org_id) i.org_id, i.currency
from   core.search_ads_integration as i
where  i.currency is not null
order  by i.org_id, i.valid_to desc nulls first, i.valid_from desc, i.currency desc;
comment on view   ops.search_ads_own_currency          is 'One row per search-ads organisation whose currency is known, including those that have been disconnected since: its own currency as last seen. In which currency does the organisation pay?';
comment on column ops.search_ads_own_currency.org_id   is 'Id of the organisation.';
comment on column ops.search_ads_own_currency.currency is 'Its own currency as last seen, which is the currency of the amounts under original in reports.';
select ops.comment_columns('ops.search_ads_own_currency');

create view ops.search_ads_answered_day as
with requested as (
  select s.scope ->> 'org_id' as org_id, w.window_start, s.window_end, s.as_of, ops.is_answer(s.state, s.error_code) as is_answered
  from   ops.search_ads_default as d
  join   ops.slice              as s on s.scope ->> 'currency' = d.currency and s.scope ->> 'attribution' = d.attribution
  -- answers of months that retention removed since are gone
  cross  join lateral (
    select greatest(s.window_start, max((m.month_start + interval '1 month')::date)) as window_start
    from   ops.dropped_month as m
    where  m.dataset = s.dataset and m.dropped_at >= s.ended_at) as w
  where  s.dataset = 'search_ads_report' and (ops.is_answer(s.state, s.error_code) or s.state in ('pending', 'running', 'deferred', 'failed'))
  and    s.scope ->> 'report_level' = 'CAMPAIGN' and s.scope ->> 'grain' = 'day' and s.scope ->> 'goal_id' is null and s.window_end > w.window_start
), org as (
  select r.org_id, coalesce(range_agg(daterange(r.window_start, r.window_end)) filter (where r.is_answered), '{}') as days,
         min(r.window_start) filter (where not r.is_answered) as first_unanswered, max(r.window_end) filter (where not r.is_answered) as unanswered_end,
         max(r.as_of) filter (where not r.is_answered) as unanswered_as_of, max(r.as_of) as newest_as_of
  from   requested as r
  group  by r.org_id
), newest as (
  select max(upper(o.days)) as newest_end, max(o.newest_as_of) as newest_as_of from org as o
), lasting as (
  select o.days, coalesce(lower(o.days), o.first_unanswered) as first_day,
         -- an organisation without an answer of the last week has left, unless newer days of it were requested within that week
         case when upper(o.days) > n.newest_end - 7
                or o.unanswered_end > coalesce(upper(o.days), '-infinity') and o.unanswered_as_of > n.newest_as_of - 7
              then n.newest_end else upper(o.days) end as until
  from   org    as o
  cross  join newest as n
)
select g.date_day
from   lasting as l
join   core.dim_date as g on g.date_day >= l.first_day and g.date_day < l.until
group  by g.date_day
having bool_and(l.days @> g.date_day);
comment on view   ops.search_ads_answered_day          is 'One row per day for which every search-ads organisation has an answer, in the currency and attribution of ops.search_ads_default. An organisation counts from its first answer on, and from the first day that was requested of it while it has none. If its last answer is a week older than the newest of all, it counts only up to that, unless newer days of it were requested within the last week and have failed or wait. For which days is spend complete?';
select ops.comment_columns('ops.search_ads_answered_day');

create view mart.search_ads_daily as
with reported as (
  select f.*, false as is_withdrawn
  from   core.fact_search_ads_report as f
  where  f.grain = 'day' and not f.is_total
  union  all
  -- rows that a newer answer left out
  select g.*, true
  from   (select distinct on (r.row_hash) r.row_key, r.was
          from   ops.restated_value as r
          where  r.table_name = 'core.fact_search_ads_report' and r.became is null
          -- rows of months that retention removed since are gone, and were not left out
          and    not exists (select from ops.dropped_month as o
                             where  o.table_name = r.table_name and o.is_done and o.month_start = date_trunc('month', r.date_day::timestamp)::date
                             and    o.dropped_at >= r.changed_at)
          order  by r.row_hash, r.changed_at desc) as r
  cross  join lateral jsonb_populate_record(null::core.fact_search_ads_report, r.was || r.row_key) as g
  where  g.grain = 'day' and not g.is_total
  and    not exists (
    select from core.fact_search_ads_report as f
    where  (f.org_id, f.report_level, f.grain, f.currency, f.attribution, f.goal_id, f.period_start, f.period_end, f.is_total, f.app_id,
            f.campaign_id, f.ad_group_id, f.keyword_id, f.ad_id, f.product_page, f.search_term, f.match_type, f.country_key, f.gender, f.age,
            f.device_class, f.customer_type, f.segment)
         = (g.org_id, g.report_level, g.grain, g.currency, g.attribution, g.goal_id, g.period_start, g.period_end, g.is_total, g.app_id,
            g.campaign_id, g.ad_group_id, g.keyword_id, g.ad_id, g.product_page, g.search_term, g.match_type, g.country_key, g.gender, g.age,
            g.device_class, g.customer_type, g.segment))
)
select f.org_id, f.org_name, f.report_level, f.currency, f.attribution, f.currency = (select p.currency from ops.search_ads_default as p) as is_primary_currency,
       f.attribution = (select p.attribution from ops.search_ads_default as p) as is_default_attribution, f.goal_id, f.period_start as date_day, c.country_code, f.app_id as track_id,
       -- apps are renamed often: one name for all days, as in other marts
       coalesce(a.app_name, f.app_name) as app_name,
       f.campaign_id, f.campaign_name, f.ad_group_id, f.ad_group_name, f.ad_id, f.ad_name, f.product_page, f.product_page_name,
       f.keyword_id, k.keyword, f.search_term, f.match_type, f.gender, f.age, f.device_class, f.customer_type, f.segment,
       w.spend, w.impression_count, w.tap_count, w.install_count, w.new_download_count, w.redownload_count, w.attributed_install_count, w.goal_count,
       w.goal_revenue,
       i.currency as original_currency,
       case when w.original ->> 'spend' ~ '^-?[0-9]+([.][0-9]+)?$' then (w.original ->> 'spend')::numeric end as original_spend,
       case when w.original ->> 'goalRevenue' ~ '^-?[0-9]+([.][0-9]+)?$' then (w.original ->> 'goalRevenue')::numeric end as original_goal_revenue,
       case when o.was ? 'spend' then (o.was ->> 'spend')::numeric else f.spend end as first_spend,
       case when o.was ? 'impression_count' then (o.was ->> 'impression_count')::numeric else f.impression_count end as first_impression_count,
       case when o.was ? 'tap_count' then (o.was ->> 'tap_count')::numeric else f.tap_count end as first_tap_count,
       case when o.was ? 'install_count' then (o.was ->> 'install_count')::numeric else f.install_count end as first_install_count,
       case when o.was ? 'new_download_count' then (o.was ->> 'new_download_count')::numeric else f.new_download_count end as first_new_download_count,
       case when o.was ? 'redownload_count' then (o.was ->> 'redownload_count')::numeric else f.redownload_count end as first_redownload_count,
       case when o.was ? 'attributed_install_count' then (o.was ->> 'attributed_install_count')::numeric else f.attributed_install_count end as first_attributed_install_count,
       case when o.was ? 'goal_count' then (o.was ->> 'goal_count')::numeric else f.goal_count end as first_goal_count,
       case when o.was ? 'goal_revenue' then (o.was ->> 'goal_revenue')::numeric else f.goal_revenue end as first_goal_revenue,
       coalesce(o.seen_at, f.fetched_at) as first_reported_at, greatest(o.changed_at, f.fetched_at) as last_changed_at,
       -- other columns, such as names and states, change without any figure
       coalesce(o.was ?| '{spend,impression_count,tap_count,install_count,new_download_count,redownload_count,attributed_install_count,goal_count,goal_revenue}', false)
         as is_restated, f.is_withdrawn, kg.keyword_groups, ag.app_groups
from   reported as f
join   core.dim_country as c on c.country_key = f.country_key
left   join core.dim_app     as a on a.app_key = f.app_key
left   join core.dim_keyword as k on k.keyword_key = f.keyword_key
left   join lateral (
  select string_agg(distinct n.group_name, ', ' order by n.group_name) as keyword_groups from core.grouped_keyword as n where lower(n.keyword) = lower(k.keyword)) as kg on true
left   join ops.app_groups     as ag on ag.store = 'ios' and ag.track_id = f.app_id
left   join ops.search_ads_own_currency as i on i.org_id = f.org_id
left   join lateral (select f.spend, f.impression_count, f.tap_count, f.install_count, f.new_download_count, f.redownload_count,
                            f.attributed_install_count, f.goal_count, f.goal_revenue, f.original where not f.is_withdrawn) as w on true
-- of each column that ever changed the value before its first change
left   join lateral (
  select min(r.seen_at) as seen_at, max(r.changed_at) as changed_at, jsonb_object_agg(e.name, e.value order by r.changed_at desc) as was
  from   ops.restated_value as r
  cross  join lateral jsonb_each(r.was) as e (name, value)
  where  r.table_name = 'core.fact_search_ads_report'
  and    r.row_hash = md5((
    select to_jsonb(v)
    from   (select f.org_id, f.report_level, f.grain, f.currency, f.attribution, f.goal_id, f.period_start, f.period_end, f.is_total, f.app_id,
                    f.campaign_id, f.ad_group_id, f.keyword_id, f.ad_id, f.product_page, f.search_term, f.match_type, f.country_key, f.gender, f.age,
                    f.device_class, f.customer_type, f.segment) as v)::text)::uuid
) as o on true;
comment on view   mart.search_ads_daily                                is 'One row per search-ads entity (campaign, ad group, keyword ...) and day, without totals, with figures as now reported and as first reported. Choose one report_level, currency (is_primary_currency), attribution (is_default_attribution) and goal_id; then counts and money may be added up across everything else, original_spend within one original_currency. search_ads_daily_default has made these choices. What did we spend per campaign yesterday? Which keywords lead to installs?';
comment on column mart.search_ads_daily.report_level                   is 'Level of the row: CAMPAIGN, AD_GROUP, KEYWORD ... Each level repeats the same figures.';
comment on column mart.search_ads_daily.currency                       is 'Requested currency of the money. The same spend has one row for each requested currency.';
comment on column mart.search_ads_daily.attribution                    is 'How redownloads (installs by earlier users) were requested to be counted: WITH, WITHOUT, ONLY.';
comment on column mart.search_ads_daily.is_primary_currency            is 'True for the currency with the most days of reports (ops.search_ads_default).';
comment on column mart.search_ads_daily.is_default_attribution         is 'True for the attribution with the most days of reports (ops.search_ads_default).';
comment on column mart.search_ads_daily.goal_id                        is 'Requested goal; empty if none. Without a goal, the goal columns have no meaning.';
comment on column mart.search_ads_daily.country_code                   is 'Country, ISO 3166-1 alpha-2; ALL if the row is not about a single country.';
comment on column mart.search_ads_daily.track_id                       is 'Advertised app; empty for none.';
comment on column mart.search_ads_daily.campaign_id                    is 'Campaign; empty for none.';
comment on column mart.search_ads_daily.ad_group_id                    is 'Ad group; empty for none.';
comment on column mart.search_ads_daily.ad_id                          is 'Ad; empty for none.';
comment on column mart.search_ads_daily.ad_name                        is 'Name of the ad.';
comment on column mart.search_ads_daily.product_page                   is 'Custom product page: its id, or its name if it has no id; empty for none.';
comment on column mart.search_ads_daily.product_page_name              is 'Name of the product page.';
comment on column mart.search_ads_daily.keyword_id                     is 'Keyword, or negative keyword; empty for none.';
comment on column mart.search_ads_daily.keyword                        is 'Text of the keyword.';
comment on column mart.search_ads_daily.search_term                    is 'What people searched for; empty for none.';
comment on column mart.search_ads_daily.match_type                     is 'How the keyword must match.';
comment on column mart.search_ads_daily.gender                         is 'Segment; empty for none.';
comment on column mart.search_ads_daily.age                            is 'Segment; empty for none.';
comment on column mart.search_ads_daily.device_class                   is 'Segment; empty for none.';
comment on column mart.search_ads_daily.customer_type                  is 'Segment; empty for none.';
comment on column mart.search_ads_daily.segment                        is 'Further fields that distinguish rows with the same values in all columns above, as JSON text; empty if they are not needed.';
comment on column mart.search_ads_daily.spend                          is 'Money spent, in currency, as now reported.';
comment on column mart.search_ads_daily.impression_count               is 'Impressions, as now reported.';
comment on column mart.search_ads_daily.tap_count                      is 'Taps, as now reported.';
comment on column mart.search_ads_daily.install_count                  is 'Installs, new downloads and redownloads together, as now reported.';
comment on column mart.search_ads_daily.new_download_count             is 'Installs by new users, as now reported.';
comment on column mart.search_ads_daily.redownload_count               is 'Installs by earlier users, as now reported.';
comment on column mart.search_ads_daily.attributed_install_count       is 'Installs that the measurement partner attributes, as now reported.';
comment on column mart.search_ads_daily.goal_count                     is 'Number of times the goal was reached, as now reported.';
comment on column mart.search_ads_daily.goal_revenue                   is 'Revenue of the goal, in currency, as now reported.';
comment on column mart.search_ads_daily.original_currency              is 'The organisation''s own currency as last seen, even if it has been disconnected since; null if unknown.';
comment on column mart.search_ads_daily.original_spend                 is 'Money spent, in original_currency; null if the service does not report it.';
comment on column mart.search_ads_daily.original_goal_revenue          is 'Revenue of the goal, in original_currency; null if the service does not report it.';
comment on column mart.search_ads_daily.first_spend                    is 'Money spent, in currency, as first reported.';
comment on column mart.search_ads_daily.first_impression_count         is 'Impressions, as first reported.';
comment on column mart.search_ads_daily.first_tap_count                is 'Taps, as first reported.';
comment on column mart.search_ads_daily.first_install_count            is 'Installs, new downloads and redownloads together, as first reported.';
comment on column mart.search_ads_daily.first_new_download_count       is 'Installs by new users, as first reported.';
comment on column mart.search_ads_daily.first_redownload_count         is 'Installs by earlier users, as first reported.';
comment on column mart.search_ads_daily.first_attributed_install_count is 'Installs that the measurement partner attributes, as first reported.';
comment on column mart.search_ads_daily.first_goal_count               is 'Number of times the goal was reached, as first reported.';
comment on column mart.search_ads_daily.first_goal_revenue             is 'Revenue of the goal, in currency, as first reported.';
comment on column mart.search_ads_daily.first_reported_at              is 'When the first answer that reported it was received.';
comment on column mart.search_ads_daily.last_changed_at                is 'When the answer that last changed the row was received, also if no figure changed, but only a name or a state of the entity.';
comment on column mart.search_ads_daily.is_restated                    is 'True if a later answer changed a figure that was first reported (first_spend and those like it), or left the row out.';
comment on column mart.search_ads_daily.is_withdrawn                   is 'True if the newest answer no longer reports the row. The figures as now reported are then null.';
select ops.comment_columns('mart.search_ads_daily');

create view mart.search_ads_campaign_report as
select r.org_id, max(r.org_name) as org_name, r.track_id, max(r.app_name) as app_name, r.country_code, r.campaign_id,
       max(r.campaign_name) as campaign_name, r.date_day, r.currency, r.attribution,
       bool_and(r.is_primary_currency) as is_primary_currency, bool_and(r.is_default_attribution) as is_default_attribution, r.goal_id,
       sum(r.spend) as spend, sum(r.impression_count) as impression_count, sum(r.tap_count) as tap_count, sum(r.install_count) as install_count,
       sum(r.new_download_count) as new_download_count, sum(r.redownload_count) as redownload_count,
       sum(r.attributed_install_count) as attributed_install_count, sum(r.goal_count) as goal_count, sum(r.goal_revenue) as goal_revenue,
       r.original_currency,
       case when count(*) filter (where r.spend is not null and r.original_spend is null) = 0 then sum(r.original_spend) end as original_spend,
       case when count(*) filter (where r.goal_revenue is not null and r.original_goal_revenue is null) = 0 then sum(r.original_goal_revenue) end
         as original_goal_revenue,
       round(sum(r.tap_count) / nullif(sum(r.impression_count), 0), 6) as tap_through_share,
       round(sum(r.install_count) / nullif(sum(r.tap_count), 0), 6) as conversion_rate, round(sum(r.spend) / nullif(sum(r.tap_count), 0), 4) as cost_per_tap,
       round(sum(r.spend) / nullif(sum(r.install_count), 0), 4) as cost_per_install, round(sum(r.spend) / nullif(sum(r.goal_count), 0), 4) as cost_per_goal,
       round(sum(r.goal_revenue) / nullif(sum(r.spend), 0), 4) as return_on_spend,
       sum(r.first_spend) as first_spend, sum(r.first_impression_count) as first_impression_count, sum(r.first_tap_count) as first_tap_count,
       sum(r.first_install_count) as first_install_count, sum(r.first_new_download_count) as first_new_download_count,
       sum(r.first_redownload_count) as first_redownload_count, sum(r.first_attributed_install_count) as first_attributed_install_count,
       sum(r.first_goal_count) as first_goal_count, sum(r.first_goal_revenue) as first_goal_revenue,
       min(r.first_reported_at) as first_reported_at, max(r.last_changed_at) as last_changed_at, bool_or(r.is_restated) as is_restated,
       bool_and(r.is_withdrawn) as is_withdrawn
from   mart.search_ads_daily as r
where  r.report_level = 'CAMPAIGN'
group  by r.org_id, r.track_id, r.country_code, r.campaign_id, r.date_day, r.currency, r.attribution, r.goal_id, r.original_currency;
comment on view   mart.search_ads_campaign_report                   is 'One row per campaign, country, day, currency, attribution and goal. Choose one currency (is_primary_currency), attribution (is_default_attribution) and goal_id; then counts and money may be added up across everything else. Compute ratios from the sums. What does an install cost in each campaign? How much have last week''s figures changed since they were first reported?';
comment on column mart.search_ads_campaign_report.tap_through_share is 'Taps per impression, 0 to 1.';
comment on column mart.search_ads_campaign_report.conversion_rate   is 'Installs per tap, 0 to 1; above 1 when installs happen on a later day than their taps.';
comment on column mart.search_ads_campaign_report.cost_per_tap      is 'Spend per tap, in currency.';
comment on column mart.search_ads_campaign_report.cost_per_install  is 'Spend per install, in currency.';
comment on column mart.search_ads_campaign_report.cost_per_goal     is 'Spend per goal, in currency.';
comment on column mart.search_ads_campaign_report.return_on_spend   is 'Revenue of the goal per unit of spend.';
select ops.comment_columns('mart.search_ads_campaign_report', 'mart.search_ads_daily');

create view mart.search_ads_ad_group_report as
select r.org_id, max(r.org_name) as org_name, r.track_id, max(r.app_name) as app_name, r.country_code, r.campaign_id,
       max(r.campaign_name) as campaign_name, r.ad_group_id, max(r.ad_group_name) as ad_group_name, r.date_day, r.currency, r.attribution,
       bool_and(r.is_primary_currency) as is_primary_currency, bool_and(r.is_default_attribution) as is_default_attribution, r.goal_id,
       sum(r.spend) as spend, sum(r.impression_count) as impression_count, sum(r.tap_count) as tap_count, sum(r.install_count) as install_count,
       sum(r.new_download_count) as new_download_count, sum(r.redownload_count) as redownload_count,
       sum(r.attributed_install_count) as attributed_install_count, sum(r.goal_count) as goal_count, sum(r.goal_revenue) as goal_revenue,
       r.original_currency,
       case when count(*) filter (where r.spend is not null and r.original_spend is null) = 0 then sum(r.original_spend) end as original_spend,
       case when count(*) filter (where r.goal_revenue is not null and r.original_goal_revenue is null) = 0 then sum(r.original_goal_revenue) end
         as original_goal_revenue,
       round(sum(r.tap_count) / nullif(sum(r.impression_count), 0), 6) as tap_through_share,
       round(sum(r.install_count) / nullif(sum(r.tap_count), 0), 6) as conversion_rate, round(sum(r.spend) / nullif(sum(r.tap_count), 0), 4) as cost_per_tap,
       round(sum(r.spend) / nullif(sum(r.install_count), 0), 4) as cost_per_install, round(sum(r.spend) / nullif(sum(r.goal_count), 0), 4) as cost_per_goal,
       round(sum(r.goal_revenue) / nullif(sum(r.spend), 0), 4) as return_on_spend,
       sum(r.first_spend) as first_spend, sum(r.first_impression_count) as first_impression_count, sum(r.first_tap_count) as first_tap_count,
       sum(r.first_install_count) as first_install_count, sum(r.first_new_download_count) as first_new_download_count,
       sum(r.first_redownload_count) as first_redownload_count, sum(r.first_attributed_install_count) as first_attributed_install_count,
       sum(r.first_goal_count) as first_goal_count, sum(r.first_goal_revenue) as first_goal_revenue,
       min(r.first_reported_at) as first_reported_at, max(r.last_changed_at) as last_changed_at, bool_or(r.is_restated) as is_restated,
       bool_and(r.is_withdrawn) as is_withdrawn
from   mart.search_ads_daily as r
where  r.report_level = 'AD_GROUP'
group  by r.org_id, r.track_id, r.country_code, r.campaign_id, r.ad_group_id, r.date_day, r.currency, r.attribution, r.goal_id, r.original_currency;
comment on view   mart.search_ads_ad_group_report                   is 'One row per ad group, country, day, currency, attribution and goal, with its segments (gender, age, device, customers) added up. Choose one currency (is_primary_currency), attribution (is_default_attribution) and goal_id; then counts and money may be added up across everything else. Compute ratios from the sums. Which ad groups spend money without installs? What does a tap cost in each?';
comment on column mart.search_ads_ad_group_report.tap_through_share is 'Taps per impression, 0 to 1.';
comment on column mart.search_ads_ad_group_report.conversion_rate   is 'Installs per tap, 0 to 1; above 1 when installs happen on a later day than their taps.';
comment on column mart.search_ads_ad_group_report.cost_per_tap      is 'Spend per tap, in currency.';
comment on column mart.search_ads_ad_group_report.cost_per_install  is 'Spend per install, in currency.';
comment on column mart.search_ads_ad_group_report.cost_per_goal     is 'Spend per goal, in currency.';
comment on column mart.search_ads_ad_group_report.return_on_spend   is 'Revenue of the goal per unit of spend.';
select ops.comment_columns('mart.search_ads_ad_group_report', 'mart.search_ads_daily');

create view mart.search_ads_keyword_report as
select r.org_id, max(r.org_name) as org_name, r.track_id, max(r.app_name) as app_name, r.country_code, r.campaign_id,
       max(r.campaign_name) as campaign_name, r.ad_group_id, max(r.ad_group_name) as ad_group_name, r.keyword_id, max(r.keyword) as keyword,
       r.match_type, r.date_day, r.currency, r.attribution,
       bool_and(r.is_primary_currency) as is_primary_currency, bool_and(r.is_default_attribution) as is_default_attribution, r.goal_id,
       sum(r.spend) as spend, sum(r.impression_count) as impression_count, sum(r.tap_count) as tap_count, sum(r.install_count) as install_count,
       sum(r.new_download_count) as new_download_count, sum(r.redownload_count) as redownload_count,
       sum(r.attributed_install_count) as attributed_install_count, sum(r.goal_count) as goal_count, sum(r.goal_revenue) as goal_revenue,
       r.original_currency,
       case when count(*) filter (where r.spend is not null and r.original_spend is null) = 0 then sum(r.original_spend) end as original_spend,
       case when count(*) filter (where r.goal_revenue is not null and r.original_goal_revenue is null) = 0 then sum(r.original_goal_revenue) end
         as original_goal_revenue,
       round(sum(r.tap_count) / nullif(sum(r.impression_count), 0), 6) as tap_through_share,
       round(sum(r.install_count) / nullif(sum(r.tap_count), 0), 6) as conversion_rate, round(sum(r.spend) / nullif(sum(r.tap_count), 0), 4) as cost_per_tap,
       round(sum(r.spend) / nullif(sum(r.install_count), 0), 4) as cost_per_install, round(sum(r.spend) / nullif(sum(r.goal_count), 0), 4) as cost_per_goal,
       round(sum(r.goal_revenue) / nullif(sum(r.spend), 0), 4) as return_on_spend,
       sum(r.first_spend) as first_spend, sum(r.first_impression_count) as first_impression_count, sum(r.first_tap_count) as first_tap_count,
       sum(r.first_install_count) as first_install_count, sum(r.first_new_download_count) as first_new_download_count,
       sum(r.first_redownload_count) as first_redownload_count, sum(r.first_attributed_install_count) as first_attributed_install_count,
       sum(r.first_goal_count) as first_goal_count, sum(r.first_goal_revenue) as first_goal_revenue,
       min(r.first_reported_at) as first_reported_at, max(r.last_changed_at) as last_changed_at, bool_or(r.is_restated) as is_restated,
       bool_and(r.is_withdrawn) as is_withdrawn, max(r.keyword_groups) as keyword_groups, max(r.app_groups) as app_groups
from   mart.search_ads_daily as r
where  r.report_level = 'KEYWORD'
group  by r.org_id, r.track_id, r.country_code, r.campaign_id, r.ad_group_id, r.keyword_id, r.match_type, r.date_day, r.currency, r.attribution,
          r.goal_id, r.original_currency;
comment on view   mart.search_ads_keyword_report                   is 'One row per keyword of an ad group, country, day, currency, attribution and goal. Choose one currency (is_primary_currency), attribution (is_default_attribution) and goal_id; then counts and money may be added up across everything else. Compute ratios from the sums. Which keywords lead to installs, and at what cost? Which taps lead to no install?';
comment on column mart.search_ads_keyword_report.tap_through_share is 'Taps per impression, 0 to 1.';
comment on column mart.search_ads_keyword_report.conversion_rate   is 'Installs per tap, 0 to 1; above 1 when installs happen on a later day than their taps.';
comment on column mart.search_ads_keyword_report.cost_per_tap      is 'Spend per tap, in currency.';
comment on column mart.search_ads_keyword_report.cost_per_install  is 'Spend per install, in currency.';
comment on column mart.search_ads_keyword_report.cost_per_goal     is 'Spend per goal, in currency.';
comment on column mart.search_ads_keyword_report.return_on_spend   is 'Revenue of the goal per unit of spend.';
select ops.comment_columns('mart.search_ads_keyword_report', 'mart.search_ads_daily');

create view mart.search_ads_search_term_report as
select r.org_id, max(r.org_name) as org_name, r.track_id, max(r.app_name) as app_name, r.country_code, r.campaign_id,
       max(r.campaign_name) as campaign_name, r.ad_group_id, max(r.ad_group_name) as ad_group_name, r.keyword_id, max(r.keyword) as keyword,
       r.match_type, r.search_term, r.date_day, r.currency, r.attribution,
       bool_and(r.is_primary_currency) as is_primary_currency, bool_and(r.is_default_attribution) as is_default_attribution, r.goal_id,
       sum(r.spend) as spend, sum(r.impression_count) as impression_count, sum(r.tap_count) as tap_count, sum(r.install_count) as install_count,
       sum(r.new_download_count) as new_download_count, sum(r.redownload_count) as redownload_count,
       sum(r.attributed_install_count) as attributed_install_count, sum(r.goal_count) as goal_count, sum(r.goal_revenue) as goal_revenue,
       r.original_currency,
       case when count(*) filter (where r.spend is not null and r.original_spend is null) = 0 then sum(r.original_spend) end as original_spend,
       case when count(*) filter (where r.goal_revenue is not null and r.original_goal_revenue is null) = 0 then sum(r.original_goal_revenue) end
         as original_goal_revenue,
       round(sum(r.tap_count) / nullif(sum(r.impression_count), 0), 6) as tap_through_share,
       round(sum(r.install_count) / nullif(sum(r.tap_count), 0), 6) as conversion_rate, round(sum(r.spend) / nullif(sum(r.tap_count), 0), 4) as cost_per_tap,
       round(sum(r.spend) / nullif(sum(r.install_count), 0), 4) as cost_per_install, round(sum(r.spend) / nullif(sum(r.goal_count), 0), 4) as cost_per_goal,
       round(sum(r.goal_revenue) / nullif(sum(r.spend), 0), 4) as return_on_spend,
       sum(r.first_spend) as first_spend, sum(r.first_impression_count) as first_impression_count, sum(r.first_tap_count) as first_tap_count,
       sum(r.first_install_count) as first_install_count, sum(r.first_new_download_count) as first_new_download_count,
       sum(r.first_redownload_count) as first_redownload_count, sum(r.first_attributed_install_count) as first_attributed_install_count,
       sum(r.first_goal_count) as first_goal_count, sum(r.first_goal_revenue) as first_goal_revenue,
       min(r.first_reported_at) as first_reported_at, max(r.last_changed_at) as last_changed_at, bool_or(r.is_restated) as is_restated,
       bool_and(r.is_withdrawn) as is_withdrawn, max(r.keyword_groups) as keyword_groups, max(r.app_groups) as app_groups
from   mart.search_ads_daily as r
where  r.report_level = 'SEARCH_TERM'
group  by r.org_id, r.track_id, r.country_code, r.campaign_id, r.ad_group_id, r.keyword_id, r.match_type, r.search_term, r.date_day, r.currency,
          r.attribution, r.goal_id, r.original_currency;
comment on view   mart.search_ads_search_term_report                   is 'One row per search term of a keyword, country, day, currency, attribution and goal. It has rows only if options.levels of the dataset search_ads_report includes SEARCH_TERM. Rows with an empty search_term stand for searches that the service does not name. Choose one currency (is_primary_currency), attribution (is_default_attribution) and goal_id; then counts and money may be added up across everything else. Compute ratios from the sums. What do people search for before they tap our advertisement? Which terms should become keywords, or negative keywords?';
comment on column mart.search_ads_search_term_report.tap_through_share is 'Taps per impression, 0 to 1.';
comment on column mart.search_ads_search_term_report.conversion_rate   is 'Installs per tap, 0 to 1; above 1 when installs happen on a later day than their taps.';
comment on column mart.search_ads_search_term_report.cost_per_tap      is 'Spend per tap, in currency.';
comment on column mart.search_ads_search_term_report.cost_per_install  is 'Spend per install, in currency.';
comment on column mart.search_ads_search_term_report.cost_per_goal     is 'Spend per goal, in currency.';
comment on column mart.search_ads_search_term_report.return_on_spend   is 'Revenue of the goal per unit of spend.';
select ops.comment_columns('mart.search_ads_search_term_report', 'mart.search_ads_daily');

create view mart.search_ads_daily_default as
select r.org_id, r.org_name, r.track_id, r.app_name, r.country_code, r.campaign_id, r.campaign_name, r.date_day, r.currency, r.attribution,
       r.spend, r.impression_count, r.tap_count, r.install_count, r.new_download_count, r.redownload_count,
       (select d.left_out_org_count from ops.search_ads_default as d) as left_out_org_count,
       r.date_day in (select n.date_day from ops.search_ads_answered_day as n) as is_complete
from   mart.search_ads_campaign_report as r
where  r.is_primary_currency and r.is_default_attribution and r.goal_id = '' and not r.is_withdrawn;
comment on view   mart.search_ads_daily_default             is 'One row per campaign, country and day, in one currency and attribution (ops.search_ads_default) and as now reported. Counts and money may be added up across everything, as long as is_complete is true for every row. Compute ratios from the sums. What did we spend last month? What does an install cost?';
comment on column mart.search_ads_daily_default.left_out_org_count     is 'Number of organisations with reports but none in this currency and attribution: sums leave them out. The same number on all rows: do not add it up.';
comment on column mart.search_ads_daily_default.is_complete            is 'True when the reports of every organisation have an answer for the day (ops.search_ads_answered_day). If false, sums across organisations are incomplete.';
select ops.comment_columns('mart.search_ads_daily_default', 'mart.search_ads_daily');
