import type { Day } from "../core/day.ts";
import type { Store } from "../core/store.ts";
import type { Database } from "../postgres/database.ts";
import { sql } from "../postgres/sql.ts";

/** A country of a tracked app: how many keywords, and since when the account has had this many. */
type CountrySince = { readonly country: string; readonly keywords: number; readonly since: Day };

/** A competitor that the account names for an app, and since when. */
type CompetitorSince = {
  readonly store: Store;
  readonly trackId: string;
  readonly name: string | null;
  readonly since: Day;
};

/** An app that the account tracks, as last read. */
export type AppSince = {
  readonly store: Store;
  readonly trackId: string;
  readonly name: string | null;
  readonly since: Day;
  readonly countries: readonly CountrySince[];
  readonly competitors: readonly CompetitorSince[];
};

/** What the account tracks now and since when, in the order of stores and names. */
export async function readPortfolioSince(db: Database, account: string): Promise<readonly AppSince[]> {
  const { rows } = await sql<AppSince>`
    select a.store, a.track_id as "trackId", a.app_name as name, t.valid_from as since,
           coalesce((select json_agg(json_build_object('country', c.country_code, 'keywords', n.keyword_count, 'since', n.valid_from)
                                     order by c.country_code collate "C")
                     from   core.tracked_country as n join core.dim_country as c on c.country_key = n.country_key
                     where  n.app_key = t.app_key and n.account = t.account and n.valid_to is null), '[]') as countries,
           coalesce((select json_agg(json_build_object('store', o.store, 'trackId', o.track_id, 'name', o.app_name, 'since', k.valid_from)
                                     order by o.app_name, o.track_id)
                     from   core.tracked_competitor as k join core.dim_app as o on o.app_key = k.competitor_app_key
                     where  k.app_key = t.app_key and k.account = t.account and k.valid_to is null), '[]') as competitors
    from   core.tracked_app as t
    join   core.dim_app as a on a.app_key = t.app_key
    where  t.account = ${account} and t.valid_to is null
    order  by a.store desc, a.app_name, a.track_id`.execute(db);
  return rows;
}

/** A keyword that the account tracks, and since when. */
export type KeywordSince = { readonly keyword: string; readonly since: Day; readonly searchVolume: number | null };

/** The keywords that the account tracks for an app and country, as last read. */
export async function readKeywordsSince(
  db: Database,
  { account, trackId, country }: { readonly account: string; readonly trackId: string; readonly country: string },
): Promise<readonly KeywordSince[]> {
  const { rows } = await sql<KeywordSince>`
    select k.keyword, w.valid_from as since, w.search_volume::float8 as "searchVolume"
    from   core.tracked_keyword as w
    join   core.dim_app as a on a.app_key = w.app_key and a.track_id = ${trackId}
    join   core.dim_country as c on c.country_key = w.country_key and c.country_code = ${country}
    join   core.dim_keyword as k on k.keyword_key = w.keyword_key
    where  w.account = ${account} and w.valid_to is null
    order  by k.keyword collate "C"`.execute(db);
  return rows;
}

/** An app that the configuration lists, or a country of it, and the day on which a plan first found it there. */
export type ConfiguredSince = {
  readonly trackId: string;
  readonly name: string | null;
  /** Null for the app itself. */
  readonly country: string | null;
  readonly since: Day;
};

/** Since when the configuration lists the apps of an account and their countries. */
export async function readConfiguredSince(db: Database, account: string): Promise<readonly ConfiguredSince[]> {
  const { rows } = await sql<ConfiguredSince>`
    select m.track_id as "trackId", a.app_name as name, nullif(m.member, '') as country, m.valid_from as since
    from   core.configured_portfolio as m
    left   join core.dim_app as a on a.store = m.store and a.track_id = m.track_id
    where  m.account = ${account} and m.valid_to is null and m.part in ('app', 'country')
    order  by m.store desc, m.track_id, m.member`.execute(db);
  return rows;
}

/** The name of an app (null if unknown), and since when the configuration lists its keywords. */
export async function readConfiguredKeywords(
  db: Database,
  trackId: string,
  account: string,
): Promise<{ readonly name: string | null; readonly since: readonly Omit<KeywordSince, "searchVolume">[] }> {
  const named = await sql<{ name: string | null }>`
    select a.app_name as name from core.dim_app as a where a.track_id = ${trackId}`.execute(db);
  const { rows } = await sql<Omit<KeywordSince, "searchVolume">>`
    select m.member as keyword, m.valid_from as since
    from   core.configured_portfolio as m
    where  m.account = ${account} and m.track_id = ${trackId} and m.part = 'keyword' and m.valid_to is null
    order  by m.member collate "C"`.execute(db);
  return { name: named.rows[0]?.name ?? null, since: rows };
}
