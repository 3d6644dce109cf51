import { instant, sql, type Queryable } from "../postgres/sql.ts";

/** A time in which the API does not respond to an account. */
export type ApiOutageRow = { readonly code: string; readonly since: Date };

/** If no process has seen an outage for this long, it is over. */
const freshMs = 180_000;

/** Notes that the API does not respond; to be called again while that lasts. `now`: epoch-ms. */
export async function noteOutage(db: Queryable, accountId: string, code: string, now: number): Promise<void> {
  await sql`
    insert into ops.api_outage as o (account_id, code, since_at, seen_at) values (${accountId}, ${code}, ${instant(now)}, ${instant(now)})
    on conflict (account_id) do update
    set code = excluded.code, seen_at = excluded.seen_at, ended_at = null,
        since_at = case when o.ended_at is null and o.seen_at > ${instant(now - freshMs)} then o.since_at else excluded.since_at end`.execute(
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
    where  account_id = ${accountId} and ended_at is null and seen_at > ${instant(now - freshMs)}`.execute(db);
  return rows[0] ?? null;
}

/** The last time at which the API did not respond, unless it has responded since. `isNow`: a process notes it at this time. */
export type LastOutage = ApiOutageRow & { readonly seenAt: Date; readonly isNow: boolean };

/** Reads it. */
export async function readLastOutage(db: Queryable, accountId: string, now: number): Promise<LastOutage | null> {
  const { rows } = await sql<LastOutage>`
    select code, since_at as since, seen_at as "seenAt", seen_at > ${instant(now - freshMs)} as "isNow"
    from   ops.api_outage as o
    where  account_id = ${accountId} and ended_at is null
    -- a process that was killed while it waited has not ended it
    and    not exists (select from ops.credit_account as c where c.account_id = o.account_id and c.observed_at > o.seen_at)`.execute(
    db,
  );
  return rows[0] ?? null;
}
