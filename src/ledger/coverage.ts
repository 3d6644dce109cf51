import { sql } from "../postgres/sql.ts";
import type { Day } from "../core/day.ts";
import { type Covered, type Scope, scopeKey } from "../core/slice.ts";
import type { Pages } from "../core/fetch-option.ts";
import type { Database } from "../postgres/database.ts";
import { itemsOf } from "./batches.ts";
import { readPacked, unpackedSlices, wantedScopes, type Wanted } from "./packed-slices.ts";
import { wasRefused } from "./refused-items.ts";
import { hashOfScope } from "./same-scope.ts";

/** Reads what was requested before, for some scopes at a time. */
export type CoverageReader = {
  /** By `scopeKey`, oldest first; scopes for which nothing was requested are left out. Slices of one batch share its array of items. */
  readonly read: (scopes: readonly Scope[]) => Promise<ReadonlyMap<string, readonly Covered[]>>;
  /** How many pages the last answers had, if that is known. */
  readonly lastPages?: (scopes: readonly Scope[]) => Promise<LastPages>;
  /** The first day whose slices are all read; some slices of earlier days are read too. All are read if left out. */
  readonly since?: Day;
  /** How many scopes may be read together, because little of each is kept; one part of a plan at a time if left out. */
  readonly scopesAtOnce?: number;
};

/**
 * Reads the coverage of one dataset; only windows that touch `within`, if given. With `finalDays`, final slices are read as the ranges of
 * days that they cover. `hasItems`: false if its requests name no items, so that none can have been refused. Keeps the lists of recent
 * batches.
 */
export function coverageReader(db: Database, dataset: string, within: Wanted, hasItems = true): CoverageReader {
  const lists = new Map<string, readonly string[]>();
  return {
    read: async (scopes) => {
      const rows = await readPacked(db, { dataset, within, scopes });
      if (lists.size > mostLists) lists.clear();
      const unknown = new Set(rows.flatMap(({ batch }) => (batch === null || lists.has(batch) ? [] : [batch])));
      for (const [batch, items] of await itemsOf(db, [...unknown])) lists.set(batch, items);
      const found = new Map<string, readonly Covered[]>();
      for (const [place, own] of Map.groupBy(rows, (row) => row.place)) {
        const scope = scopes[place];
        if (scope !== undefined) found.set(scopeKey(scope), unpackedSlices(scope, own, { lists, after: within.start }));
      }
      const { start } = within;
      if (start === undefined || !hasItems) return found;
      // a refusal may be older than the days that are read: without it the item would cause every later batch to be refused
      for (const slice of await readRefusals(db, { dataset, before: start, scopes })) {
        const key = scopeKey(slice.scope);
        found.set(key, [slice, ...(found.get(key) ?? [])]);
      }
      return found;
    },
  };
}

/** Lists that are kept for other scopes that use them: a few megabytes. */
const mostLists = 5_000;

/**
 * Items that were refused alone in windows before a day, as slices without days: they change the state of no cell, but plans leave the
 * items out.
 */
async function readRefusals(
  db: Database,
  { dataset, before, scopes }: { dataset: string; before: Day; scopes: readonly Scope[] },
): Promise<readonly Covered[]> {
  const { rows } = await sql<Pick<Covered, "scope" | "operation" | "asOf" | "fingerprint"> & { items: string[] }>`
    with wanted as materialized (${wantedScopes(scopes)})
    select w.scope, s.operation, b.items, s.as_of as "asOf", s.fingerprint
    from   wanted    as w
    join   ops.slice_log as s on ${hashOfScope(sql`s.scope`)} = w.hash and s.scope = w.scope
    join   ops.slice_batch as b on b.batch_id = s.batch_id
    where  s.dataset = ${dataset} and ${wasRefused} and s.window_end <= ${before}::date and cardinality(b.items) = 1
    order  by s.slice_id`.execute(db);
  const window = { start: before, end: before };
  return rows.map((row) => ({ ...row, window, state: "skipped", refused: true }));
}

/** True if any slice of some datasets ended without data: empty, not available or refused. */
export async function hasAnyWithoutData(db: Database, datasets: readonly string[]): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from ops.slice_log where dataset = any (${[...datasets]}::text[]) and state in ('skipped', 'empty')) as found`.execute(
    db,
  );
  return rows[0]?.found === true;
}

/**
 * How many pages the longest of the answers about the newest days had, by `scopeKey` and then by operation. Scopes without answers are left
 * out.
 */
export type LastPages = ReadonlyMap<string, ReadonlyMap<string, Pages>>;

/** How many of the newest answers of a scope are read: enough to find each of its operations. */
const newestRead = 4;

/** Reads how many pages the last answers of a dataset had, for some scopes; with `whole`, only answers without a reject count. */
export async function readLastPages(
  db: Database,
  dataset: string,
  scopes: readonly Scope[],
  { whole = false }: { readonly whole?: boolean } = {},
): Promise<LastPages> {
  // the dataset is an expression: otherwise Postgres might scan the whole index on datasets for each scope
  const isAnswer = sql`${hashOfScope(sql`s.scope`)} = w.hash and s.scope = w.scope and s.dataset || '' = ${dataset}
        and    s.state in ('loaded', 'empty') and s.tail_of is null and not s.is_folded and (not ${whole}::boolean or s.rows_rejected = 0)`;
  const { rows } = await sql<{ scope: Scope; operation: string } & Pages>`
    with wanted as materialized (${wantedScopes(scopes)})
    select w.scope, last.operation, last.planned_requests as count, last.window_end - last.window_start as days
    from   wanted as w
    cross  join lateral (
      with newest as materialized (
        select s.operation, s.planned_requests, s.window_start, s.window_end, s.slice_id
        from   ops.slice_log as s
        where  ${isAnswer}
        order  by s.window_end desc, s.slice_id desc
        limit  ${newestRead}
      )
      select * from newest
      union  all
      -- the newest answer about days before these: new days and restated days may be separate requests, and the newest answers may all be about new days
      (select s.operation, s.planned_requests, s.window_start, s.window_end, s.slice_id
       from   ops.slice_log as s
       where  ${isAnswer} and s.window_end <= (select max(window_start) from newest)
       order  by s.window_end desc, s.slice_id desc
       limit  1)
    ) as last
    -- the last row per operation is kept: the newest of the longest answers, since the page count of a short answer says little about a long one
    order  by days, last.window_end, last.slice_id`.execute(db);
  const found = new Map<string, Map<string, Pages>>();
  for (const { scope, operation, count, days } of rows) {
    const key = scopeKey(scope);
    const own = found.get(key) ?? new Map<string, Pages>();
    found.set(key, own.set(operation, { count, days }));
  }
  return found;
}
