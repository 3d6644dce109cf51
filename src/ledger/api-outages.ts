import { outageFreshMs } from "./status.ts";
import { instant, sql, type Queryable } from "../postgres/sql.ts";

/** A time in which the API does not respond to an account. */
export type ApiOutageRow = { readonly code: string; readonly since: Date };

/** Notes that the API does not respond; to be called again while that lasts. `now`: epoch-ms. */
export async function noteOutage(db: Queryable, accountId: string, code: string, now: number): Promise<void> {
  await sql`
    insert into ops.api_outage as o (account_id, code, since_at, seen_at) values (${accountId}, ${code}, ${instant(now)}, ${instant(now)})
    on conflict (account_id) do update
    set code = excluded.code, seen_at = excluded.seen_at, ended_at = null,
        since_at = case when o.ended_at is null and o.seen_at > ${instant(now - outageFreshMs)} then o.since_at else excluded.since_at end`.execute(
    db,
  );
}

/** Notes that the API responds. */
export async function endOutage(db: Queryable, accountId: string, now: number): Promise<void> {
  await sql`update ops.api_outage set ended_at = ${instant(now)} where account_id = ${accountId} and ended_at is null`.execute(
    db,
  );
}

/** The outage that lasts now; null when the API responds, or when no process has noted an outage for some minutes. */
export async function readOutage(db: Queryable, accountId: string, now: number): Promise<ApiOutageRow | null> {
  const { rows } = await sql<ApiOutageRow>`
    select code, since_at as since from ops.api_outage
    where  account_id = ${accountId} and ended_at is null and seen_at > ${instant(now - outageFreshMs)}`.execute(db);
  return rows[0] ?? null;
}
