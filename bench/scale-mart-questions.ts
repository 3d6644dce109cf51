import { addDays } from "../src/core/day.ts";
import { today, type Account } from "./scale-size.ts";

/** An analyst's query of a mart, and how long the answer may take: a second, or five scans of the ranks if it is about all of them. */
export type MartQuestion = { readonly name: string; readonly query: string; readonly limit: "second" | "five scans" };

/** The queries of dashboards, and those of tools about a table before anyone has chosen anything. */
export function martQuestions({ days }: Account): readonly MartQuestion[] {
  const newest = addDays(today, -2);
  const month = addDays(today, -Math.min(days, 30));
  const app = "store = 'ios' and track_id = '1000000'";
  const ask = (name: string, query: string): MartQuestion => ({ name, query, limit: "second" });
  const askAll = (name: string, query: string): MartQuestion => ({ name, query, limit: "five scans" });
  return [
    ask("overview of all apps on one day", `select * from mart.app_overview_daily where date_day = '${newest}'`),
    ask(
      "overview of an app, 30 days",
      `select * from mart.app_overview_daily where ${app} and date_day >= '${month}' order by date_day`,
    ),
    ask(
      "movers of the week, the 50 largest",
      "select * from mart.keyword_rank_movers where days_back = 7 and places_gained <> 0 order by abs(places_gained) desc limit 50",
    ),
    ask(
      "keywords that entered or left in a month",
      "select * from mart.keyword_rank_movers where days_back = 30 and movement in ('entered', 'left') limit 50",
    ),
    ask(
      "opportunities, the 50 best",
      "select * from mart.keyword_opportunity where device_code = 'IPHONE' order by opportunity_score desc nulls last limit 50",
    ),
    ask(
      "what the releases of 90 days did",
      `select * from mart.release_impact where window_day_count = 14 and release_day >= '${addDays(today, -90)}' order by release_day desc limit 100`,
    ),
    ask(
      "share of voice by day and app, 30 days",
      `select date_day, app_name, sum(voice_sum) / sum(answered_keyword_count) as share from mart.organic_share_of_voice_daily where date_day >= '${month}' group by 1, 2 having bool_and(is_complete)`,
    ),
    ask("share of voice, all columns and rows", "select * from mart.organic_share_of_voice_daily"),
    ask(
      "share of voice by search volume, an app and country, 30 days",
      `select * from mart.weighted_share_of_voice_daily where ${app} and country_code = 'US' and date_day >= '${month}'`,
    ),
    ask(
      "ranks of one keyword, all days",
      `select date_day, keyword_rank from mart.keyword_rank_daily where ${app} and country_code = 'US' and keyword = 'app 0 keyword 0001'`,
    ),
    ask(
      "ranks of an app and country on one day",
      `select * from mart.keyword_rank_daily where ${app} and country_code = 'US' and date_day = '${newest}'`,
    ),
    ask(
      "share of voice by group of keywords, an app, 30 days",
      `select date_day, group_name, sum(voice_sum) / sum(answered_keyword_count) as share from mart.keyword_group_daily where ${app} and date_day >= '${month}' group by 1, 2 having bool_and(is_complete)`,
    ),
    ask(
      "against each competitor",
      "select competitor_app_name, comparison, count(*) as keywords from mart.keyword_rank_vs_competitor where device_code in ('IPHONE', 'ALL') group by 1, 2",
    ),
    ask("visibility by day and app, 30 days", `select * from mart.visibility_daily where date_day >= '${month}'`),
    ask(
      "who entered and left the charts, a month",
      `select * from mart.chart_movement_daily where movement in ('entered', 'left') and date_day >= '${month}' order by date_day desc limit 200`,
    ),
    ask("downloads and revenue by country and month", "select * from mart.download_revenue_monthly"),
    ask(
      "our part of the impressions, the newest hundred",
      "select * from mart.keyword_impression_share where is_portfolio_app order by share_day desc limit 100",
    ),
    ask(
      "tracked keywords without an answer, 30 days",
      `select date_day, count(*) as keywords from mart.keyword_not_requested_daily where ${app} and country_code = 'US' and date_day >= '${month}' group by 1`,
    ),
    ask(
      "credits by app, 30 days",
      `select app_name, sum(credit_count) as credits from mart.credit_spend_by_app_daily where date_day >= '${month}' group by 1`,
    ),
    ask("how fresh everything is", "select * from mart.data_freshness"),
    ask("list of apps, for a filter", "select app_name from mart.organic_share_of_voice_daily group by app_name"),
    ask("newest day, for a filter", "select max(date_day) as newest_day from mart.organic_share_of_voice_daily"),
    ask(
      "average rank by app and month, all days",
      "select app_name, date_trunc('month', date_day::timestamp) as month, sum(rank_sum) / sum(ranked_keyword_count) as rank from mart.organic_share_of_voice_daily group by 1, 2",
    ),
    askAll("what all releases did", "select * from mart.release_impact"),
    askAll("average of all ranks", "select avg(keyword_rank) as rank from mart.keyword_rank_daily"),
    askAll("newest day of all ranks", "select max(date_day) as newest_day from mart.keyword_rank_daily"),
    askAll("list of apps of all ranks", "select app_name from mart.keyword_rank_daily group by app_name"),
  ];
}
