import { sql } from "../postgres/sql.ts";
import type { Pool, QueryConfig } from "pg";
import type { Database } from "../postgres/database.ts";

/** A column as Postgres has it. `type` is the type's own name; `key` is set where a single-column key stands on it. */
export type CatalogueColumn = {
  readonly name: string;
  readonly type: string;
  readonly comment: string | null;
  readonly key: "primary" | { readonly schema: string; readonly table: string; readonly column: string } | null;
};

/** A table or view that BI tools read. */
export type CatalogueTable = {
  readonly schema: string;
  readonly name: string;
  readonly comment: string | null;
  readonly columns: readonly CatalogueColumn[];
};

/** The schemas that Metabase is shown. */
export const shownSchemas = ["mart", "core", "ops"] as const;

/** Reads the tables and views that the reader role sees: all of mart and core, the views of ops, no partitions. */
export async function readCatalogue(db: Database): Promise<readonly CatalogueTable[]> {
  const { rows } = await sql<CatalogueTable>`
    select n.nspname as schema, c.relname as name, obj_description(c.oid, 'pg_class') as comment,
           (select jsonb_agg(jsonb_build_object('name', a.attname, 'type', t.typname, 'comment', col_description(c.oid, a.attnum), 'key', k.key)
                             order by a.attnum)
            from   pg_catalog.pg_attribute as a
            join   pg_catalog.pg_type      as t on t.oid = a.atttypid
            left   join lateral (
              select case o.contype when 'p' then to_jsonb('primary'::text)
                       else jsonb_build_object('schema', fn.nspname, 'table', fc.relname, 'column', fa.attname) end as key
              from   pg_catalog.pg_constraint as o
              left   join pg_catalog.pg_class     as fc on fc.oid = o.confrelid
              left   join pg_catalog.pg_namespace as fn on fn.oid = fc.relnamespace
              left   join pg_catalog.pg_attribute as fa on fa.attrelid = o.confrelid and fa.attnum = o.confkey[1]
              where  o.conrelid = c.oid and o.contype in ('p', 'f') and o.conkey = array[a.attnum]
              order  by o.contype = 'f' desc
              limit  1) as k on true
            where  a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns
    from   pg_catalog.pg_class     as c
    join   pg_catalog.pg_namespace as n on n.oid = c.relnamespace
    where  not c.relispartition and c.relname not like 'migration%'
    and    (n.nspname in ('mart', 'core') and c.relkind in ('r', 'p', 'v', 'm') or n.nspname = 'ops' and c.relkind in ('v', 'm'))
    order  by n.nspname, c.relname`.execute(db);
  return rows;
}

/** The names of the columns that a query answers with; it is planned, and no row of it is read. */
export async function columnsOf(pool: Pool, query: string): Promise<readonly string[]> {
  // the extended protocol takes one statement and no more
  const described: QueryConfig & { queryMode: string } = {
    text: `select * from (${query}\n) as q limit 0`,
    queryMode: "extended",
  };
  const { fields } = await pool.query(described);
  return fields.map(({ name }) => name);
}
