import { instant, sql, type Queryable, type SqlFragment } from "../postgres/sql.ts";
import type { Clock } from "../core/clock.ts";
import { holdFor } from "./holds.ts";

/** Whose holds are live: this process (null if it is not in ops.worker), and the SQL that is true for a worker that is alive. */
export type Holders = {
  readonly workerId: string | null;
  readonly isAlive: (workerId: SqlFragment) => SqlFragment<boolean>;
};

/** SQL: a hold (`h`) of a worker that is dead. This process is alive, even if a broken connection has just cost it its lock. */
function isOfDead({ workerId, isAlive }: Holders): SqlFragment<boolean> {
  return sql<boolean>`(h.worker_id <> coalesce(${workerId}::bigint, 0) and not ${isAlive(sql`h.worker_id`)})`;
}

/** SQL: true if dead workers have left holds. */
export function hasDeadHolds(accountId: string, holders: Holders): SqlFragment<boolean> {
  return sql<boolean>`exists (select from ops.credit_hold as h where h.account_id = ${accountId} and ${isOfDead(holders)})`;
}

/**
 * Releases holds that nobody will settle: those that have expired, and those of dead workers. Calls of the dead may have been charged, so
 * they reduce the balance until the service reports one. Their calls for slices are recorded as requests without a reply, except a call whose
 * reply was recorded before its hold could be settled.
 */
export async function releaseLapsedHolds(
  db: Queryable,
  { accountId, holders }: { readonly accountId: string; readonly holders: Holders },
  clock: Clock,
): Promise<void> {
  const now = instant(clock.now());
  // a process that is alone with its account mostly finds none, and finding whose holds are dead costs more than this
  const { rows } = await sql`
    select from ops.credit_hold as h
    where  h.account_id = ${accountId} and (h.worker_id is distinct from ${holders.workerId}::bigint or h.expires_at <= ${now})
    limit  1`.execute(db);
  if (rows.length === 0) return;
  await sql`
    with lapsed as (
      -- another worker is releasing these right now
      select h.hold_id, ${isOfDead(holders)} as is_of_dead from ops.credit_hold as h
      where  h.account_id = ${accountId} and (${isOfDead(holders)} or h.expires_at <= ${now})
      for    update skip locked
    ), ended as (
      delete from ops.credit_hold as h using lapsed as l where h.hold_id = l.hold_id
      returning h.worker_id, h.slice_id, h.cost, h.expires_at, l.is_of_dead
    ), lost as (
      insert into ops.request (account_id, slice_id, run_id, attempt, page, dataset, class, operation, store, track_id, country_code,
                               params, status, error_code, cost, duration_ms, byte_count, worker_id, received_at)
      select ${accountId}, s.slice_id, s.run_id, s.attempt, 0, s.dataset, s.class, s.operation, s.scope ->> 'store', s.scope ->> 'app',
             s.scope ->> 'country', '{}', null, 'process_died', 0, 0, 0, e.worker_id, ${now}
      from   ended     as e
      join   ops.slice as s on s.slice_id = e.slice_id
      where  not exists (select from ops.request as q
                         where  q.slice_id = e.slice_id and q.worker_id = e.worker_id and q.received_at >= e.expires_at - ${holdFor})
    ), gone as (
      select sum(cost)::integer as cost, count(*)::integer as count, sum(cost) filter (where is_of_dead)::integer as cost_of_dead
      from   ended
      having count(*) > 0
    )
    update ops.credit_account as a
    set    held = a.held - gone.cost, in_flight = a.in_flight - gone.count, remaining = a.remaining - coalesce(gone.cost_of_dead, 0),
           -- a balance that was requested before does not include the calls of the dead
           observed_at = case when gone.cost_of_dead is null then a.observed_at else ${now} end
    from   gone
    where  a.account_id = ${accountId}`.execute(db);
}
