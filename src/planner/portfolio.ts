import { sql } from "../postgres/sql.ts";
import type { Settings } from "../config/settings.ts";
import type { Portfolio, PortfolioApp, PortfolioCountry } from "../core/portfolio.ts";
import { type Store, storeOf } from "../core/store.ts";
import { isDotSegment } from "../core/text.ts";
import type { Database } from "../postgres/database.ts";

/** The portfolio: what the account tracks, what the configuration lists, or both, one entry an app and country. Pure. */
export function portfolioOf(tracked: readonly PortfolioApp[], settings: Settings["portfolio"]): Portfolio {
  const listed = settings.apps.map((app): PortfolioApp => ({
    store: storeOf(app.id),
    trackId: app.id,
    tracked: false,
    countries: app.countries.map((country) => ({ country, keywords: app.keywords, keywordCount: null })),
  }));
  const own = tracked.map((app) => ({ ...app, countries: app.countries.map(asTracked) }));
  const sources = { account: own, config: listed, both: [...own, ...listed] };
  const groups = Map.groupBy(sources[settings.source], (app) => `${app.store}:${app.trackId}`);
  const apps = [...groups.values()].flatMap((same) =>
    same.slice(0, 1).map((app) => ({
      ...app,
      tracked: same.some(({ tracked: known }) => known),
      countries: merge(same.flatMap(({ countries }) => countries)),
    })),
  );
  const account = settings.account === undefined ? {} : { account: settings.account };
  return { ...account, apps: apps.sort((a, b) => compare(a.store, b.store) || compare(a.trackId, b.trackId)) };
}

function merge(countries: readonly PortfolioCountry[]): readonly PortfolioCountry[] {
  const groups = Map.groupBy(countries, ({ country }) => country);
  return [...groups]
    .map(([country, same]) => ({
      country,
      keywords: requestable(same.map(({ keywords }) => keywords)),
      tracked: requestable(same.map((one) => one.tracked ?? [])),
      keywordCount: same.find(({ keywordCount }) => keywordCount !== null)?.keywordCount ?? null,
    }))
    .sort((a, b) => compare(a.country, b.country));
}

function asTracked(country: PortfolioCountry): PortfolioCountry {
  return { ...country, tracked: country.keywords };
}

/** The keywords of these lists, each once, without those that no request can name. */
function requestable(lists: readonly (readonly string[])[]): readonly string[] {
  return [...new Set(lists.flat())].filter((keyword) => !isDotSegment(keyword)).sort(compare);
}

/** By code unit, so that the order never depends on the machine's language. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

type PortfolioRow = {
  store: Store;
  track_id: string;
  country_code: string | null;
  keyword_count: number | null;
  keywords: string[];
};

/** Whose list is read: the account by its name, that of API_TOKEN when left out; of its apps only these track ids (or `store:trackId`) where some are named. */
type TrackedBy = { readonly account?: string; readonly only?: readonly string[] | undefined };

/**
 * What the account tracks, as last read: apps, their countries and keywords, all of them until they are known to have left. Sorted by store, id, country, keyword. Only apps of these
 * track ids (or `store:trackId`) where some are named: a large account has millions of keywords.
 */
export async function readTracked(
  db: Database,
  { account = "", only }: TrackedBy = {},
): Promise<readonly PortfolioApp[]> {
  const named = only?.map((app) => app.replace(/^(ios|android):/, "")) ?? null;
  const { rows } = await sql<PortfolioRow>`
    select a.store, a.track_id, c.country_code, n.keyword_count,
           coalesce(array_agg(k.keyword order by k.keyword collate "C") filter (where k.keyword is not null), '{}') as keywords
    from   core.tracked_app as t
    join   core.dim_app     as a on a.app_key = t.app_key
    left   join core.tracked_country as n on n.app_key = t.app_key and n.account = t.account and n.valid_to is null
    left   join core.dim_country     as c on c.country_key = n.country_key
    left   join core.tracked_keyword as w on w.app_key = n.app_key and w.country_key = n.country_key and w.account = n.account and w.valid_to is null
    left   join core.dim_keyword     as k on k.keyword_key = w.keyword_key
    where  t.account = ${account} and t.valid_to is null and (${named}::text[] is null or a.track_id = any (${named}::text[]))
    group  by a.store, a.track_id, c.country_code, n.keyword_count
    order  by a.store collate "C", a.track_id collate "C", c.country_code collate "C"`.execute(db);
  const apps = Map.groupBy(rows, (row) => `${row.store}:${row.track_id}`);
  return [...apps.values()].flatMap(([first, ...rest]) =>
    first === undefined
      ? []
      : [
          {
            store: first.store,
            trackId: first.track_id,
            tracked: true,
            countries: [first, ...rest].flatMap(countryOf),
          },
        ],
  );
}

function countryOf(row: PortfolioRow): readonly PortfolioCountry[] {
  return row.country_code === null
    ? []
    : [{ country: row.country_code, keywords: row.keywords, keywordCount: row.keyword_count }];
}
