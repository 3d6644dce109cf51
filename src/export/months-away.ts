import pg, { type PoolClient } from "pg";
import { addMonths, type Day } from "../core/day.ts";
import { martShapes, takenByNewest } from "../postgres/mart-shapes.ts";
import type { Relation } from "../postgres/relations.ts";

/** Months by their first day, with the time (epoch-ms) when retention last removed them. */
export type MonthsAway = ReadonlyMap<string, number>;

/**
 * The months that retention removed from a table; for a view, those of the tables that it reads by day that now have fewer rows than were
 * removed, and the months whose rows it also computes from them: computed from the rest, the view would have less than its copies.
 */
export function monthsAway(client: PoolClient, relation: Relation): Promise<MonthsAway> {
  return relation.isView ? awayOfView(client, relation) : awayOfTable(client, relation);
}

async function awayOfTable(client: PoolClient, { name }: Relation): Promise<MonthsAway> {
  const { rows } = await client.query<{ month: string; at: Date }>(
    "select month_start::text as month, max(dropped_at) as at from ops.dropped_month where is_done and table_name = $1 group by 1",
    [name],
  );
  return new Map(rows.map(({ month, at }) => [month, at.getTime()]));
}

/** A month of a table that a view reads; `column` is the one that partitions the table. */
type ReadMonth = {
  readonly schema: string;
  readonly table: string;
  readonly column: string;
  readonly month: Day;
  readonly gone: string;
  readonly at: Date;
};

async function awayOfView(client: PoolClient, view: Relation): Promise<MonthsAway> {
  const { rows: read } = await client.query<ReadMonth>(
    `with recursive read as (
       select $1::regclass::oid as relation
       union
       select d.refobjid
       from   read as r
       join   pg_catalog.pg_rewrite as w on w.ev_class = r.relation
       join   pg_catalog.pg_depend  as d on d.classid = 'pg_catalog.pg_rewrite'::regclass and d.objid = w.oid and d.refclassid = 'pg_catalog.pg_class'::regclass
     )
     select n.nspname as schema, c.relname as table, a.attname as column, m.month_start::text as month, max(m.rows_gone) as gone, max(m.dropped_at) as at
     from   read as r
     join   pg_catalog.pg_class             as c on c.oid = r.relation
     join   pg_catalog.pg_namespace         as n on n.oid = c.relnamespace
     join   pg_catalog.pg_partitioned_table as p on p.partrelid = c.oid
     join   pg_catalog.pg_attribute         as a on a.attrelid = c.oid and a.attnum = p.partattrs[0]
     join   ops.dropped_month               as m on m.table_name = n.nspname || '.' || c.relname and m.is_done
     where  m.table_name <> all ($2::text[])
     group  by 1, 2, 3, 4`,
    [view.name, takenByNewest],
  );
  if (read.length === 0) return new Map();
  const { rows: found } = await client.query<{ place: number; count: string }>(read.map(countOf).join(" union all "));
  const lacking = found.flatMap(({ place, count }) => {
    const one = read[place];
    return one !== undefined && Number(count) < Number(one.gone) ? [one] : [];
  });
  const offsets = [0, ...(martShapes[view.table]?.alsoReads ?? [])];
  const lesser = lacking.flatMap(({ month, at }) =>
    offsets.map((offset) => ({ month: addMonths(month, -offset), at })),
  );
  const times = Map.groupBy(lesser, ({ month }) => month as string);
  return new Map([...times].map(([month, all]) => [month, Math.max(...all.map(({ at }) => at.getTime()))]));
}

/** SQL: how many rows of a month are there now. */
function countOf({ schema, table, column, month }: ReadMonth, place: number): string {
  const [name, day] = [`${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(table)}`, pg.escapeIdentifier(column)];
  return `select ${place}::int as place, count(*) as count from ${name} where ${day} >= date '${month}' and ${day} < date '${addMonths(month, 1)}'`;
}
