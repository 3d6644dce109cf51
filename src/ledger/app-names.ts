import { sql } from "../postgres/sql.ts";
import type { Database } from "../postgres/database.ts";

/** Names of apps by `store:track id`, as last seen; apps without a known name are left out. */
export async function readAppNames(db: Database): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ app: string; name: string }>`
    select store || ':' || track_id as app, app_name as name from core.dim_app where app_name is not null`.execute(db);
  return new Map(rows.map(({ app, name }) => [app, name]));
}
