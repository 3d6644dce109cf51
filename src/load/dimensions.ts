import { sql } from "../postgres/sql.ts";
import { cleanText } from "../core/text.ts";
import { arrayLiteral, type DimensionKind } from "./columns.ts";
import type { Database } from "../postgres/database.ts";
import { isLostConnection } from "../postgres/database-errors.ts";

/** Looks up the integer keys of dimensions and makes the rows that are missing. Keys never change, so they are cached. */
export interface Dimensions {
  /**
   * Makes sure that every name has a key; null if each is known to have one, so that nobody waits. Runs outside the transaction of the
   * load: a key without facts does no harm.
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

  // names that are missing while a look-up is under way are looked up together after it: concurrent answers mostly lack the same names
  const waiting = new Map<DimensionKind, { readonly names: Set<string>; readonly found: Promise<void> }>();
  let lookingUp: Promise<unknown> = Promise.resolve();

  function learn(kind: DimensionKind, names: Iterable<string>): Promise<void> | null {
    const keys = known[kind];
    let unknown: Set<string> | null = null;
    for (const name of names) if (!keys.has(name)) (unknown ??= new Set()).add(name);
    return unknown === null ? null : learnUnknown(kind, unknown);
  }

  async function learnUnknown(kind: DimensionKind, names: ReadonlySet<string>): Promise<void> {
    const shared = waiting.get(kind) ?? queueLookUp(kind);
    for (const name of names) shared.names.add(name);
    // a name that Postgres refuses fails only its own answer
    await shared.found.catch((error: unknown) => {
      if (isLostConnection(error)) throw error;
      return lookUp(kind, names);
    });
    for (const name of names)
      if (!known[kind].has(name)) throw new Error(`dimension ${kind} has no key for a name that was just learned`);
  }

  function queueLookUp(kind: DimensionKind) {
    const names = new Set<string>();
    const found = lookingUp.then(() => {
      waiting.delete(kind);
      return lookUp(kind, names);
    });
    lookingUp = found.catch(() => undefined);
    const shared = { names, found };
    waiting.set(kind, shared);
    return shared;
  }

  async function lookUp(kind: DimensionKind, names: ReadonlySet<string>): Promise<void> {
    const missing = [...names].filter((name) => !known[kind].has(name)).sort();
    if (missing.length === 0) return;
    // a name that Postgres cannot hold shares the key of its cleaned form
    const clean = missing.map(cleanText);
    const found = await keysOf(db, kind, [...new Set(clean)]);
    for (const [index, name] of missing.entries()) {
      const key = found.get(clean[index] ?? name);
      if (key !== undefined) known[kind].set(name, key);
    }
  }

  function keyOf(kind: DimensionKind, name: string): number {
    const key = known[kind].get(name);
    if (key === undefined) throw new Error(`dimension ${kind} has no key for a name that was not learned before`);
    return key;
  }

  return { learn, keyOf };
}

/** SQL: a barrier, so that each name is found by the index: a join might read and sort all apps ever seen. */
const byIndex = sql`offset 0`;

/** How names of a dimension are found, and how missing ones are made. */
type Resolver = {
  readonly find: (names: string) => ReturnType<typeof sql<Found>>;
  readonly make?: (names: string) => ReturnType<typeof sql>;
};

const resolvers: Record<DimensionKind, Resolver> = {
  app: {
    find: (names) => sql<Found>`
      select wanted.name, a.app_key as key
      from   unnest(${names}::text[]) as wanted (name)
      cross  join lateral (select app_key from core.dim_app
                           where  store = split_part(name, ':', 1) and track_id = substr(name, strpos(name, ':') + 1) ${byIndex}) as a`,
    make: (names) => sql`
      insert into core.dim_app (store, track_id)
      select split_part(name, ':', 1), substr(name, strpos(name, ':') + 1)
      from   unnest(${names}::text[]) with ordinality as wanted (name, position)
      order  by position
      on conflict do nothing`,
  },
  keyword: {
    find: (names) =>
      sql<Found>`select keyword as name, keyword_key as key from core.dim_keyword where keyword = any (${names}::text[])`,
    make: (names) => sql`
      insert into core.dim_keyword (keyword)
      select keyword from unnest(${names}::text[]) with ordinality as wanted (keyword, position)
      order  by position
      on conflict do nothing`,
  },
  country: {
    find: (names) =>
      sql<Found>`select country_code as name, country_key as key from core.dim_country where country_code = any (${names}::text[])`,
    make: (names) => sql`
      insert into core.dim_country (country_key, country_code, alpha3_code, country_name, region, subregion)
      select 1000 + (ascii(code) - 65) * 26 + ascii(substr(code, 2)) - 65, code, code, code, 'Unknown', 'Unknown'
      from   unnest(${names}::text[]) as code
      where  code ~ '^[A-Z]{2}$'
      on conflict do nothing`,
  },
  device: { find: () => sql<Found>`select device_code as name, device_key as key from core.dim_device` },
};

/** The keys of names, after missing ones were made; names that cannot have a key are left out. */
async function keysOf(
  db: Database,
  kind: DimensionKind,
  names: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { find, make } = resolvers[kind];
  const found = new Map<string, number>();
  const findAll = async (wanted: readonly string[]) => {
    for (const { name, key } of (await find(arrayLiteral("text", wanted)).execute(db)).rows) found.set(name, key);
  };
  await findAll(names);
  const missing = names.filter((name) => !found.has(name));
  if (missing.length === 0 || make === undefined) return found;
  await make(arrayLiteral("text", missing)).execute(db);
  // a separate statement, so that it sees rows that another worker has just made
  await findAll(missing);
  return found;
}
