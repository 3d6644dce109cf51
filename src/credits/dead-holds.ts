import { instant, sql, type Queryable, type SqlFragment } from "../postgres/sql.ts";
import type { Clock } from "../core/clock.ts";
import { recordLost } from "./holds.ts";

/** Who holds credits: this process, null when it is not in ops.worker, and the SQL that is true for a worker that is alive. */
export type Holders = {
  readonly workerId: string | null;
  readonly isAlive: (workerId: SqlFragment) => SqlFragment<boolean>;
};

/** SQL: a hold (`h`) of a worker that is dead. This process is alive, also at the moment at which a broken connection has cost it its lock. */
function isOfDead({ workerId, isAlive }: Holders): SqlFragment<boolean> {
  return sql<boolean>`h.worker_id <> coalesce(${workerId}::bigint, 0) and not ${isAlive(sql`h.worker_id`)}`;
}

/** SQL: true when `releaseDeadHolds` has something to release. */
export function hasDeadHolds(accountId: string, holders: Holders): SqlFragment<boolean> {
  return sql<boolean>`exists (select from ops.credit_hold as h where h.account_id = ${accountId} and ${isOfDead(holders)})`;
}

/**
 * Releases the holds of dead workers. Their calls count as lost ones: they may have been charged, so the balance is lower by the holds
 * until the service reports one. Calls for slices are recorded as requests without a reply, except a call whose reply was recorded
 * before its hold could be settled.
 */
export async function releaseDeadHolds(
  db: Queryable,
  of: { readonly accountId: string; readonly holders: Holders },
  clock: Clock,
): Promise<void> {
  await sql`
    with dead as (
      -- another worker is releasing these right now
      select h.hold_id from ops.credit_hold as h
      where  h.account_id = ${of.accountId} and ${isOfDead(of.holders)} for update skip locked
    ), ended as (delete from ops.credit_hold where hold_id in (select hold_id from dead) returning worker_id, slice_id, cost, expires_at),
       lost  as (
         ${recordLost(of.accountId, clock)}),
       gone  as (select sum(cost)::integer as cost, count(*)::integer as count from ended having count(*) > 0)
    update ops.credit_account as a
    set    held = a.held - gone.cost, in_flight = a.in_flight - gone.count, remaining = a.remaining - gone.cost,
           -- a balance that was requested before does not include these calls
           observed_at = ${instant(clock.now())}
    from   gone
    where  a.account_id = ${of.accountId}`.execute(db);
}
