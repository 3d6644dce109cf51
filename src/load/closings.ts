import { sql } from "../postgres/sql.ts";
import type { Database } from "../postgres/database.ts";
import type { Dimensions } from "./dimensions.ts";
import { stage } from "./load.ts";
import type { ReadyLoad } from "./ready-load.ts";
import { list } from "./statements.ts";

/** How many members a history has in the scope of a load, now or on its day, and the keys of those that the load would close. */
export type Closings = { readonly current: number; readonly closing: readonly string[] };

/**
 * Reads which members of a history a load would close, including members whose state is unknown; writes nothing. For an outdated load: of
 * the members on its day, since a replay would close these.
 */
export async function closingsOf(db: Database, load: ReadyLoad, dimensions: Dimensions): Promise<Closings> {
  const { target, key, source, inScope, fresh, day } = stage(load, dimensions);
  const isPast = load.isOutdated === true;
  const isGone = sql`(${isPast ? sql`true` : fresh} and (${list(key, "t")}) not in (select ${list(key, "s")} from ${source} as s))`;
  const isMember = isPast
    ? sql`t.valid_from <= ${day} and (t.valid_to is null or t.valid_to > ${day})`
    : sql`t.valid_to is null`;
  const { rows } = await sql<Closings>`
    select count(*)::int as current,
           coalesce(array_agg(concat_ws(' ', ${list(key, "t")}) order by ${list(key, "t")}) filter (where ${isGone}), '{}') as closing
    from   ${target} as t
    where  ${inScope} and ${isMember}`.execute(db);
  return rows[0] as Closings;
}
