import { sql, type SqlFragment } from "../postgres/sql.ts";
import { equal, list, type Staged } from "./statements.ts";

/**
 * The statements that bring a history up to a day: close what left or changed, open what is new, refresh the rest.
 * A row that would begin and end on the same day was never valid, so it is deleted. An answer that is older than the rows of the scope, or
 * about a day before the last change of its history, is left out.
 *
 * An answer with invalid items (`complete` false) does not show which members left: those that it does not name become unknown
 * (`is_current` null, without an end) until an answer names them again or is complete. An answer without a valid row changes nothing.
 */
export function historyStatements(
  versioned: readonly string[],
  staged: Staged,
  complete: boolean,
): readonly SqlFragment[] {
  const { target, key, columns, source, inScope, sliceId, fetchedAt, day } = staged;
  const carried = columns.filter((column) => !key.includes(column));
  const passed = sql`select from ${target} as t where ${inScope} and (t.valid_from > ${day} or t.valid_to > ${day})`;
  const fresh = sql`${staged.fresh} and not exists (${passed})`;
  const isOpen = sql`t.valid_to is null`;
  // `not in` is hashed regardless of the statistics, and neither side is ever null: keys never are, and neither is a row as text
  const identity = (alias: string) =>
    versioned.length > 0 ? sql`${list(key, alias)}, row(${list(versioned, alias)})::text` : sql`${list(key, alias)}`;
  const isAbsent = sql`(${list(key, "t")}) not in (select ${list(key, "s")} from ${source} as s)`;
  const isOther = sql`(${identity("t")}) not in (select ${identity("s")} from ${source} as s)`;
  const gone = complete ? isOther : sql`${isOther} and not (${isAbsent})`;
  const closing = [
    sql`delete from ${target} as t where ${inScope} and ${isOpen} and t.valid_from = ${day} and ${fresh} and ${gone}`,
    sql`
      update ${target} as t set valid_to = ${day}, is_current = false, slice_id = ${sliceId}, fetched_at = ${fetchedAt}
      where  ${inScope} and ${isOpen} and t.valid_from < ${day} and ${fresh} and ${gone}`,
  ];
  const doubting = sql`
      update ${target} as t set is_current = null, slice_id = ${sliceId}, fetched_at = ${fetchedAt}
      where  ${inScope} and t.is_current and ${fresh} and ${isAbsent} and exists (select from ${source} as s)`;
  const opening = sql`
      insert into ${target} (${list(columns)}, valid_from, valid_to, is_current, slice_id, fetched_at)
      select ${list(columns, "s")}, ${day}, null, true, ${sliceId}, ${fetchedAt}
      from   ${source} as s
      where  (${list(key, "s")}) not in (select ${list(key, "t")} from ${target} as t where ${inScope} and ${isOpen}) and ${fresh}`;
  const refresh = carried.map((column) => sql`${sql.id(column)} = ${sql.id("s", column)}`);
  const differs =
    carried.length > 0 ? sql`(${list(carried, "t")}) is distinct from (${list(carried, "s")})` : sql`false`;
  const renewing = sql`
      update ${target} as t set ${sql.join([...refresh, sql`is_current = true`, sql`slice_id = ${sliceId}`, sql`fetched_at = ${fetchedAt}`])}
      from   ${source} as s
      where  ${isOpen} and ${equal(key, "t", "s")} and ${fresh} and (t.is_current is null or ${differs})`;
  return [...closing, ...(complete ? [] : [doubting]), opening, renewing];
}
