-- Money in one reporting currency, by rates that the user loads. Storehouse brings no rates.

create table core.reporting_currency (
  currency text    primary key check (currency ~ '^[A-Z]{3}$'),
  is_only  boolean not null default true unique check (is_only)
);
comment on table  core.reporting_currency          is 'The reporting currency: one row at most, written by the user; empty until then.';
comment on column core.reporting_currency.currency is 'The reporting currency, three letters.';
comment on column core.reporting_currency.is_only  is 'Always true: this prevents a second row.';

create table core.reporting_rate (
  currency           text    not null check (currency ~ '^[A-Z]{3}$'),
  date_day           date    not null,
  reporting_currency text    not null references core.reporting_currency (currency),
  rate               numeric not null check (rate > 0),
  primary key (currency, date_day)
);
comment on table  core.reporting_rate                    is 'Exchange rates into the reporting currency, loaded by the user; empty until then. A rate into any currency other than that of core.reporting_currency is refused.';
comment on column core.reporting_rate.currency           is 'Currency, three letters.';
comment on column core.reporting_rate.date_day           is 'First day of the rate. It applies until the next one, for 31 days at most.';
comment on column core.reporting_rate.reporting_currency is 'The currency of core.reporting_currency.';
comment on column core.reporting_rate.rate               is 'Units of reporting_currency for one unit of currency.';
select ops.comment_columns('core.reporting_rate');

create function core.in_reporting_currency(amount numeric, currency text, day date) returns numeric language sql stable
  return amount * case when exists (select from core.reporting_currency as o where o.currency = $2) then 1
                       else (select r.rate from core.reporting_rate as r
                             where  r.currency = $2 and r.date_day <= $3 and r.date_day > $3 - 31
                             order  by r.date_day desc limit 1) end;
comment on function core.in_reporting_currency(numeric, text, date) is 'An amount in the reporting currency, by the newest rate of core.reporting_rate on or before the day, less than 31 days old; null if there is none. An amount that is already in the reporting currency stays as it is.';

create view mart.search_ads_daily_reporting as
select r.org_id, r.org_name, r.track_id, r.app_name, r.country_code, r.campaign_id, r.campaign_name, r.date_day, m.money_currency, m.money_spend,
       c.currency as reporting_currency, v.spend as reporting_spend,
       r.impression_count, r.tap_count, r.install_count, v.spend is not null as is_converted,
       (select d.left_out_org_count from ops.search_ads_default as d) as left_out_org_count,
       r.date_day in (select n.date_day from ops.search_ads_answered_day as n) as is_complete
from   mart.search_ads_campaign_report as r
-- the organisation's own money has been converted by nobody yet; where its currency is unknown, the other money is as good
cross  join lateral (select r.original_spend is not null and r.original_currency is not null as is_own) as b
cross  join lateral (
  select case when b.is_own then r.original_currency else r.currency end as money_currency,
         case when b.is_own then r.original_spend else r.spend end as money_spend) as m
cross  join lateral (select round(core.in_reporting_currency(m.money_spend, m.money_currency, r.date_day), 4) as spend) as v
left   join core.reporting_currency as c on true
where  r.is_primary_currency and r.is_default_attribution and r.goal_id = '' and not r.is_withdrawn;
comment on view   mart.search_ads_daily_reporting                    is 'One row per campaign, country and day, with its spend in the reporting currency, by the rates that the user loads into core.reporting_rate. Counts and reporting_spend may be added up across everything, as long as is_converted and is_complete are true for every row; money_spend within one money_currency. What did all organisations spend together? How much of it is in each currency?';
comment on column mart.search_ads_daily_reporting.money_currency     is 'Currency of money_spend: the organisation''s own, if it is known and the service reports the money in it, else that of ops.search_ads_default.';
comment on column mart.search_ads_daily_reporting.money_spend        is 'Money spent, in money_currency.';
comment on column mart.search_ads_daily_reporting.reporting_currency is 'The reporting currency, from core.reporting_currency; null until there is one.';
comment on column mart.search_ads_daily_reporting.reporting_spend    is 'Money spent, in reporting_currency; null if there is no rate for the day or for the 30 days before it.';
comment on column mart.search_ads_daily_reporting.is_converted       is 'False if reporting_spend is null: a sum that includes such rows covers only a part of the spend.';
comment on column mart.search_ads_daily_reporting.left_out_org_count is 'Number of organisations with reports but none in the currency and attribution of ops.search_ads_default: sums leave them out. The same number on all rows: do not add it up.';
select ops.comment_columns('mart.search_ads_daily_reporting', 'mart.search_ads_daily_default');
select ops.comment_columns('mart.search_ads_daily_reporting', 'mart.search_ads_daily');
