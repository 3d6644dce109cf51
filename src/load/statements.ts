import { sql, type SqlFragment } from "../postgres/sql.ts";
import type { Ranked } from "./table.ts";

/** What the statements of a load are made of. */
export type Staged = {
  readonly target: SqlFragment;
  readonly columns: readonly string[];
  readonly key: readonly string[];
  /** `(select ... from unnest(...))`: the rows with their keys looked up, sorted by key. */
  readonly source: SqlFragment;
  /** `t.scope = value and ...` for the rows that the load replaces. */
  readonly inScope: SqlFragment;
  /** True unless a newer answer wrote the scope. */
  readonly fresh: SqlFragment;
  /** The column of the days, if the scope covers several; null if it covers one, or none. */
  readonly daysOf: string | null;
  readonly sliceId: SqlFragment;
  readonly fetchedAt: SqlFragment;
  readonly day: SqlFragment;
};

/** `a.x, a.y` or `x, y`. */
export function list(columns: readonly string[], alias?: string): SqlFragment {
  return sql.join(columns.map((column) => (alias === undefined ? sql.id(column) : sql.id(alias, column))));
}

/** `a.x = b.x and a.y = b.y`. */
export function equal(columns: readonly string[], a: string, b: string): SqlFragment {
  return sql.join(
    columns.map((column) => sql`${sql.id(a, column)} = ${sql.id(b, column)}`),
    sql` and `,
  );
}

/** True for members `t` of the scope that the newer answer no longer names. `not in` is hashed regardless of the statistics; keys are never null. */
export function isGone(staged: Staged): SqlFragment {
  const { key, source, inScope } = staged;
  return sql`${inScope} and ${isFresh(staged, "t")} and (${list(key, "t")}) not in (select ${list(key, "s")} from ${source} as s)`;
}

/** True for members `t` of the scope that are not among the rows, on a day that some row is about. */
export function isReplaced(staged: Staged): SqlFragment {
  return sql`${isGone(staged)} and ${isReported(staged)}`;
}

/** True for rows `t` of a day that some row of the answer is about. */
export function isReported({ daysOf, source: rows }: Staged): SqlFragment {
  const sameDay = daysOf === null ? sql`true` : sql`${sql.id("s", daysOf)} = ${sql.id("t", daysOf)}`;
  return sql`exists (select from ${rows} as s where ${sameDay})`;
}

/** Deletes members `t` of the scope. */
export function deletion({ target }: Staged, gone: SqlFragment): SqlFragment {
  return sql`delete from ${target} as t where ${gone}`;
}

/**
 * The same for days that the answer reports. Its rows of those days count as received with it, changed or not: an answer older than the
 * deletion is then older than they are, and restores no member.
 */
export function removal(staged: Staged, gone: SqlFragment): SqlFragment {
  const { target, inScope, key, source, daysOf, sliceId, fetchedAt } = staged;
  const dayOf = (alias: string) => (daysOf === null ? sql`true` : sql.id(alias, daysOf));
  return sql`
    with gone as (${deletion(staged, gone)} returning ${dayOf("t")} as day)
    update ${target} as t set slice_id = ${sliceId}, fetched_at = ${fetchedAt}
    from   ${source} as s
    where  ${inScope} and ${equal(key, "t", "s")} and ${dayOf("s")} in (select day from gone)`;
}

/** True for members `t` of the scope that are not among the rows, on a day for which the rows come from another source. */
export function isOfOtherSource(staged: Staged, source: string): SqlFragment {
  const { daysOf, source: rows } = staged;
  const sameDay = daysOf === null ? sql`true` : sql`${sql.id("s", daysOf)} = ${sql.id("t", daysOf)}`;
  return sql`${isGone(staged)} and exists (
    select from ${rows} as s where ${sameDay} and ${sql.id("s", source)} is distinct from ${sql.id("t", source)})`;
}

/** True for a row that no newer answer has written; decided day by day if the scope covers several days. */
export function isFresh({ target, inScope, fresh, daysOf, fetchedAt }: Staged, alias: string): SqlFragment {
  if (daysOf === null) return fresh;
  return sql`${sql.id(alias, daysOf)} not in (
    select ${sql.id("t", daysOf)} from ${target} as t where ${inScope} and t.fetched_at > ${fetchedAt})`;
}

/** Rows with their keys looked up, and which slice loads them and when its answer came. */
export type Merging = Pick<Staged, "target" | "columns" | "key" | "source" | "sliceId" | "fetchedAt"> & {
  readonly ranked?: Ranked | undefined;
  /** True where its rows give way to those that are there. */
  readonly isOutdated?: boolean;
};

/** The rank of a row's source: 1 for the worst, 0 for a row without one. */
export function rankOf({ column, sources }: Ranked, alias: string): SqlFragment {
  return sql`coalesce(array_position(${sources}::text[], ${sql.id(alias, column)}::text), 0)`;
}

/**
 * True if a row `s` differs from the stored row `t`, does not come from a worse source, and is not older or comes from a better one; never
 * for outdated rows. `alias` is the name of `s` if it has another.
 */
export function replaces({ columns, key, sliceId, fetchedAt, ranked, isOutdated }: Merging, alias = "s"): SqlFragment {
  if (isOutdated === true) return sql`false`;
  const values = columns.filter((column) => !key.includes(column));
  // rows that consist of their key keep the slice that fetched them first, in any order of loading
  if (values.length === 0) return sql`(t.fetched_at, t.slice_id) > (${fetchedAt}, ${sliceId}::bigint)`;
  const isLater = sql`(t.fetched_at is null or t.fetched_at <= ${fetchedAt})`;
  const wins =
    ranked === undefined
      ? isLater
      : sql`(${rankOf(ranked, "t")} < ${rankOf(ranked, alias)} or ${rankOf(ranked, "t")} = ${rankOf(ranked, alias)} and ${isLater})`;
  return sql`${wins} and (${list(values, "t")}) is distinct from (${list(values, alias)})`;
}

/**
 * The stored row `t` for each row `s`, for a lateral join. The barrier makes Postgres use the index of the key: if statistics say that the
 * table is empty, for instance after a vacuum during a long transaction that fills it, a join would read the whole table for each row.
 */
export function rowThere({ target, key }: Pick<Merging, "target" | "key">): SqlFragment {
  return sql`lateral (select * from ${target} as t where ${equal(key, "t", "s")} offset 0) as t`;
}

/** Inserts new rows, updates rows that differ and are not older, and neither writes nor locks the rest. */
export function mergeStatement(merging: Merging): SqlFragment {
  const { target, columns, key, source, sliceId, fetchedAt } = merging;
  const given = { ...merging, sliceId: sql`excluded.slice_id`, fetchedAt: sql`excluded.fetched_at` };
  return sql`
    insert into ${target} as t (${list(columns)}, slice_id, fetched_at)
    select ${list(columns, "s")}, ${sliceId}, ${fetchedAt}
    from   ${source} as s
    left   join ${rowThere(merging)} on true
    where  ${sql.id("t", key[0] ?? "")} is null or ${replaces(merging)}
    -- another worker may have written the row since
    on     conflict (${list(key)}) do update set ${written(merging)} where ${replaces(given, "excluded")}`;
}

/** `x = excluded.x, ...` for all columns but the key, including the slice and time of the row. */
export function written({ columns, key }: Pick<Merging, "columns" | "key">): SqlFragment {
  const values = [...columns.filter((column) => !key.includes(column)), "slice_id", "fetched_at"];
  return sql.join(values.map((column) => sql`${sql.id(column)} = ${sql.id("excluded", column)}`));
}
