import { sql } from "kysely";
import type { PortfolioApp, PortfolioCountry } from "../core/portfolio.ts";
import type { Store } from "../core/store.ts";
import type { Database } from "./database.ts";

type PortfolioRow = {
  store: Store;
  track_id: string;
  country_code: string | null;
  keyword_count: number | null;
  keywords: string[];
};

/**
 * What the account tracks, as last read: apps, their countries and keywords. Sorted by store, id, country, keyword. Only apps of these
 * track ids (or `store:trackId`) where some are named: a large account has millions of keywords.
 */
export async function readTracked(db: Database, only?: readonly string[]): Promise<readonly PortfolioApp[]> {
  const named = only?.map((app) => app.replace(/^(ios|android):/, "")) ?? null;
  const { rows } = await sql<PortfolioRow>`
    select a.store, a.track_id, c.country_code, n.keyword_count,
           coalesce(array_agg(k.keyword order by k.keyword collate "C") filter (where k.keyword is not null), '{}') as keywords
    from   core.tracked_app as t
    join   core.dim_app     as a on a.app_key = t.app_key
    left   join core.tracked_country as n on n.app_key = t.app_key and n.is_current
    left   join core.dim_country     as c on c.country_key = n.country_key
    left   join core.tracked_keyword as w on w.app_key = n.app_key and w.country_key = n.country_key and w.is_current
    left   join core.dim_keyword     as k on k.keyword_key = w.keyword_key
    where  t.is_current and (${named}::text[] is null or a.track_id = any (${named}::text[]))
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
