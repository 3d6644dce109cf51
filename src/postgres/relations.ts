import type { Database } from "./database.ts";
import { martShapes } from "./mart-shapes.ts";
import { sql } from "./sql.ts";

/**
 * A column as in the catalogue: `type` as Postgres writes it, `numeric(10,2)` or `timestamp with time zone`. In a view only key columns may
 * be known not to be null.
 */
export type Column = {
  readonly name: string;
  readonly type: string;
  readonly comment: string;
  readonly isNullable: boolean;
};

/** A column that names a row of another table. `to` with its schema. */
type ForeignKey = { readonly column: string; readonly to: string; readonly toColumn: string };

/** A table or view that analysts read. `name` with its schema. */
export type Relation = {
  readonly name: string;
  readonly schema: string;
  readonly table: string;
  readonly isView: boolean;
  readonly comment: string;
  readonly columns: readonly Column[];
  /** Columns of the primary key in its order, or of the declared key of a mart; none for other views. */
  readonly key: readonly string[];
  readonly foreignKeys: readonly ForeignKey[];
  /** Conditions that hold for every row, as Postgres writes them. */
  readonly checks: readonly string[];
};

/** The tables and views of `core` and `mart` and the views of `ops`, by name. Monthly partitions are part of their table. */
export async function readRelations(db: Database): Promise<readonly Relation[]> {
  const { rows } = await sql<Relation>`
    select n.nspname || '.' || c.relname as name, n.nspname as schema, c.relname as table, c.relkind in ('v', 'm') as "isView",
           coalesce(obj_description(c.oid, 'pg_class'), '') as comment,
           coalesce(own.columns, '[]') as columns,
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
    -- joined as a whole: col_description() would read thousands of comments one by one
    left   join (select a.attrelid, json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod),
                          'comment', coalesce(d.description, ''), 'isNullable', not a.attnotnull) order by a.attnum) as columns
                 from   pg_catalog.pg_class as r
                 join   pg_catalog.pg_namespace as rn on rn.oid = r.relnamespace and rn.nspname in ('core', 'mart', 'ops')
                 join   pg_catalog.pg_attribute as a on a.attrelid = r.oid
                 left   join pg_catalog.pg_description as d
                 on     d.classoid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.objoid = a.attrelid and d.objsubid = a.attnum
                 where  r.relkind in ('r', 'p', 'v', 'm')
                 and    a.attnum > 0 and not a.attisdropped
                 group  by a.attrelid) as own on own.attrelid = c.oid
    where  not c.relispartition
    and    (n.nspname in ('core', 'mart') and c.relkind in ('r', 'p', 'v', 'm') or n.nspname = 'ops' and c.relkind in ('v', 'm'))
    order  by n.nspname collate "C", c.relname collate "C"`.execute(db);
  return rows.map((relation) => (relation.schema === "mart" ? withDeclaredKey(relation) : relation));
}

function withDeclaredKey(relation: Relation): Relation {
  const shape = martShapes[relation.table];
  if (shape === undefined) return relation;
  const { key, nullable = [] } = shape;
  const isKnown = (name: string) => key.includes(name) && !nullable.includes(name);
  const columns = relation.columns.map((column) => (isKnown(column.name) ? { ...column, isNullable: false } : column));
  return { ...relation, key, columns };
}
