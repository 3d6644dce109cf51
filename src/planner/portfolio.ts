import { sql, type SqlFragment } from "../postgres/sql.ts";
import { numbersIn } from "../postgres/text-array.ts";
import { accountOf } from "../config/config-of-account.ts";
import { usesTrackedApps, type Settings } from "../config/settings.ts";
import { isAppNamed } from "../core/app-names.ts";
import type { Portfolio, PortfolioApp, PortfolioCountry } from "../core/portfolio.ts";
import { type Store, storeOf } from "../core/store.ts";
import { isDotSegment } from "../core/text.ts";
import type { Database } from "../postgres/database.ts";

/** The portfolio: what the account tracks, what the configuration lists, or both, one entry per app and country. Pure. */
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
    .map(([country, same]) => {
      const keywords = requestable(same.map((one) => one.keywords));
      const isAllTracked = same.every((one) => one.tracked === one.keywords);
      return {
        country,
        keywords,
        tracked: isAllTracked ? keywords : requestable(same.map((one) => one.tracked ?? [])),
        keywordCount: same.find(({ keywordCount }) => keywordCount !== null)?.keywordCount ?? null,
      };
    })
    .sort((a, b) => compare(a.country, b.country));
}

function asTracked(country: PortfolioCountry): PortfolioCountry {
  return { ...country, tracked: country.keywords };
}

/** The keywords of these lists, each once, except those that no request can name. */
function requestable(lists: readonly (readonly string[])[]): readonly string[] {
  const [only, ...others] = lists;
  // a large account has millions, sorted by the database
  if (only !== undefined && others.length === 0 && only.every(isInOrder)) return only;
  return [...new Set(lists.flat())].filter((keyword) => !isDotSegment(keyword)).sort(compare);
}

/** True for a keyword that a request can name and that comes after the one before. */
function isInOrder(keyword: string, index: number, all: readonly string[]): boolean {
  return !isDotSegment(keyword) && (index === 0 || (all[index - 1] ?? "") < keyword);
}

/** By code unit, so that the order does not depend on the language of the machine. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

type PortfolioRow = {
  store: Store;
  track_id: string;
  country_code: string | null;
  keyword_count: number | null;
  /** The numbers of its keywords. */
  keywords: string | null;
};

/** An app by its store and id there. */
export type AppId = Pick<PortfolioApp, "store" | "trackId">;

/**
 * Which list is read: that of the account with this name, "" for that of API_TOKEN; if some are named, only its apps with these track ids
 * (or `store:trackId`). `oneKeyword`: only one keyword of each country.
 */
type TrackedBy = {
  readonly account: string;
  readonly only?: readonly string[] | undefined;
  readonly oneKeyword?: boolean;
};

/**
 * The portfolio as known now. `only`: its apps with these track ids (or `store:trackId`). `oneKeyword`: at most one keyword per country of
 * what the account tracks.
 */
export async function readPortfolio(
  db: Database,
  settings: Settings,
  which: Omit<TrackedBy, "account"> = {},
): Promise<Portfolio> {
  const tracked = usesTrackedApps(settings) ? await readTracked(db, { account: accountOf(settings), ...which }) : [];
  return portfolioOf(tracked, listedOf(settings, which.only));
}

/** The configured portfolio; if some are named, only its apps with these track ids (or `store:trackId`). */
function listedOf({ portfolio }: Settings, only: readonly string[] | undefined): Settings["portfolio"] {
  if (only === undefined) return portfolio;
  const named = new Set(only);
  return {
    ...portfolio,
    apps: portfolio.apps.filter(({ id }) => isAppNamed(named, { store: storeOf(id), trackId: id })),
  };
}

/** The apps of the portfolio, without countries and keywords; if some are named, only those. */
export async function readPortfolioApps(
  db: Database,
  settings: Settings,
  only?: readonly string[],
): Promise<readonly AppId[]> {
  const tracked = usesTrackedApps(settings) ? await readTrackedApps(db, accountOf(settings)) : [];
  const { source, apps } = listedOf(settings, only);
  const listed = source === "account" ? [] : apps.map(({ id }) => ({ store: storeOf(id), trackId: id }));
  const named = only === undefined ? null : new Set(only);
  const all = new Map([...tracked, ...listed].map((app) => [`${app.store}:${app.trackId}`, app]));
  return [...all.values()].filter((app) => named === null || isAppNamed(named, app));
}

/** The apps that the account tracks, without their countries and keywords. */
async function readTrackedApps(db: Database, account: string): Promise<readonly AppId[]> {
  const { rows } = await sql<AppId>`
    select a.store, a.track_id as "trackId"
    from   core.tracked_app as t
    join   core.dim_app     as a on a.app_key = t.app_key
    where  t.account = ${account} and t.valid_to is null`.execute(db);
  return rows;
}

/**
 * What the account tracks, as last read: apps, their countries and keywords, each until it is known to have left. Sorted by store, id,
 * country, keyword. If some are named, only apps with these track ids (or `store:trackId`): a large account has millions of keywords.
 */
export async function readTracked(
  db: Database,
  { account, only, oneKeyword = false }: TrackedBy,
): Promise<readonly PortfolioApp[]> {
  const named = only?.map((app) => app.replace(/^(ios|android):/, "")) ?? null;
  const { rows } = await sql<PortfolioRow>`
    select a.store, a.track_id, c.country_code, n.keyword_count, k.keywords
    from   core.tracked_app as t
    join   core.dim_app     as a on a.app_key = t.app_key
    left   join core.tracked_country as n on n.app_key = t.app_key and n.account = t.account and n.valid_to is null
    left   join core.dim_country     as c on c.country_key = n.country_key
    ${oneKeyword ? firstKeyword(account) : allKeywords(account)}
    where  t.account = ${account} and t.valid_to is null and (${named}::text[] is null or a.track_id = any (${named}::text[]))
    order  by a.store collate "C", a.track_id collate "C", c.country_code collate "C"`.execute(db);
  const keywordsOf = await readKeywords(db, new Set(rows.flatMap(({ keywords }) => keywords ?? [])));
  const apps = Map.groupBy(rows, (row) => `${row.store}:${row.track_id}`);
  return [...apps.values()].flatMap(([first, ...rest]) =>
    first === undefined
      ? []
      : [
          {
            store: first.store,
            trackId: first.track_id,
            tracked: true,
            countries: [first, ...rest].flatMap(({ country_code: country, keyword_count: keywordCount, keywords }) =>
              country === null ? [] : [{ country, keywordCount, keywords: keywordsOf(keywords) }],
            ),
          },
        ],
  );
}

/** SQL: the numbers of all keywords of a country of a tracked app, country by country: the index has them in this order. */
function allKeywords(account: string): SqlFragment {
  return sql`left   join lateral (select array_agg(w.keyword_key)::text as keywords
                         from   core.tracked_keyword as w
                         where  w.app_key = n.app_key and w.country_key = n.country_key and w.account = ${account} and w.valid_to is null) as k on true`;
}

/** SQL: the number of one of these keywords. */
function firstKeyword(account: string): SqlFragment {
  return sql`left   join lateral (select array[w.keyword_key]::text as keywords
                         from   core.tracked_keyword as w
                         where  w.app_key = n.app_key and w.country_key = n.country_key and w.account = ${account} and w.valid_to is null
                         limit  1) as k on true`;
}

/**
 * Reads the texts of keywords by their numbers, each once even if many countries have it. Returns a function from a list of numbers to a
 * sorted list of texts; countries with the same numbers share a list.
 */
async function readKeywords(
  db: Database,
  wanted: ReadonlySet<string>,
): Promise<(numbers: string | null) => readonly string[]> {
  const keys = new Set<number>();
  for (const list of wanted) for (const key of numbersIn(list)) keys.add(key);
  const { rows } = await sql<{ keys: string | null; keywords: string[] | null }>`
    select array_agg(keyword_key)::text as keys, array_agg(keyword) as keywords
    from   (select k.keyword_key, k.keyword
            from   unnest(${`{${[...keys].join(",")}}`}::integer[]) as wanted (keyword_key)
            join   core.dim_keyword as k on k.keyword_key = wanted.keyword_key
            order  by k.keyword collate "C") as k`.execute(db);
  const [{ keys: numbers, keywords } = { keys: null, keywords: null }] = rows;
  const places = new Map(numbersIn(numbers ?? "{}").map((key, place) => [key, place]));
  const lists = new Map<string, readonly string[]>();
  return (list) => {
    if (list === null || keywords === null) return [];
    const known = lists.get(list);
    if (known !== undefined) return known;
    const own = Uint32Array.from(numbersIn(list), (key) => places.get(key) ?? 0).sort();
    const texts = Array.from(own, (place) => keywords[place] ?? "");
    lists.set(list, texts);
    return texts;
  };
}
