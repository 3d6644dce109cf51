import { day, daysBetween, type Day } from "../../src/core/day.ts";
import type { Passing } from "./ingest-proxy.ts";
import type { RunOptions, Stage } from "./ingest-stage.ts";

/** The datasets of search ads. */
export const names = ["search_ads_integration", "search_ads_goal", "bid_change", "search_ads_report"];
/** The market of their tests. */
export const market = { apps: 2, countries: ["US"], keywordsPerApp: 4 } as const;
/** Days of history that are requested. */
export const days = 6;
/** The datasets of search ads, with options of the reports. */
export const chosen = (options: Record<string, unknown> = {}): RunOptions => ({
  settings: { datasets: { search_ads_report: { history_days: days, lookback_days: 5, options } } },
  request: { datasets: names },
});

/** Figures by level, day and keyword, without the columns that name the report they came by. */
export const figures = (stage: Stage) =>
  stage.query(
    `select report_level, date_day::text, campaign_id, ad_group_id, keyword_id, gender, spend::float8, tap_count::int, install_count::int
     from   core.fact_search_ads_report where grain = 'day' and not is_total order by 1, 2, 3, 4, 5, 6`,
  );

/** What reports were requested for the organisation that has campaigns; of another one nothing is reported. */
export const reports = (stage: Stage) =>
  stage
    .requested()
    .filter(({ operation, params }) => operation === "search-ads.reports" && String(params["orgIds"]) === "4100001")
    .map(({ params }) => params);

/** Days from one to another, both counted in. */
export function daysOfSpan(from: unknown, to: unknown): number {
  return daysBetween(day(String(from)), day(String(to))) + 1;
}

/** Answers reports with rows of a day as a service that counts rows does: ten of 33 a page. */
export function countsRows(of: Day): (passing: Passing) => void {
  const rows = Array.from({ length: 33 }, (_, id) => ({ campaignId: 9000 + id, date: of, taps: id }));
  return (passing) => {
    const { pathname, searchParams } = new URL(passing.target, "http://any");
    if (!pathname.endsWith("/searchads/reports")) return;
    const offset = Number(searchParams.get("page") ?? 0);
    const pagination = { totalRowCount: rows.length, limit: 10, offset };
    passing.body = JSON.stringify({
      success: true,
      data: [{ pagination, tableData: rows.slice(offset, offset + 10) }],
    });
  };
}
