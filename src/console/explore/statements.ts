import type { Day } from "../../core/day.ts";
import { lastDay } from "../../core/window.ts";
import { sql, type SqlFragment } from "../../postgres/sql.ts";
import type { Choice } from "./choice.ts";

/*
 * Each statement reads only marts, core and views of ops, so that it runs unchanged for an analyst who copies it, and as storehouse_reader.
 */

/** A day of an app's rank for the keyword. */
export type RankRow = {
  readonly date_day: Day;
  readonly app: string;
  readonly app_name: string;
  readonly keyword_rank: number | null;
  readonly ranking_state: string;
};

/** Ranks of the app and its competitors for the keyword, by day. */
export function ranksOf({ app, competitors, country, device, keyword, window }: Choice): SqlFragment<RankRow> {
  const ids = [app, ...competitors].map(({ trackId }) => trackId);
  return sql<RankRow>`
select date_day, store || ':' || track_id as app, coalesce(app_name, track_id) as app_name, keyword_rank, ranking_state
from   mart.keyword_rank_daily
where  store = ${app.store} and track_id = any (${ids}::text[]) and country_code = ${country} and device_code = ${device}
and    keyword = ${keyword} and date_day between ${window.start}::date and ${lastDay(window)}::date
order  by date_day, track_id`;
}

/** A release of the app. */
export type ReleaseRow = { readonly release_day: Day; readonly version: string; readonly release_notes: string | null };

/**
 * Releases of the app by their first day: the list repeats a version for a change within it, and for other store pages on other days. The
 * notes come from the page of the country, if it has the version.
 */
export function releasesOf({ app, country, window }: Choice): SqlFragment<ReleaseRow> {
  return sql<ReleaseRow>`
select min(v.version_at)::date as release_day, v.version, (array_agg(v.release_notes order by c.country_code <> ${country}, v.version_at))[1] as release_notes
from   core.app_version as v
join   core.dim_app     as a on a.app_key = v.app_key
join   core.dim_country as c on c.country_key = v.country_key
where  a.store = ${app.store} and a.track_id = ${app.trackId}
group  by v.version, case when v.version = '' then v.version_at::date end
having min(v.version_at) >= ${window.start}::date and min(v.version_at) < ${window.end}::date
order  by release_day, v.version`;
}

/** A keyword whose rank moved. */
export type MoverRow = {
  readonly keyword: string;
  readonly movement: string;
  readonly previous_day: Day;
  readonly previous_rank: number | null;
  readonly date_day: Day;
  readonly keyword_rank: number | null;
  readonly places_gained: number | null;
};

/** Columns of a mover in a file. */
export const moverColumns = [
  "keyword",
  "movement",
  "previous_day",
  "previous_rank",
  "date_day",
  "keyword_rank",
  "places_gained",
] as const satisfies readonly (keyof MoverRow)[];

type Place = Pick<Choice, "app" | "country" | "device">;

/** At most this many are shown, with a remark if there are more. */
export const mostMovers = 200;
/** The same of reviews. */
export const mostReviews = 1000;

/**
 * Keywords of the app whose rank differs from that of `daysBack` days (1, 7, 30 or 90) before the newest day, the largest moves first. Not
 * ranked comes after every place.
 */
export function moversOf({ app, country, device }: Place, daysBack: number): SqlFragment<MoverRow> {
  const behind = sql`1 + max(greatest(previous_rank, keyword_rank)) over ()`;
  return sql<MoverRow>`
select keyword, movement, previous_day, previous_rank, date_day, keyword_rank, places_gained
from   mart.keyword_rank_movers
where  store = ${app.store} and track_id = ${app.trackId} and country_code = ${country} and device_code = ${device}
and    days_back = ${daysBack} and movement in ('gained', 'lost', 'entered', 'left')
order  by abs(coalesce(previous_rank, ${behind}) - coalesce(keyword_rank, ${behind})) desc, keyword
limit  ${sql.lit(mostMovers)}`;
}

/** The number of keywords by movement. */
export type MovementRow = { readonly movement: string; readonly keyword_count: number };

/** Keywords of the app by movement, including those that did not move or have no earlier rank. */
export function movementsOf({ app, country, device }: Place, daysBack: number): SqlFragment<MovementRow> {
  return sql<MovementRow>`
select movement, count(*)::int as keyword_count
from   mart.keyword_rank_movers
where  store = ${app.store} and track_id = ${app.trackId} and country_code = ${country} and device_code = ${device}
and    days_back = ${daysBack}
group  by movement
order  by movement`;
}

/** A day of an app's place in a chart. */
export type ChartRow = {
  readonly date_day: Day;
  readonly category: string;
  readonly category_code: string;
  readonly chart: string;
  readonly chart_version: string;
  readonly best_category_rank: number | null;
};

/** The app's places in charts, by day: the best one of each day; null on days whose answer has none. */
export function chartsOf({ app, country, device, window }: Choice): SqlFragment<ChartRow> {
  return sql<ChartRow>`
with places as (
  select date_day, coalesce(category_name, category_code) as category, category_code, chart, chart_version, best_category_rank
  from   mart.category_rank_daily
  where  store = ${app.store} and track_id = ${app.trackId} and country_code = ${country} and device_code = ${device}
  and    date_day between ${window.start}::date and ${lastDay(window)}::date
), charts as (
  select max(category) as category, category_code, chart, chart_version from places group by category_code, chart, chart_version
)
select * from places
union  all
select d.date_day, c.category, c.category_code, c.chart, c.chart_version, null
from   charts as c
join   core.dim_date as d on d.date_day between ${window.start}::date and ${lastDay(window)}::date
where  exists (
  select from ops.category_rank_answer as n
  where  n.store = ${app.store} and n.track_id = ${app.trackId} and n.window_start <= d.date_day and n.window_end > d.date_day
  and    n.chart_version = c.chart_version and n.country_code = ${country})
and    not exists (
  select from places as p
  where  p.date_day = d.date_day and p.category_code = c.category_code and p.chart = c.chart and p.chart_version = c.chart_version)
order  by date_day, category, category_code, chart, chart_version`;
}

/** A day's reviews by stars. */
export type StarRow = {
  readonly date_day: Day;
  readonly review_count: number;
  readonly one_star_count: number;
  readonly two_star_count: number;
  readonly three_star_count: number;
  readonly four_star_count: number;
  readonly five_star_count: number;
  readonly no_star_count: number;
  readonly is_answered: boolean;
};

/**
 * The country of the app's reviews in marts: Android reviews have no country and count in each; an iOS review of unknown country counts in
 * none.
 */
function reviewCountryOf({ app, country }: Choice): string {
  return app.store === "android" ? "ALL" : country;
}

/** The app's reviews by day and stars, and whether all reviews of the day were requested. */
export function starsOf(choice: Choice): SqlFragment<StarRow> {
  const { app, window } = choice;
  return sql<StarRow>`
select date_day, sum(review_count)::int as review_count, sum(one_star_count)::int as one_star_count, sum(two_star_count)::int as two_star_count,
       sum(three_star_count)::int as three_star_count, sum(four_star_count)::int as four_star_count, sum(five_star_count)::int as five_star_count,
       (sum(review_count) - sum(rated_review_count))::int as no_star_count, bool_or(is_answered) as is_answered
from   mart.review_daily
where  store = ${app.store} and track_id = ${app.trackId} and country_code = ${reviewCountryOf(choice)}
and    date_day between ${window.start}::date and ${lastDay(window)}::date
group  by date_day
order  by date_day`;
}

/** A review as its author wrote it. */
export type ReviewRow = {
  readonly reviewed_at: string;
  readonly rating: number | null;
  readonly title: string | null;
  readonly content: string | null;
  readonly reviewer_name: string | null;
  readonly version: string | null;
};

/** The app's newest reviews; a review in both lists of a store appears once. */
export function reviewsOf(choice: Choice): SqlFragment<ReviewRow> {
  const { app, window } = choice;
  return sql<ReviewRow>`
select reviewed_at, rating, title, content, reviewer_name, version
from   mart.review_text
where  store = ${app.store} and track_id = ${app.trackId} and country_code = ${reviewCountryOf(choice)}
and    date_day between ${window.start}::date and ${lastDay(window)}::date
order  by reviewed_at desc, review_id
limit  ${sql.lit(mostReviews)}`;
}
