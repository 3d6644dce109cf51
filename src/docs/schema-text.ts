import { sql } from "../postgres/sql.ts";
import type { Database } from "../postgres/database.ts";

type TableOrView = {
  readonly name: string;
  readonly comment: string | null;
  /** The query of a view; the partition key of a partitioned table. */
  readonly query: string | null;
  readonly partitionKey: string | null;
  readonly columns: readonly { readonly name: string; readonly definition: string; readonly comment: string | null }[];
  readonly constraints: readonly string[];
  readonly indexes: readonly string[];
  readonly triggers: readonly string[];
};

type Routine = {
  readonly signature: string;
  readonly definition: string;
  readonly comment: string | null;
  readonly isPublic: boolean;
};

const schemas = ["archive", "core", "mart", "ops", "parts", "raw"];

const heading = `-- The catalogue that the migrations make on Postgres 18, to read and to compare: \`npm run docs\` writes it from an empty warehouse.
-- The migrator runs numbered files alone. Behind a column stands its comment.
`;

/** What the migrations make, as text: schemas; tables and views by name, with their columns, keys, indexes and comments; functions. */
export async function schemaText(db: Database): Promise<string> {
  const statements = [
    ...(await schemaStatements(db)),
    ...(await readTablesAndViews(db)).map(tableOrViewText),
    ...(await readRoutines(db)).map(routineText),
  ];
  return `${heading}\n${statements.join("\n\n")}\n`;
}

async function schemaStatements(db: Database): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string; comment: string | null }>`
    select n.nspname as name, obj_description(n.oid, 'pg_namespace') as comment
    from   pg_catalog.pg_namespace as n
    where  n.nspname = any (${schemas})
    order  by n.nspname collate "C"`.execute(db);
  return rows.map(({ name, comment }) => `create schema ${name};${commentBehind(comment)}`);
}

/** Every table and view; loads make the leaf partitions, which are left out. */
async function readTablesAndViews(db: Database): Promise<readonly TableOrView[]> {
  const { rows } = await sql<TableOrView>`
    select n.nspname || '.' || c.relname as name, obj_description(c.oid, 'pg_class') as comment,
           case when c.relkind in ('v', 'm') then pg_get_viewdef(c.oid, true) end as query, pg_get_partkeydef(c.oid) as "partitionKey",
           (select json_agg(json_build_object('name', a.attname, 'comment', col_description(c.oid, a.attnum), 'definition',
                     concat_ws(' ', format_type(a.atttypid, a.atttypmod), case when a.attstorage <> t.typstorage then 'storage ' || (array['plain', 'external', 'main'])[position(a.attstorage::text in 'pem')] end,
                               case when a.attnotnull then 'not null' end, case when a.attidentity = 'a' then 'generated always as identity' end,
                               case when d.adbin is null then null
                                    when a.attgenerated = '' then 'default ' || pg_get_expr(d.adbin, d.adrelid)
                                    else format('generated always as (%s) stored', pg_get_expr(d.adbin, d.adrelid)) end)) order by a.attnum)
            from   pg_catalog.pg_attribute as a
            join   pg_catalog.pg_type      as t on t.oid = a.atttypid
            left   join pg_catalog.pg_attrdef as d on d.adrelid = a.attrelid and d.adnum = a.attnum
            where  a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
           (select coalesce(json_agg(format('constraint %s %s', o.conname, pg_get_constraintdef(o.oid))
                     order by position(o.contype::text in 'pucf'), o.conname collate "C"), '[]')
            from   pg_catalog.pg_constraint as o
            where  o.conrelid = c.oid and o.contype <> 'n') as constraints,
           (select coalesce(json_agg(pg_get_indexdef(i.indexrelid) order by i.indexrelid::regclass::text collate "C"), '[]')
            from   pg_catalog.pg_index as i
            where  i.indrelid = c.oid and not exists (select from pg_catalog.pg_constraint as o where o.conindid = i.indexrelid)) as indexes,
           (select coalesce(json_agg(pg_get_triggerdef(g.oid) order by g.tgname collate "C"), '[]')
            from   pg_catalog.pg_trigger as g
            where  g.tgrelid = c.oid and not g.tgisinternal) as triggers
    from   pg_catalog.pg_class     as c
    join   pg_catalog.pg_namespace as n on n.oid = c.relnamespace
    where  n.nspname = any (${schemas}) and c.relkind in ('r', 'p', 'v', 'm') and not c.relispartition
    order  by n.nspname collate "C", c.relname collate "C"`.execute(db);
  return rows;
}

function tableOrViewText({
  name,
  comment,
  query,
  partitionKey,
  columns,
  constraints,
  indexes,
  triggers,
}: TableOrView): string {
  const last = columns.length + constraints.length - 1;
  const lines = [
    ...columns.map(
      (column, place) =>
        `  ${column.name} ${column.definition}${place < last ? "," : ""}${commentBehind(column.comment)}`,
    ),
    ...constraints.map((constraint, place) => `  ${constraint}${columns.length + place < last ? "," : ""}`),
  ];
  const body = [`create ${query === null ? "table" : "view"} ${name} (`, ...lines].join("\n");
  const partitioned = partitionKey === null ? "" : ` partition by ${partitionKey.toLowerCase()}`;
  return [
    ...(comment === null ? [] : [`-- ${comment}`]),
    query === null ? `${body}\n)${partitioned};` : `${body}\n) as\n${query}`,
    ...[...indexes, ...triggers].map((statement) => `${statement};`),
  ].join("\n");
}

async function readRoutines(db: Database): Promise<readonly Routine[]> {
  const { rows } = await sql<Routine>`
    select p.oid::regprocedure::text as signature, pg_get_functiondef(p.oid) as definition, obj_description(p.oid, 'pg_proc') as comment,
           has_function_privilege('public', p.oid, 'execute') as "isPublic"
    from   pg_catalog.pg_proc      as p
    join   pg_catalog.pg_namespace as n on n.oid = p.pronamespace
    where  n.nspname = any (${schemas})
    order  by 1`.execute(db);
  return rows;
}

function routineText({ signature, definition, comment, isPublic }: Routine): string {
  return [
    ...(comment === null ? [] : [`-- ${comment}`]),
    `${definition.trimEnd()};`,
    ...(isPublic ? [] : [`revoke all on function ${signature} from public;`]),
  ].join("\n");
}

function commentBehind(comment: string | null): string {
  return comment === null ? "" : ` -- ${comment}`;
}
