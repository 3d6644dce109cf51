import { sql, type SqlFragment } from "./sql.ts";

/** SQL: true if one of some names means an app, as `isAppNamed` decides; null or false for a row without an app. */
export function appNamed(
  names: readonly string[],
  { store, trackId }: { readonly store: SqlFragment; readonly trackId: SqlFragment },
): SqlFragment<boolean> {
  return sql<boolean>`(${trackId} = any (${[...names]}::text[]) or ${store} || ':' || ${trackId} = any (${[...names]}::text[]))`;
}
