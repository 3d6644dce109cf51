import { sql } from "../postgres/sql.ts";
import type { Database } from "../postgres/database.ts";

/** A sync that ended before all was requested that it was to request, and how. */
export type BrokenOff = { readonly runId: string; readonly how: "interrupted" | "aborted" | "limited" };

/** SQL: how a run `r` of `ops.run_log` ended before its end; null for one that did not, or that still runs. */
const howBrokenOff = sql<BrokenOff["how"] | null>`
    case when r.kind <> 'sync'                                         then null
         when r.outcome in ('interrupted', 'aborted')                  then r.outcome
         when r.outcome = 'deferred' and r.max_credits is not null     then 'limited'
         -- its process was killed
         when r.outcome is null and not exists (
                select from ops.worker_status as w where w.worker_id = r.worker_id and w.is_running) then 'interrupted' end`;

/**
 * The latest sync of an account that was broken off, unless later runs have planned each of its datasets that is not off. What it had not
 * begun was cancelled, so that no slice says that it is missing.
 */
export async function readBrokenOff(db: Database, account: string): Promise<BrokenOff | null> {
  const { rows } = await sql<BrokenOff>`
    with run as materialized (
      select r.run_id, r.datasets, ${howBrokenOff} as how from ops.run_log as r
      where  r.account = ${account} and r.kind in ('sync', 'schedule')
    ), planned as (
      select dataset, max(run_id) as run_id from run, unnest(datasets) as dataset where how is null group by dataset
    )
    select r.run_id as "runId", r.how
    from   run as r
    where  r.how is not null
    and    exists (select from unnest(r.datasets) as d (dataset)
                   where  not exists (select from ops.dataset as o where o.dataset = d.dataset and not o.is_on)
                   and    not exists (select from planned as p where p.dataset = d.dataset and p.run_id > r.run_id))
    order  by r.run_id desc
    limit  1`.execute(db);
  return rows[0] ?? null;
}
