import { sql } from "../postgres/sql.ts";
import type { Database } from "../postgres/database.ts";
import type { Dimensions } from "./dimensions.ts";
import { stage } from "./load.ts";
import type { ReadyLoad } from "./ready-load.ts";
import { list } from "./statements.ts";

/** How many members a history has in the scope of a load now, and the keys of those that the load would close. */
export type Closings = { readonly current: number; readonly closing: readonly string[] };

/** Reads which members of a history a load would close, including members whose state is unknown; writes nothing. */
export async function closingsOf(db: Database, load: ReadyLoad, dimensions: Dimensions): Promise<Closings> {
  const { target, key, source, inScope, fresh } = stage(load, dimensions);
  const isGone = sql`(${fresh} and (${list(key, "t")}) not in (select ${list(key, "s")} from ${source} as s))`;
  const { rows } = await sql<Closings>`
    select count(*)::int as current,
           coalesce(array_agg(concat_ws(' ', ${list(key, "t")}) order by ${list(key, "t")}) filter (where ${isGone}), '{}') as closing
    from   ${target} as t
    where  ${inScope} and t.valid_to is null`.execute(db);
  return rows[0] as Closings;
}
