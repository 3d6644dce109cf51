import type { Slice } from "../core/slice.ts";
import { sql, type SqlFragment } from "../postgres/sql.ts";

/*
 * Slices of a scope are found by the hash of its text, the first column of the indexes `slice_scope` and, for open slices, `slice_open`: it
 * is a tenth of the scope's size. Two scopes may share a hash, so the scopes themselves are compared too.
 */

/** SQL: true for rows, under these aliases, whose scopes have the same hash: what the index finds. */
export function hasSameHash(one: string, other: string): SqlFragment<boolean> {
  return sql<boolean>`${hashOfScope(sql.ref(`${one}.scope`))} = ${hashOfScope(sql.ref(`${other}.scope`))}`;
}

/** SQL: true for slices, under these aliases, of the same dataset and scope. */
export function hasSameScope(one: string, other: string): SqlFragment<boolean> {
  const [a, b] = [one, other].map((name) => sql`(${sql.ref(`${name}.dataset`)}, ${sql.ref(`${name}.scope`)})`);
  return sql<boolean>`${hasSameHash(one, other)} and ${a} = ${b}`;
}

/** SQL: true for slices of the same dataset and scope that request the same list of items, or none. */
export function hasSameList(one: string, other: string): SqlFragment<boolean> {
  const [a, b] = [one, other].map((name) => sql.ref(`${name}.batch_id`));
  return sql<boolean>`${hasSameScope(one, other)} and ${a} is not distinct from ${b}`;
}

/** SQL: true for the slices `s` of a dataset and scope. */
export function isOfScope({ dataset, scope }: Pick<Slice, "dataset" | "scope">): SqlFragment<boolean> {
  const own = sql`${JSON.stringify(scope)}::jsonb`;
  return sql<boolean>`${hashOfScope(sql`s.scope`)} = ${hashOfScope(own)} and s.dataset = ${dataset} and s.scope = ${own}`;
}

/** SQL: the hash of a scope. Written as in the index, which is not used otherwise. */
export function hashOfScope(scope: SqlFragment): SqlFragment<string> {
  return sql<string>`hashtextextended((${scope})::text, 0)`;
}
