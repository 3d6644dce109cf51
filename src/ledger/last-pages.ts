import { sql } from "kysely";
import { scopeKey, type Scope } from "../core/slice.ts";
import type { Pages } from "../core/way.ts";
import type { Database } from "../warehouse/database.ts";

/** How many pages the answers about the newest days had, by `scopeKey` and then by operation; scopes without any are left out. */
export type LastPages = ReadonlyMap<string, ReadonlyMap<string, Pages>>;

/** Answers of a scope that are looked at: enough to find each of its operations. */
const lookedAt = 4;

/** Reads how many pages the last answers of a dataset had, for some scopes. */
export async function readLastPages(db: Database, dataset: string, scopes: readonly Scope[]): Promise<LastPages> {
  const { rows } = await sql<{ scope: Scope; operation: string } & Pages>`
    with wanted as materialized (
      select text::jsonb as scope, hashtextextended(text::jsonb::text, 0) as hash
      from   unnest(${scopes.map((scope) => JSON.stringify(scope))}::text[]) as text
    )
    select w.scope, last.operation, last.planned_requests as count, last.window_end - last.window_start as days
    from   wanted as w
    cross  join lateral (
      select s.operation, s.planned_requests, s.window_start, s.window_end, s.slice_id
      from   ops.slice as s
      -- as an expression, or the index on datasets might be read from end to end for each scope
      where  hashtextextended(s.scope::text, 0) = w.hash and s.scope = w.scope and s.dataset || '' = ${dataset}
      and    s.state in ('loaded', 'empty')
      order  by s.window_end desc
      limit  ${lookedAt}
    ) as last
    order  by last.window_end, last.slice_id`.execute(db);
  const found = new Map<string, Map<string, Pages>>();
  for (const { scope, operation, count, days } of rows) {
    const key = scopeKey(scope);
    const own = found.get(key) ?? new Map<string, Pages>();
    found.set(key, own.set(operation, { count, days }));
  }
  return found;
}
