import { sql } from "../postgres/sql.ts";
import { cleanText } from "../core/text.ts";
import { arrayLiteral, type DimensionKind } from "./columns.ts";
import type { Database } from "../postgres/database.ts";

/** Looks up the integer keys of dimensions and makes the rows that are missing. Keys never change, so what was found is kept. */
export interface Dimensions {
  /**
   * Makes sure that every name has a key; null where each has one, so that nobody waits. Runs outside the load's transaction: a key
   * without facts does no harm.
   */
  learn(kind: DimensionKind, names: Iterable<string>): Promise<void> | null;
  /** The key of a name that was learned. */
  keyOf(kind: DimensionKind, name: string): number;
}

type Found = { readonly name: string; readonly key: number };

/** Opens the dimensions of a warehouse. */
export function createDimensions(db: Database): Dimensions {
  const known: Record<DimensionKind, Map<string, number>> = {
    app: new Map(),
    keyword: new Map(),
    country: new Map(),
    device: new Map(),
  };

  let lookingUp: Promise<void> = Promise.resolve();

  function learn(kind: DimensionKind, names: Iterable<string>): Promise<void> | null {
    const keys = known[kind];
    let unknown: Set<string> | null = null;
    for (const name of names) if (!keys.has(name)) (unknown ??= new Set()).add(name);
    if (unknown === null) return null;
    const wanted = unknown;
    // one after the other: slices that start together mostly lack the same names
    const mine = lookingUp.then(() => lookUp(kind, wanted));
    lookingUp = mine.catch(() => undefined);
    return mine;
  }

  async function lookUp(kind: DimensionKind, names: ReadonlySet<string>): Promise<void> {
    const missing = [...names].filter((name) => !known[kind].has(name)).sort();
    if (missing.length === 0) return;
    // a name that Postgres cannot hold shares the key of its cleaned form
    const clean = missing.map(cleanText);
    const found = new Map((await resolvers[kind](db, [...new Set(clean)])).map(({ name, key }) => [name, key]));
    for (const [index, name] of missing.entries()) {
      const key = found.get(clean[index] ?? name);
      if (key === undefined) throw new Error(`dimension ${kind} has no key for a name that was just learned`);
      known[kind].set(name, key);
    }
  }

  function keyOf(kind: DimensionKind, name: string): number {
    const key = known[kind].get(name);
    if (key === undefined) throw new Error(`dimension ${kind} has no key for a name that was not learned before`);
    return key;
  }

  return { learn, keyOf };
}

const resolvers: Record<DimensionKind, (db: Database, names: readonly string[]) => Promise<readonly Found[]>> = {
  app: async (db, names) => {
    const list = arrayLiteral("text", names);
    const insert = sql`
      insert into core.dim_app (store, track_id)
      select split_part(name, ':', 1), substr(name, strpos(name, ':') + 1)
      from   unnest(${list}::text[]) with ordinality as wanted (name, position)
      where  not exists (select from core.dim_app as a
                         where a.store = split_part(name, ':', 1) and a.track_id = substr(name, strpos(name, ':') + 1))
      order  by position
      on conflict do nothing`;
    const select = sql<Found>`
      select wanted.name, a.app_key as key
      from   unnest(${list}::text[]) as wanted (name)
      join   core.dim_app as a on a.store = split_part(name, ':', 1) and a.track_id = substr(name, strpos(name, ':') + 1)`;
    return insertThenSelect(db, insert, select);
  },
  keyword: async (db, names) => {
    const list = arrayLiteral("text", names);
    const insert = sql`
      insert into core.dim_keyword (keyword)
      select keyword from unnest(${list}::text[]) with ordinality as wanted (keyword, position)
      where  not exists (select from core.dim_keyword as k where k.keyword = wanted.keyword)
      order  by position
      on conflict do nothing`;
    const select = sql<Found>`select keyword as name, keyword_key as key from core.dim_keyword where keyword = any (${list}::text[])`;
    return insertThenSelect(db, insert, select);
  },
  country: async (db, names) => {
    const unknown = arrayLiteral("text", names);
    const insert = sql`
      insert into core.dim_country (country_key, country_code, alpha3_code, country_name, region, subregion)
      select 1000 + (ascii(code) - 65) * 26 + ascii(substr(code, 2)) - 65, code, code, code, 'Unknown', 'Unknown'
      from   unnest(${unknown}::text[]) as code
      where  code ~ '^[A-Z]{2}$' and not exists (select from core.dim_country as c where c.country_code = code)
      on conflict do nothing`;
    const select = sql<Found>`select country_code as name, country_key as key from core.dim_country where country_code = any (${unknown}::text[])`;
    return insertThenSelect(db, insert, select);
  },
  device: async (db) =>
    (await sql<Found>`select device_code as name, device_key as key from core.dim_device`.execute(db)).rows,
};

async function insertThenSelect(
  db: Database,
  insert: ReturnType<typeof sql>,
  select: ReturnType<typeof sql<Found>>,
): Promise<readonly Found[]> {
  await insert.execute(db);
  // a second statement, so that it sees rows which another worker has just made
  return (await select.execute(db)).rows;
}
