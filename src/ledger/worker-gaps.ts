import { sql, type Queryable } from "../postgres/sql.ts";
import { hasRecentHeartbeat } from "./worker-counts.ts";
import { isAlive } from "./workers.ts";

/** The last worker, if none is left although nobody stopped it: since when, and how it ended. */
type GoneWorker = { readonly since: Date; readonly endedAs: string };

/**
 * Whether the last worker of an account died or ended with an error, and no other runs. Null if one runs or waits, was stopped, or never
 * ran.
 */
export async function readGoneWorker(db: Queryable, account: string): Promise<GoneWorker | null> {
  const { rows } = await sql<GoneWorker>`
    select w.heartbeat_at as since, coalesce(nullif(w.ended_as, 'waiting'), 'died') as "endedAs"
    from   ops.worker as w
    where  w.kind = 'worker' and w.account = ${account}
    and    not exists (
             select from ops.worker as w
             where  w.kind = 'worker' and w.account = ${account} and ${hasRecentHeartbeat} and (${isAlive(sql`w.worker_id`)} or w.ended_as = 'waiting'))
    order  by w.heartbeat_at desc
    limit  1`.execute(db);
  const [last] = rows;
  return last === undefined || last.endedAs === "stopped" ? null : last;
}

/** A time without a worker. */
export type WorkerGap = { readonly from: Date; readonly to: Date; readonly endedAs: string };

/**
 * The last time of more than `longerThanMs` without a worker of the account, if it ended within the last `endedWithinMs`, by the clock of
 * the database.
 */
export async function readWorkerGap(
  db: Queryable,
  {
    account,
    longerThanMs,
    endedWithinMs,
  }: { readonly account: string; readonly longerThanMs: number; readonly endedWithinMs: number },
): Promise<WorkerGap | null> {
  const { rows } = await sql<WorkerGap>`
    with registered as (
      select started_at, lag(coalesce(ended_as, 'died')) over (order by started_at) as ended_as,
             max(heartbeat_at) over (order by started_at rows between unbounded preceding and 1 preceding) as seen_at
      from   ops.worker
      where  kind = 'worker' and account = ${account}
    )
    select seen_at as "from", started_at as "to", ended_as as "endedAs"
    from   registered
    where  started_at - seen_at > ${longerThanMs}::double precision * interval '1 millisecond'
    and    started_at > clock_timestamp() - ${endedWithinMs}::double precision * interval '1 millisecond'
    order  by started_at desc
    limit  1`.execute(db);
  return rows[0] ?? null;
}
