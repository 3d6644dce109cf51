-- What paying for keywords does beside organic search, and what changes of bids did. A paid keyword matches ranks without regard to capital letters.

create view mart.keyword_cannibalisation as
with waiting as materialized (
  -- once for all rows: keywords without an answer are counted from slices
  select n.store, n.track_id, n.country_code, range_agg(daterange(n.date_day, n.date_day + 1)) as days, array_agg(n.date_day) as date_days,
         array_agg(n.keyword_count) as keyword_counts
  from   ops.unanswered_keyword_daily as n
  group  by 1, 2, 3
), paid as (
  select f.org_id, f.app_key, f.keyword_key, f.country_key, f.period_start as date_day, f.currency, f.attribution, max(f.org_name) as org_name,
         count(distinct f.keyword_id) as bid_keyword_count, sum(f.spend) as spend, sum(f.impression_count) as impression_count,
         sum(f.tap_count) as tap_count, sum(f.install_count) as install_count
  from   core.fact_search_ads_report as f
  where  f.report_level = 'KEYWORD' and f.grain = 'day' and not f.is_total and f.goal_id = '' and f.app_key is not null and f.keyword_key is not null
  group  by 1, 2, 3, 4, 5, 6, 7
  having sum(f.spend) > 0
)
select p.org_id, p.org_name, a.store, a.track_id, a.app_name, c.country_code, c.country_name, k.keyword, p.date_day, p.currency, p.attribution,
       p.currency = (select s.currency from ops.search_ads_default as s) as is_primary_currency,
       p.attribution = (select s.attribution from ops.search_ads_default as s) as is_default_attribution, o.organic_rank, coalesce(b.is_own_brand, false) as is_own_brand,
       case when not coalesce(o.organic_rank <= 3, false) then 'brand' when b.is_own_brand then 'rank and brand' else 'rank' end as reason,
       p.bid_keyword_count, p.spend, p.impression_count, p.tap_count, p.install_count,
       round(p.spend / nullif(p.tap_count, 0), 4) as cost_per_tap, round(p.spend / nullif(p.install_count, 0), 4) as cost_per_install,
       w.requested_keyword_count, w.answered_keyword_count, w.is_complete, kg.keyword_groups, ag.app_groups
from   paid as p
join   core.dim_app     as a on a.app_key = p.app_key
join   core.dim_country as c on c.country_key = p.country_key
join   core.dim_keyword as k on k.keyword_key = p.keyword_key
cross  join lateral (
  select array_agg(s.keyword_key) as keyword_keys
  from   core.dim_keyword as s
  where  lower(s.keyword) = lower(k.keyword)) as s
cross  join lateral (
  select min(r.rank) as organic_rank
  from   core.fact_keyword_rank as r
  where  r.app_key = p.app_key and r.date_day = p.date_day and r.country_key = p.country_key and r.keyword_key = any (s.keyword_keys)) as o
left   join lateral (
  select bool_or(t.brand_track_id = a.track_id) as is_own_brand
  from   (select t.brand_track_id
          from   core.tracked_keyword as t
          where  t.app_key = p.app_key and t.country_key = p.country_key and t.keyword_key = any (s.keyword_keys)
          union  all
          select m.brand_track_id
          from   core.fact_keyword_metadata as m
          where  m.keyword_key = any (s.keyword_keys) and m.country_key = p.country_key and m.store = a.store) as t) as b on true
left   join core.fact_keyword_rank_summary as n
       on n.app_key = p.app_key and n.date_day = p.date_day and n.country_key = p.country_key and n.device_key = case a.store when 'ios' then 1 else 0 end
left   join waiting as q on q.store = a.store and q.track_id = a.track_id and q.country_code = c.country_code
cross  join lateral (
  select case when q.days @> p.date_day
              then (select sum(f.keyword_count) from unnest(q.date_days, q.keyword_counts) as f (date_day, keyword_count) where f.date_day = p.date_day) end as keyword_count) as u
left   join lateral (
  select (coalesce(n.answered_keyword_count, 0) + coalesce(u.keyword_count, 0))::bigint as requested_keyword_count,
         coalesce(n.answered_keyword_count, 0)::bigint as answered_keyword_count,
         -- sums of a month stay when retention removes its ranks
         u.keyword_count is null and exists (select from core.fact_keyword_rank as r
                                             where  r.app_key = p.app_key and r.date_day = p.date_day and r.country_key = p.country_key) as is_complete
  where  n.app_key is not null or u.keyword_count is not null) as w on true
left   join lateral (
  select string_agg(distinct n.group_name, ', ' order by n.group_name) as keyword_groups from core.grouped_keyword as n where lower(n.keyword) = lower(k.keyword)) as kg on true
left   join ops.app_groups     as ag on ag.store = a.store and ag.track_id = a.track_id
where  o.organic_rank <= 3 or b.is_own_brand;
comment on view   mart.keyword_cannibalisation                   is 'One row per organisation, app, country, keyword, day, currency and attribution with spend, for keywords where the app ranks 1 to 3 organically on that day or that are its own brand: spend on installs that organic search might bring for free. Choose one currency (is_primary_currency) and attribution (is_default_attribution); then counts and money may be added up across everything else. On days with incomplete ranks, rows may be missing. What do we spend on keywords for which we rank at the top anyway? What would we save by leaving our brand to organic search?';
comment on column mart.keyword_cannibalisation.country_code      is 'Country, ISO 3166-1 alpha-2; ALL if the report is not about a single country: organic_rank is then null.';
comment on column mart.keyword_cannibalisation.currency          is 'Requested currency of the money. The same spend has one row for each requested currency.';
comment on column mart.keyword_cannibalisation.attribution       is 'How redownloads (installs by earlier users) were requested to be counted: WITH, WITHOUT, ONLY.';
comment on column mart.keyword_cannibalisation.is_primary_currency is 'True for the currency with the most days of reports (ops.search_ads_default).';
comment on column mart.keyword_cannibalisation.is_default_attribution is 'True for the attribution with the most days of reports (ops.search_ads_default).';
comment on column mart.keyword_cannibalisation.organic_rank      is 'Best organic rank on any device on that day; null when not ranked or not requested.';
comment on column mart.keyword_cannibalisation.is_own_brand      is 'True if the service classifies the keyword as the app''s own brand.';
comment on column mart.keyword_cannibalisation.reason            is 'rank: the app ranks 1 to 3; brand: the keyword is its own brand; rank and brand: both.';
comment on column mart.keyword_cannibalisation.bid_keyword_count is 'Number of search-ads keywords (of several ad groups or match types) that the row sums up.';
comment on column mart.keyword_cannibalisation.spend             is 'Money spent, in currency.';
comment on column mart.keyword_cannibalisation.impression_count  is 'Impressions.';
comment on column mart.keyword_cannibalisation.tap_count         is 'Taps.';
comment on column mart.keyword_cannibalisation.install_count     is 'Installs.';
comment on column mart.keyword_cannibalisation.cost_per_tap      is 'Spend per tap, in currency.';
comment on column mart.keyword_cannibalisation.cost_per_install  is 'Spend per install, in currency.';
comment on column mart.keyword_cannibalisation.requested_keyword_count is 'Keywords whose ranks were requested for the app, country and day (iPhone on iOS); null if none were.';
comment on column mart.keyword_cannibalisation.answered_keyword_count  is 'Requested keywords with an answer, ranked or not.';
comment on column mart.keyword_cannibalisation.is_complete       is 'True when all requested keywords have an answer. False if ranks of the day are missing or retention removed them: a keyword for which we rank at the top may then have no row. Null if no ranks were requested.';
select ops.comment_columns('mart.keyword_cannibalisation');

create view mart.bid_change_impact as
with change as (
  select b.*, case b.entity_level when '' then 'KEYWORD' else b.entity_level end as report_level,
         (select count(*) from core.fact_bid_change as o
          where  o.org_id = b.org_id and o.entity_level = b.entity_level and o.entity_id = b.entity_id
          and    o.date_day between b.date_day - 7 and b.date_day + 7) - 1 as nearby_change_count
  from   core.fact_bid_change as b
)
select b.org_id, m.org_name, m.track_id, m.app_name, m.country_code, m.campaign_name, m.ad_group_name, b.entity_level, b.entity_id, m.keyword, b.date_day, b.changed_at, b.ordinal as change_number,
       b.currency as bid_currency, b.old_value as old_bid, b.new_value as new_bid, round((b.new_value - b.old_value) / nullif(b.old_value, 0), 6) as bid_change_share,
       b.source as change_source, b.rule_name, b.nearby_change_count, m.currency, m.attribution,
       m.currency = (select s.currency from ops.search_ads_default as s) as is_primary_currency,
       m.attribution = (select s.attribution from ops.search_ads_default as s) as is_default_attribution, m.before_day_count, m.after_day_count,
       m.before_spend, m.after_spend, m.before_impression_count, m.after_impression_count, m.before_tap_count, m.after_tap_count,
       m.before_install_count, m.after_install_count,
       round(m.before_tap_count / nullif(m.before_impression_count, 0), 6) as before_tap_through_share, round(m.after_tap_count / nullif(m.after_impression_count, 0), 6) as after_tap_through_share,
       round(m.before_spend / nullif(m.before_tap_count, 0), 4) as before_cost_per_tap, round(m.after_spend / nullif(m.after_tap_count, 0), 4) as after_cost_per_tap,
       round(m.before_spend / nullif(m.before_install_count, 0), 4) as before_cost_per_install, round(m.after_spend / nullif(m.after_install_count, 0), 4) as after_cost_per_install,
       kg.keyword_groups, ag.app_groups
from   change as b
left   join lateral (
  select f.currency, f.attribution, max(f.org_name) as org_name, max(f.app_id) as track_id, coalesce(max(a.app_name), max(f.app_name)) as app_name, max(f.campaign_name) as campaign_name,
         max(f.ad_group_name) as ad_group_name, max(k.keyword) as keyword, case when min(f.country_key) = max(f.country_key) then max(c.country_code) else 'ALL' end as country_code,
         count(distinct f.period_start) filter (where f.period_start < b.date_day) as before_day_count,
         count(distinct f.period_start) filter (where f.period_start > b.date_day) as after_day_count,
         sum(f.spend) filter (where f.period_start < b.date_day) as before_spend, sum(f.spend) filter (where f.period_start > b.date_day) as after_spend,
         sum(f.impression_count) filter (where f.period_start < b.date_day) as before_impression_count, sum(f.impression_count) filter (where f.period_start > b.date_day) as after_impression_count,
         sum(f.tap_count) filter (where f.period_start < b.date_day) as before_tap_count, sum(f.tap_count) filter (where f.period_start > b.date_day) as after_tap_count,
         sum(f.install_count) filter (where f.period_start < b.date_day) as before_install_count, sum(f.install_count) filter (where f.period_start > b.date_day) as after_install_count
  from   core.fact_search_ads_report as f
  join   core.dim_country as c on c.country_key = f.country_key
  left   join core.dim_app     as a on a.app_key = f.app_key
  left   join core.dim_keyword as k on k.keyword_key = f.keyword_key
  where  f.org_id = b.org_id and f.report_level = b.report_level and f.grain = 'day' and f.goal_id = '' and not f.is_total
  and    f.period_start between b.date_day - 7 and b.date_day + 7
  and    b.entity_id = case b.report_level when 'KEYWORD' then f.keyword_id when 'AD_GROUP' then f.ad_group_id when 'CAMPAIGN' then f.campaign_id end
  group  by f.currency, f.attribution) as m on true
left   join lateral (
  select string_agg(distinct n.group_name, ', ' order by n.group_name) as keyword_groups from core.grouped_keyword as n where lower(n.keyword) = lower(m.keyword)) as kg on true
left   join ops.app_groups     as ag on ag.store = 'ios' and ag.track_id = m.track_id;
comment on view   mart.bid_change_impact                          is 'One row per change of a bid, currency and attribution of the reports: the figures of the 7 days before and of the 7 days after. Choose one currency (is_primary_currency) and attribution (is_default_attribution). Counts and money may be added up across changes with a nearby_change_count of 0. Nothing may be added up for the others, because the same days count for several changes. Did raising the bid lead to more installs? Which rules made taps more expensive?';
comment on column mart.bid_change_impact.org_name                 is 'Name of the organisation; null, like all columns from reports, if no report covers the bid.';
comment on column mart.bid_change_impact.campaign_name            is 'Name of the campaign.';
comment on column mart.bid_change_impact.ad_group_name            is 'Name of the ad group.';
comment on column mart.bid_change_impact.track_id                 is 'Advertised app.';
comment on column mart.bid_change_impact.country_code             is 'Country, ISO 3166-1 alpha-2; ALL if reports name several countries or none.';
comment on column mart.bid_change_impact.entity_level             is 'Level of the bid: KEYWORD, AD_GROUP, CAMPAIGN; empty if the log does not report it; the bid is then treated as one for a keyword.';
comment on column mart.bid_change_impact.entity_id                is 'Id of the keyword, ad group or campaign.';
comment on column mart.bid_change_impact.keyword                  is 'The keyword in words; null if the bid is not for a keyword.';
comment on column mart.bid_change_impact.date_day                 is 'Day of the change.';
comment on column mart.bid_change_impact.changed_at               is 'When it was changed, without time zone.';
comment on column mart.bid_change_impact.change_number            is 'Number of the change among those of this bid at this time, 1 for the first.';
comment on column mart.bid_change_impact.bid_currency             is 'Currency of the two bids.';
comment on column mart.bid_change_impact.old_bid                  is 'Bid before, in bid_currency.';
comment on column mart.bid_change_impact.new_bid                  is 'Bid after, in bid_currency.';
comment on column mart.bid_change_impact.bid_change_share         is 'Relative change of the bid: 0.1 means up 10 percent.';
comment on column mart.bid_change_impact.change_source            is 'DASHBOARD (manual) or RULE.';
comment on column mart.bid_change_impact.rule_name                is 'Rule that changed it; null if no rule did.';
comment on column mart.bid_change_impact.nearby_change_count      is 'Number of other changes of this bid in the 7 days before and after. If above 0, the effect has several causes.';
comment on column mart.bid_change_impact.currency                 is 'Currency of the money in reports.';
comment on column mart.bid_change_impact.attribution              is 'How redownloads (installs by earlier users) were requested to be counted: WITH, WITHOUT, ONLY.';
comment on column mart.bid_change_impact.is_primary_currency      is 'True for the currency with the most days of reports (ops.search_ads_default).';
comment on column mart.bid_change_impact.is_default_attribution   is 'True for the attribution with the most days of reports (ops.search_ads_default).';
comment on column mart.bid_change_impact.before_day_count         is 'Days with reports among the 7 days before; fewer than 7 if no advertisement ran or no report was requested.';
comment on column mart.bid_change_impact.after_day_count          is 'Days with reports among the 7 days after; fewer than 7 if no advertisement ran, no report was requested, or the 7 days are not over.';
comment on column mart.bid_change_impact.before_spend             is 'Money spent, in currency, in the 7 days before, without the day of the change.';
comment on column mart.bid_change_impact.after_spend              is 'Money spent, in currency, in the 7 days after, without the day of the change.';
comment on column mart.bid_change_impact.before_impression_count  is 'Impressions in the 7 days before, without the day of the change.';
comment on column mart.bid_change_impact.after_impression_count   is 'Impressions in the 7 days after, without the day of the change.';
comment on column mart.bid_change_impact.before_tap_count         is 'Taps in the 7 days before, without the day of the change.';
comment on column mart.bid_change_impact.after_tap_count          is 'Taps in the 7 days after, without the day of the change.';
comment on column mart.bid_change_impact.before_install_count     is 'Installs in the 7 days before, without the day of the change.';
comment on column mart.bid_change_impact.after_install_count      is 'Installs in the 7 days after, without the day of the change.';
comment on column mart.bid_change_impact.before_tap_through_share is 'Taps per impression, 0 to 1, in the 7 days before, without the day of the change.';
comment on column mart.bid_change_impact.after_tap_through_share  is 'Taps per impression, 0 to 1, in the 7 days after, without the day of the change.';
comment on column mart.bid_change_impact.before_cost_per_tap      is 'Spend per tap, in currency, in the 7 days before, without the day of the change.';
comment on column mart.bid_change_impact.after_cost_per_tap       is 'Spend per tap, in currency, in the 7 days after, without the day of the change.';
comment on column mart.bid_change_impact.before_cost_per_install  is 'Spend per install, in currency, in the 7 days before, without the day of the change.';
comment on column mart.bid_change_impact.after_cost_per_install   is 'Spend per install, in currency, in the 7 days after, without the day of the change.';
select ops.comment_columns('mart.bid_change_impact');
