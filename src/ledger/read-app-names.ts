import type { PartitionGroup } from "../core/partition-group.ts";
import type { Database } from "../postgres/database.ts";
import { sql } from "../postgres/sql.ts";

/** The names of these apps by `store:track id`, as last seen; apps without a known name are left out. */
export async function readAppNames(
  db: Database,
  apps: readonly Pick<PartitionGroup, "store" | "trackId">[],
): Promise<ReadonlyMap<string, string>> {
  const wanted = [...new Set(apps.flatMap(({ store, trackId }) => (trackId === null ? [] : `${store}:${trackId}`)))];
  const { rows } = await sql<{ app: string; name: string }>`
    select w.app, a.app_name as name
    from   unnest(${wanted}::text[]) as w (app)
    join   core.dim_app as a on a.store = split_part(w.app, ':', 1) and a.track_id = substr(w.app, strpos(w.app, ':') + 1)
    where  a.app_name is not null`.execute(db);
  return new Map(rows.map(({ app, name }) => [app, name]));
}
