import { sql, type Queryable, type SqlFragment } from "../postgres/sql.ts";
import type { Clock } from "../core/clock.ts";
import { holdFor } from "./holds.ts";
import { instant } from "./sql-values.ts";

/** Whose holds are whose: this process, null when it is in no ledger, and the SQL that tells whether a worker lives. */
export type Holders = {
  readonly workerId: string | null;
  readonly isAlive: (workerId: SqlFragment) => SqlFragment<boolean>;
};

/**
 * Lets go of what dead workers hold, at once. Their calls are booked as lost ones: they may have been charged, so the balance is
 * lower by what they held until the service tells. Those that were for slices are noted as requests without an answer, save one whose
 * answer was noted before its hold could be ended.
 */
export async function releaseDead(
  db: Queryable,
  of: { readonly accountId: string; readonly holders: Holders },
  clock: Clock,
): Promise<void> {
  const { workerId, isAlive } = of.holders;
  // this process lives, also in the moment in which a connection that broke has cost it its lock
  const dead = sql`h.worker_id <> coalesce(${workerId}::bigint, 0) and not ${isAlive(sql`h.worker_id`)}`;
  await sql`
    with dead as (
      -- what another worker is letting go of right now is its business
      select h.hold_id from ops.credit_hold as h
      where  h.account_id = ${of.accountId} and ${dead} for update skip locked
    ), ended as (delete from ops.credit_hold where hold_id in (select hold_id from dead) returning worker_id, slice_id, cost, expires_at),
       lost  as (
         insert into ops.request (account_id, slice_id, attempt, page, dataset, class, operation, params, status, error_code, cost, duration_ms,
                                  byte_count, worker_id, received_at)
         select ${of.accountId}, s.slice_id, s.attempt, 0, s.dataset, s.class, s.operation, '{}', null, 'process_died', 0, 0, 0, e.worker_id,
                ${instant(clock.now())}
         from   ended     as e
         join   ops.slice as s on s.slice_id = e.slice_id
         where  not exists (select from ops.request as q
                            where  q.slice_id = e.slice_id and q.worker_id = e.worker_id and q.received_at >= e.expires_at - ${holdFor})),
       gone  as (select sum(cost)::integer as cost, count(*)::integer as count from ended having count(*) > 0)
    update ops.credit_account as a
    set    held = a.held - gone.cost, in_flight = a.in_flight - gone.count, remaining = a.remaining - gone.cost,
           -- a balance that was asked for before is none that these calls are in
           observed_at = ${instant(clock.now())}
    from   gone
    where  a.account_id = ${of.accountId}`.execute(db);
}
