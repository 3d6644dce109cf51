import { sql } from "./sql.ts";
import type { Database } from "./database.ts";
import { executable, loadersRights } from "./role-statements.ts";
import { listed } from "../core/words.ts";

/**
 * The rights of the connected role: its name, the tables that it does not own, and the rights that loading needs and it lacks, such as
 * `delete on ops.slice`.
 */
export type LackingRights = {
  readonly me: string;
  readonly mayCreate: boolean;
  readonly tables: number;
  readonly foreign: number;
  readonly lacking: readonly string[];
};

/** Checks what the connected role may do, table by table and right by right. Changes nothing. */
export async function lackingRights(db: Database): Promise<LackingRights> {
  const { rows } = await sql<LackingRights>`
    with own as (
      select c.oid, n.nspname || '.' || c.relname as name, c.relkind in ('v', 'm') as is_view, pg_has_role(c.relowner, 'usage') as is_own,
             string_to_array(${sql.raw(loadersRights("n.nspname", "n.nspname || '.' || c.relname", "c.relkind in ('v', 'm')"))}, ', ') as needed
      from   pg_catalog.pg_class as c
      join   pg_catalog.pg_namespace as n on n.oid = c.relnamespace
      where  n.nspname in ('core', 'mart', 'ops', 'raw', 'graphile_worker') and c.relkind in ('r', 'p', 'v', 'm')
    ), lacking as (
      select r.one || ' on ' || name as lacks from own, unnest(needed) as r (one) where not has_table_privilege(oid, r.one)
      union  all
      select 'execute on ' || f.signature from unnest(${executable}::text[]) as f (signature)
      where  to_regprocedure(f.signature) is not null and not has_function_privilege(to_regprocedure(f.signature), 'execute')
    )
    select current_user as me, has_database_privilege(current_database(), 'create') as "mayCreate",
           (select count(*)::int from own where not is_view) as tables, (select count(*)::int from own where not is_own and not is_view) as foreign,
           (select coalesce(array_agg(lacks order by lacks), '{}') from lacking) as lacking`.execute(db);
  return rows[0] as LackingRights;
}

/** The names of lacking rights, the first three of many. */
export function lackingRightsText(lacking: readonly string[]): string {
  return listed(lacking);
}

/** How to fix lacking rights. */
export function lackingRightsFix(me: string): string {
  return me === "storehouse_loader"
    ? "have the database owner run `storehouse grants`: this version of Storehouse needs more rights"
    : "connect as storehouse_loader, and have the database owner run `storehouse grants`";
}
