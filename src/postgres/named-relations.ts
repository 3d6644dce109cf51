import { didYouMean } from "../core/did-you-mean.ts";
import { fail } from "../core/errors.ts";
import type { Relation } from "./relations.ts";

/**
 * The tables and views that names mean: `mart.keyword_rank_daily`, the same without its schema, or a schema for everything in it. Throws
 * `unknown_table` with the nearest name, and a UsageError if a name without its schema is in two of them.
 */
export function namedRelations(all: readonly Relation[], names: readonly string[]): readonly Relation[] {
  const found = names.flatMap((name) => named(all, name));
  return all.filter((relation) => found.includes(relation));
}

function named(all: readonly Relation[], name: string): readonly Relation[] {
  const found = all.filter((one) => one.name === name || one.table === name);
  if (found.length === 1) return found;
  if (found.length > 1) {
    const both = found.map((one) => one.name).join(" and ");
    throw fail("bad_argument", { table: name, problem: `both ${both} have this name: put the schema in front of it` });
  }
  const within = all.filter(({ schema }) => schema === name);
  if (within.length > 0) return within;
  const known = name.includes(".") ? all.map((one) => one.name) : all.flatMap(({ schema, table }) => [schema, table]);
  throw fail("unknown_table", { table: name, near: didYouMean(name, [...new Set(known)]) });
}
