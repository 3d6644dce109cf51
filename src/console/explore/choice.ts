import { latest, addDays, type Day } from "../../core/day.ts";
import { fail } from "../../core/errors.ts";
import type { Window } from "../../core/window.ts";
import type { Database } from "../../postgres/database.ts";
import { sql } from "../../postgres/sql.ts";

/** What the address of the page names; the rest is chosen for the visitor. `app` and `competitors`: `store:track id`. */
export type Named = {
  readonly app?: string | undefined;
  readonly country?: string | undefined;
  readonly device?: string | undefined;
  readonly keyword?: string | undefined;
  readonly competitors?: readonly string[] | undefined;
  readonly from?: Day | undefined;
  readonly to?: Day | undefined;
  /**
   * The app and country that a sent form was drawn for (`placeKey`): if another one is chosen in it, the other fields belong to the earlier
   * one.
   */
  readonly drawnFor?: string | undefined;
};

/** An app and a country, as the name in a form of what it was drawn for. */
export function placeKey(app: string, country: string): string {
  return `${app} ${country}`;
}

/** An app that can be chosen. `app`: `store:track id`. */
type AppOption = {
  readonly app: string;
  readonly store: string;
  readonly trackId: string;
  readonly name: string;
  readonly isCompetitor: boolean;
};
/** A country of an app with a device, and the first and the newest day of its data. */
type PlaceOption = {
  readonly country: string;
  readonly device: string;
  readonly first: Day;
  readonly newest: Day;
};

/** What a page of Explore shows, and what could be chosen instead. */
export type Choice = {
  readonly app: AppOption;
  readonly country: string;
  readonly device: string;
  /** Empty if the app has no keyword there. */
  readonly keyword: string;
  readonly competitors: readonly AppOption[];
  readonly window: Window;
  readonly options: {
    readonly apps: readonly AppOption[];
    readonly countries: readonly string[];
    readonly devices: readonly string[];
    readonly keywords: readonly string[];
    readonly competitors: readonly AppOption[];
  };
};

/** Days that are shown unless others are named. */
const usualDays = 90;
/**
 * Of a longer window, the newest twenty years are shown: drawing two hundred years of days takes seconds, during which no other request is
 * served.
 */
const mostDays = 7_305;
/** Competitors that are drawn at once: more lines are not legible. */
export const mostCompetitors = 5;
/** Competitors that are drawn unless others are named. */
const usualCompetitors = 3;

/**
 * The apps with something to show, by name: those with ranks by keyword before those that have only charts or reviews, and those that the
 * account tracks before those that are only competitors.
 */
async function readApps(db: Database, account: string): Promise<readonly AppOption[]> {
  const { rows } = await sql<AppOption>`
    select a.store || ':' || a.track_id as app, a.store, a.track_id as "trackId", coalesce(a.app_name, a.track_id) as name,
           not exists (select from core.tracked_app as t where t.app_key = a.app_key and t.account = ${account} and t.valid_to is null)
           and exists (select from core.tracked_competitor as n where n.competitor_app_key = a.app_key and n.account = ${account} and n.valid_to is null) as "isCompetitor"
    from   ops.portfolio_app as a
    cross  join lateral (select exists (select from core.fact_keyword_rank_summary as s where s.app_key = a.app_key) as has_ranks) as r
    where  r.has_ranks or exists (select from core.fact_category_rank as f where f.app_key = a.app_key) or exists (select from core.review as f where f.app_key = a.app_key)
    order  by r.has_ranks desc, "isCompetitor", name, a.store desc, app`.execute(db);
  return rows;
}

/**
 * Countries and devices of an app with ranks, the one with the most keywords on its newest day first; for an app without ranks, those of
 * its charts and reviews.
 */
async function readPlaces(db: Database, { store, trackId }: AppOption): Promise<readonly PlaceOption[]> {
  const { rows } = await sql<PlaceOption>`
    with app as (
      select a.app_key, exists (select from core.fact_keyword_rank_summary as s where s.app_key = a.app_key) as has_ranks
      from   core.dim_app as a
      where  a.store = ${store} and a.track_id = ${trackId}
    ), shown as (
      select s.country_key, s.device_key, s.date_day, s.ranked_keyword_count as keyword_count
      from   app as a join core.fact_keyword_rank_summary as s on s.app_key = a.app_key
      union  all
      select f.country_key, f.device_key, f.date_day, 0 from app as a join core.fact_category_rank as f on f.app_key = a.app_key where not a.has_ranks
      union  all
      -- reviews have no device
      select f.country_key, case ${store} when 'ios' then 1 else 0 end, f.reviewed_at::date, 0
      from   app as a join core.review as f on f.app_key = a.app_key where not a.has_ranks
    )
    select c.country_code as country, d.device_code as device, min(s.date_day) as first, max(s.date_day) as newest
    from   shown as s
    join   core.dim_country as c on c.country_key = s.country_key
    join   core.dim_device  as d on d.device_key = s.device_key
    group  by c.country_code, d.device_code, d.device_key
    order  by (array_agg(s.keyword_count order by s.date_day desc))[1] desc, c.country_code, d.device_key`.execute(db);
  return rows;
}

/** Keywords of an app in a place on its newest day, the best rank first. */
async function readKeywords(
  db: Database,
  { store, trackId }: AppOption,
  { country, device }: Pick<PlaceOption, "country" | "device">,
): Promise<readonly string[]> {
  const { rows } = await sql<{ keyword: string }>`
    select keyword
    from   mart.keyword_rank_movers
    where  store = ${store} and track_id = ${trackId} and country_code = ${country} and device_code = ${device} and days_back = 1
    order  by keyword_rank, keyword
    limit  5000`.execute(db);
  return rows.map(({ keyword }) => keyword);
}

/** Apps of the same store with ranks in the country that an app can be compared with: competitors that the account names for it first. */
async function readCompetitors(
  db: Database,
  { store, trackId }: AppOption,
  { country, account }: { readonly country: string; readonly account: string },
): Promise<readonly AppOption[]> {
  const { rows } = await sql<AppOption>`
    select o.store || ':' || o.track_id as app, o.store, o.track_id as "trackId", coalesce(o.app_name, o.track_id) as name,
           exists (select from core.tracked_competitor as t
                   where t.app_key = a.app_key and t.competitor_app_key = o.app_key and t.account = ${account} and t.valid_to is null) as "isCompetitor"
    from   core.dim_app as a
    join   core.dim_app as o on o.store = a.store and o.app_key <> a.app_key
    join   core.dim_country as c on c.country_code = ${country}
    where  a.store = ${store} and a.track_id = ${trackId}
    and    exists (select from core.fact_keyword_rank_summary as s where s.app_key = o.app_key and s.country_key = c.country_key)
    order  by "isCompetitor" desc, name, app
    limit  100`.execute(db);
  return rows;
}

/**
 * The choice that an address results in; null if no app has anything to show, if no app has this id, or if the app has nothing in the named
 * country or on the named device. Throws `console_bad_input` for days that end before they begin.
 */
export async function readChoice(db: Database, named: Named, account: string): Promise<Choice | null> {
  const apps = await readApps(db, account);
  const app = named.app === undefined ? apps[0] : apps.find((one) => one.app === named.app);
  if (app === undefined) return null;
  const places = await readPlaces(db, app);
  const isMoved = named.drawnFor !== undefined && named.drawnFor !== placeKey(app.app, named.country ?? "");
  const place = chosenPlace(places, named) ?? (isMoved ? nearestPlace(places, named) : undefined);
  if (place === undefined) return null;
  const [keywords, competitors] = [
    await readKeywords(db, app, place),
    await readCompetitors(db, app, { country: place.country, account }),
  ];
  const last = named.to ?? place.newest;
  if (named.from !== undefined && named.from > last)
    throw fail("console_bad_input", { problem: `from is ${named.from}, which is after to, ${last}` });
  const end = addDays(last, 1);
  const start = latest([named.from ?? latest([place.first, addDays(end, -usualDays)]), addDays(end, -mostDays)]);
  return {
    app,
    country: place.country,
    device: place.device,
    keyword: chosenKeyword(keywords, named, isMoved),
    competitors: chosenCompetitors(competitors, named, isMoved),
    window: start < end ? { start, end } : { start: addDays(end, -1), end },
    options: {
      apps,
      countries: [...new Set(places.map(({ country }) => country))].sort(),
      devices: [...new Set(places.filter(({ country }) => country === place.country).map(({ device }) => device))],
      keywords,
      competitors,
    },
  };
}

/** The first place that matches the named one; none, rather than another place under its name. */
function chosenPlace(places: readonly PlaceOption[], { country, device }: Named): PlaceOption | undefined {
  return places.find(
    (one) =>
      (country === undefined || one.country === country.toUpperCase()) &&
      (device === undefined || one.device === device.toUpperCase()),
  );
}

/** The place for a form in which another app or country was chosen: the same country if possible. */
function nearestPlace(places: readonly PlaceOption[], { country }: Named): PlaceOption | undefined {
  return places.find((one) => one.country === country) ?? places[0];
}

function chosenKeyword(all: readonly string[], { keyword }: Named, isMoved: boolean): string {
  const isLeft = keyword === undefined || (isMoved && !all.includes(keyword));
  return isLeft ? (all[0] ?? "") : keyword;
}

function chosenCompetitors(
  all: readonly AppOption[],
  { competitors = [] }: Named,
  isMoved: boolean,
): readonly AppOption[] {
  const named = all.filter(({ app }) => competitors.includes(app)).slice(0, mostCompetitors);
  // the competitors of the earlier app may be of another store; a visitor who compared with none still does
  const areLost = isMoved && named.length === 0 && competitors.some((app) => app !== "");
  if (competitors.length > 0 && !areLost) return named;
  const tracked = all.filter(({ isCompetitor }) => isCompetitor);
  return (tracked.length > 0 ? tracked : all).slice(0, usualCompetitors);
}
