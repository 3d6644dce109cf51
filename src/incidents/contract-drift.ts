import { sql } from "../postgres/sql.ts";
import type { Database } from "../postgres/database.ts";

/** Fields of one operation that the contract does not name and that came first on one day (UTC). */
export type StandingDrift = { readonly operation: string; readonly since: string; readonly fields: readonly string[] };

/** Not each answer holds each field: it is gone when those of so many days came without it. */
const goneAfterMs = 3 * 86_400_000;
/** Of an operation that nobody asks any more nothing new is known; periods are asked for every month at least. */
const forgottenAfterMs = 62 * 86_400_000;

/**
 * What answers still hold and nobody knows: seen in answers of the last days in which the operation answered. By the day on which it
 * came, so that what comes later is news of its own.
 */
export async function standingDrift(db: Database, now: number): Promise<readonly StandingDrift[]> {
  const { rows } = await sql<StandingDrift>`
    select d.operation, (d.first_seen_at at time zone 'UTC')::date::text as since,
           array_agg(d.path || ' (' || d.kind || ')' order by d.path, d.kind) as fields
    from   ops.drift as d
    left   join ops.credit_cost as c on c.operation = d.operation
    where  d.last_seen_at > c.last_seen_at - ${goneAfterMs} * interval '1 millisecond' is not false
    and    greatest(c.last_seen_at, d.last_seen_at) > ${new Date(now - forgottenAfterMs).toISOString()}::timestamptz
    group  by 1, 2
    order  by 1, 2`.execute(db);
  return rows;
}
