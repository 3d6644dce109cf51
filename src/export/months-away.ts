import type { PoolClient } from "pg";
import { addMonths, type Day } from "../core/day.ts";
import { martShapes, takenByNewest } from "../postgres/mart-shapes.ts";
import type { Relation } from "../postgres/relations.ts";

/** Months by their first day, with the time (epoch-ms) when retention last removed them. */
export type MonthsAway = ReadonlyMap<string, number>;

/**
 * The months that retention removed from a table; for a view, those that it computes from months that retention removed from the tables
 * that it reads by day. Copies made before have rows that Postgres lacks, also if rows of the month are loaded again: whether those are the
 * removed ones is not known.
 */
export async function monthsAway(client: PoolClient, relation: Relation): Promise<MonthsAway> {
  const removed = relation.isView ? await removedOfView(client, relation) : await removedOfTable(client, relation);
  const offsets = relation.isView ? [0, ...(martShapes[relation.table]?.alsoReads ?? [])] : [0];
  const lesser = removed.flatMap(({ month, at }) =>
    offsets.map((offset): [string, number] => [addMonths(month, -offset), at.getTime()]),
  );
  const times = Map.groupBy(lesser, ([month]) => month);
  return new Map([...times].map(([month, all]) => [month, Math.max(...all.map(([, at]) => at))]));
}

type RemovedMonth = { readonly month: Day; readonly at: Date };

async function removedOfTable(client: PoolClient, { name }: Relation): Promise<readonly RemovedMonth[]> {
  const { rows } = await client.query<RemovedMonth>(
    "select month_start::text as month, max(dropped_at) as at from ops.dropped_month where is_done and rows_gone > 0 and table_name = $1 group by 1",
    [name],
  );
  return rows;
}

async function removedOfView(client: PoolClient, view: Relation): Promise<readonly RemovedMonth[]> {
  const { rows } = await client.query<RemovedMonth>(
    `with recursive read as (
       select $1::regclass::oid as relation
       union
       select d.refobjid
       from   read as r
       join   pg_catalog.pg_rewrite as w on w.ev_class = r.relation
       join   pg_catalog.pg_depend  as d on d.classid = 'pg_catalog.pg_rewrite'::regclass and d.objid = w.oid and d.refclassid = 'pg_catalog.pg_class'::regclass
     )
     select m.month_start::text as month, max(m.dropped_at) as at
     from   read as r
     join   pg_catalog.pg_class     as c on c.oid = r.relation
     join   pg_catalog.pg_namespace as n on n.oid = c.relnamespace
     join   ops.dropped_month       as m on m.table_name = n.nspname || '.' || c.relname and m.is_done and m.rows_gone > 0
     where  m.table_name <> all ($2::text[])
     group  by 1`,
    [view.name, takenByNewest],
  );
  return rows;
}
