import { sql, type Queryable } from "../postgres/sql.ts";
import { endedAs } from "./worker-counts.ts";

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
      select started_at, lag(${endedAs}) over (order by started_at) as ended_as,
             max(heartbeat_at) over (order by started_at rows between unbounded preceding and 1 preceding) as seen_at
      from   ops.worker as w
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
