import { sql } from "../postgres/sql.ts";
import { didYouMean } from "../config/did-you-mean.ts";
import { fail } from "../core/errors.ts";
import type { Database } from "../postgres/database.ts";
import type { Relation } from "./relation.ts";

/** The tables and views of `core` and `mart` and the views of `ops`, in order of their names. Monthly partitions are part of their table. */
export async function readRelations(db: Database): Promise<readonly Relation[]> {
  const { rows } = await sql<Relation>`
    select n.nspname || '.' || c.relname as name, n.nspname as schema, c.relname as table, c.relkind in ('v', 'm') as "isView",
           coalesce(obj_description(c.oid, 'pg_class'), '') as comment,
           (select coalesce(json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod),
                     'comment', coalesce(col_description(c.oid, a.attnum), ''), 'isNullable', not a.attnotnull) order by a.attnum), '[]')
            from   pg_catalog.pg_attribute as a
            where  a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
           (select coalesce(json_agg(a.attname order by k.place), '[]')
            from   pg_catalog.pg_constraint as p
            cross  join lateral unnest(p.conkey) with ordinality as k (attnum, place)
            join   pg_catalog.pg_attribute as a on a.attrelid = p.conrelid and a.attnum = k.attnum
            where  p.conrelid = c.oid and p.contype = 'p') as key,
           (select coalesce(json_agg(json_build_object('column', a.attname, 'to', fn.nspname || '.' || fc.relname, 'toColumn', fa.attname)
                     order by a.attnum, fc.relname), '[]')
            from   pg_catalog.pg_constraint as f
            join   pg_catalog.pg_attribute as a on a.attrelid = f.conrelid and a.attnum = f.conkey[1]
            join   pg_catalog.pg_class as fc on fc.oid = f.confrelid
            join   pg_catalog.pg_namespace as fn on fn.oid = fc.relnamespace
            join   pg_catalog.pg_attribute as fa on fa.attrelid = f.confrelid and fa.attnum = f.confkey[1]
            where  f.conrelid = c.oid and f.contype = 'f' and cardinality(f.conkey) = 1) as "foreignKeys",
           (select coalesce(json_agg(pg_get_constraintdef(k.oid) order by k.conname), '[]')
            from   pg_catalog.pg_constraint as k
            where  k.conrelid = c.oid and k.contype = 'c') as checks
    from   pg_catalog.pg_class as c
    join   pg_catalog.pg_namespace as n on n.oid = c.relnamespace
    where  not c.relispartition
    and    (n.nspname in ('core', 'mart') and c.relkind in ('r', 'p', 'v', 'm') or n.nspname = 'ops' and c.relkind in ('v', 'm'))
    order  by n.nspname collate "C", c.relname collate "C"`.execute(db);
  return rows;
}

/**
 * The tables and views that names mean: `mart.keyword_rank_daily`, the same without its schema, or a schema for all that is in it. Throws
 * `unknown_table` with the nearest name, and a UsageError where a name without its schema is in two of them.
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
    throw fail("bad_argument", { table: name, problem: `both ${both} have this name: write the schema before it` });
  }
  const within = all.filter(({ schema }) => schema === name);
  if (within.length > 0) return within;
  const known = name.includes(".") ? all.map((one) => one.name) : all.flatMap(({ schema, table }) => [schema, table]);
  throw fail("unknown_table", { table: name, near: didYouMean(name, [...new Set(known)]) });
}
