import { datasets } from "../datasets/shared/all.ts";
import type { Database } from "../postgres/database.ts";
import { takenByNewest } from "../postgres/mart-shapes.ts";
import { sql } from "../postgres/sql.ts";

/**
 * Views from which marts take facts that are valid for every day, no matter when they were seen: which apps there are, and the currency of
 * sums.
 */
const ofEveryDay = [
  "ops.portfolio_app",
  "ops.outside_competitor",
  "ops.search_ads_default",
  "ops.search_ads_own_currency",
];

/**
 * The datasets whose rows each table and view of `core`, `mart` and `ops` shows, by its name with its schema, since the catalogue knows
 * what a view reads. Dimensions are left out, and so are tables read through views whose rows are valid for every day: a day of a mart is
 * complete without an answer for these on that day. `ownFacts`: only tables that a relation does not read through views of `ops`. `ofDays`:
 * without tables from which a view takes the newest row for every day.
 */
export async function readRelationDatasets(
  db: Database,
  { ownFacts = false, ofDays = false }: { readonly ownFacts?: boolean; readonly ofDays?: boolean } = {},
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await sql<{ name: string; tables: readonly string[] }>`
    with recursive reads as (
      select c.oid as root, c.oid as reader
      from   pg_catalog.pg_class as c
      where  c.relnamespace in ('core'::regnamespace, 'mart'::regnamespace, 'ops'::regnamespace)
      and    c.relkind in ('r', 'p', 'v', 'm') and not c.relispartition
      union
      select r.root, d.refobjid
      from   reads as r
      join   pg_catalog.pg_rewrite as w on w.ev_class = r.reader
      join   pg_catalog.pg_depend as d on d.classid = 'pg_catalog.pg_rewrite'::regclass and d.objid = w.oid
                                      and d.refclassid = 'pg_catalog.pg_class'::regclass and d.refobjid <> r.reader
                                      and d.refobjid <> all (${ofDays ? takenByNewest : []}::text[]::regclass[])
      where  r.reader = r.root
      or     r.reader <> all (${ofEveryDay}::text[]::regclass[])
      and    (not ${ownFacts} or (select c.relnamespace from pg_catalog.pg_class as c where c.oid = r.reader) <> 'ops'::regnamespace)
    )
    select rn.nspname || '.' || rc.relname as name, array_agg(n.nspname || '.' || c.relname order by c.relname) as tables
    from   reads as r
    join   pg_catalog.pg_class as rc on rc.oid = r.root
    join   pg_catalog.pg_namespace as rn on rn.oid = rc.relnamespace
    join   pg_catalog.pg_class as c on c.oid = r.reader and c.relkind in ('r', 'p')
    join   pg_catalog.pg_namespace as n on n.oid = c.relnamespace
    group  by rn.nspname, rc.relname`.execute(db);
  return new Map(rows.map(({ name, tables }) => [name, writersOf(new Set(tables))]));
}

/** The datasets that write any of these tables, or sums over one. */
function writersOf(tables: ReadonlySet<string>): readonly string[] {
  return datasets
    .filter((dataset) =>
      dataset.tables
        .flatMap(({ name, sums }) => [name, ...(sums === undefined ? [] : [sums.name])])
        .some((name) => tables.has(name) && !name.startsWith("core.dim_")),
    )
    .map(({ name }) => name);
}
