import pg from "pg";
import { openGranted, tried } from "./granted-stage.ts";

/** A table or view as a BI tool sees it. */
export type SeenTable = {
  readonly schema: string;
  readonly name: string;
  readonly type: string;
  readonly remarks: string | null;
};

/** A column of one. */
export type SeenColumn = {
  readonly schema: string;
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly remarks: string | null;
};

/** A key of one: its own, or to another table's. */
export type SeenKey = {
  readonly schema: string;
  readonly table: string;
  readonly column: string;
  readonly place: number;
  readonly to: string | null;
};

/** What a driver's metadata calls return to a reader; the statements are those that the Postgres JDBC driver sends, as far as they select. */
export type Catalogue = AsyncDisposable & {
  readonly tables: () => Promise<readonly SeenTable[]>;
  readonly columns: () => Promise<readonly SeenColumn[]>;
  readonly primaryKeys: () => Promise<readonly SeenKey[]>;
  readonly importedKeys: () => Promise<readonly SeenKey[]>;
  /** Imported keys as a tool that walks information_schema finds them. */
  readonly walkedKeys: () => Promise<readonly SeenKey[]>;
  /** What Metabase takes for readable before it checks anything else. */
  readonly readable: () => Promise<readonly Pick<SeenTable, "schema" | "name">[]>;
  readonly query: (text: string) => Promise<readonly Record<string, unknown>[]>;
};

/** Opens a migrated database as the reader that `storehouse grants` makes. */
export async function openCatalogue(): Promise<Catalogue> {
  await using opened = new AsyncDisposableStack();
  const { urlOf } = opened.use(await openGranted());
  // what must not be seen has to be there
  await tried(urlOf("loader"), "select ops.make_partition('core.fact_keyword_rank', '2026-08-01')");
  const client = new pg.Client({ connectionString: urlOf("reader") });
  await client.connect();
  opened.defer(() => client.end());
  const stack = opened.move();
  const query = async (text: string) => (await client.query(text)).rows;
  return {
    query,
    tables: () => query(tables) as Promise<readonly SeenTable[]>,
    columns: () => query(columns) as Promise<readonly SeenColumn[]>,
    primaryKeys: () => query(primaryKeys) as Promise<readonly SeenKey[]>,
    importedKeys: () => query(importedKeys) as Promise<readonly SeenKey[]>,
    walkedKeys: () => query(walkedKeys) as Promise<readonly SeenKey[]>,
    readable: () => query(readable) as Promise<readonly Pick<SeenTable, "schema" | "name">[]>,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** A reader is shown what it may select from (the driver's hideUnprivilegedObjects), in schemas that it may use. */
const may = `has_schema_privilege(n.oid, 'USAGE') and has_table_privilege(c.oid, 'SELECT')
  and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'`;

const tables = `
  select n.nspname as schema, c.relname as name,
         case c.relkind when 'r' then 'TABLE' when 'p' then 'PARTITIONED TABLE' when 'v' then 'VIEW' when 'm' then 'MATERIALIZED VIEW' end as type, d.description as remarks
  from   pg_catalog.pg_namespace as n, pg_catalog.pg_class as c
  left   join pg_catalog.pg_description as d on c.oid = d.objoid and d.objsubid = 0 and d.classoid = 'pg_class'::regclass
  where  c.relnamespace = n.oid and c.relkind in ('r', 'p', 'v', 'm', 'f') and ${may}
  order  by 3, 1, 2`;

const columns = `
  select q.nspname as schema, q.relname as table, q.attname as name, q.type, q.description as remarks
  from   (select n.nspname, c.relname, a.attname, row_number() over (partition by a.attrelid order by a.attnum) as attnum,
                 pg_catalog.format_type(a.atttypid, null) as type, dsc.description
          from   pg_catalog.pg_namespace as n
          join   pg_catalog.pg_class as c on c.relnamespace = n.oid
          join   pg_catalog.pg_attribute as a on a.attrelid = c.oid
          join   pg_catalog.pg_type as t on a.atttypid = t.oid
          left   join pg_catalog.pg_attrdef as def on a.attrelid = def.adrelid and a.attnum = def.adnum
          left   join pg_catalog.pg_description as dsc on c.oid = dsc.objoid and a.attnum = dsc.objsubid and dsc.classoid = 'pg_class'::regclass
          where  c.relkind in ('r', 'p', 'v', 'f', 'm') and a.attnum > 0 and not a.attisdropped and ${may}) as q
  order  by 1, 2, q.attnum`;

const primaryKeys = `
  select result.schema, result.table, result.column, result.place, null as to
  from   (select n.nspname as schema, ct.relname as table, a.attname as column, (information_schema._pg_expandarray(i.indkey)).n as place,
                 information_schema._pg_expandarray(i.indkey) as keys, a.attnum as a_attnum
          from   pg_catalog.pg_class as ct
          join   pg_catalog.pg_attribute as a on ct.oid = a.attrelid
          join   pg_catalog.pg_namespace as n on ct.relnamespace = n.oid
          join   pg_catalog.pg_index as i on a.attrelid = i.indrelid
          where  i.indisprimary and n.nspname in ('core', 'mart')) as result
  where  result.a_attnum = (result.keys).x
  order  by 1, 2, 4`;

const importedKeys = `
  select fkn.nspname as schema, fkc.relname as table, fka.attname as column, pos.n as place, pkn.nspname || '.' || pkc.relname || '.' || pka.attname as to
  from   pg_catalog.pg_namespace as pkn, pg_catalog.pg_class as pkc, pg_catalog.pg_attribute as pka,
         pg_catalog.pg_namespace as fkn, pg_catalog.pg_class as fkc, pg_catalog.pg_attribute as fka,
         pg_catalog.pg_constraint as con, pg_catalog.generate_series(1, 32) as pos (n), pg_catalog.pg_class as pkic
  where  pkn.oid = pkc.relnamespace and pkc.oid = pka.attrelid and pka.attnum = con.confkey[pos.n] and con.confrelid = pkc.oid
  and    fkn.oid = fkc.relnamespace and fkc.oid = fka.attrelid and fka.attnum = con.conkey[pos.n] and con.conrelid = fkc.oid
  and    con.contype = 'f' and pkic.relkind in ('i', 'I') and pkic.oid = con.conindid and fkn.nspname in ('core', 'mart')
  order  by 1, 2, con.conname, 4`;

const walkedKeys = `
  select f.table_schema as schema, f.table_name as table, f.column_name as column, f.ordinal_position as place,
         p.table_schema || '.' || p.table_name || '.' || p.column_name as to
  from   information_schema.referential_constraints as r
  join   information_schema.key_column_usage as f on f.constraint_schema = r.constraint_schema and f.constraint_name = r.constraint_name
  join   information_schema.key_column_usage as p on p.constraint_schema = r.unique_constraint_schema and p.constraint_name = r.unique_constraint_name
                                                 and p.ordinal_position = f.position_in_unique_constraint
  order  by 1, 2, f.constraint_name, 4`;

const readable = `
  select t.schemaname as schema, t.objectname as name
  from   (select schemaname, tablename as objectname from pg_catalog.pg_tables union select schemaname, viewname from pg_catalog.pg_views
          union select schemaname, matviewname from pg_catalog.pg_matviews) as t
  where  t.schemaname !~ '^pg_' and t.schemaname <> 'information_schema' and pg_catalog.has_schema_privilege(current_user, t.schemaname, 'USAGE')
  and    pg_catalog.has_table_privilege(current_user, format('%I.%I', t.schemaname, t.objectname), 'SELECT')
  order  by 1, 2`;
