import { sql, type Queryable, type SqlFragment } from "../postgres/sql.ts";

/** SQL: true for a process that others have declared dead: it may have been suspended and not know it yet. */
export function wasDeclaredDead(workerId: string | null): SqlFragment<boolean> {
  return sql<boolean>`exists (select from ops.worker as d where d.worker_id = ${workerId}::bigint and d.stopped_at is not null)`;
}

/** True for a process that others have declared dead: it is granted nothing, even if credits are left. */
export async function isDeclaredDead(db: Queryable, workerId: string | null): Promise<boolean> {
  const { rows } = await sql`select where ${wasDeclaredDead(workerId)}`.execute(db);
  return rows.length > 0;
}
