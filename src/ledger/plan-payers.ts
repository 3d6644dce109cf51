import { sql } from "../postgres/sql.ts";

/**
 * SQL: true for a run `r` whose calls for the slices of a plan are paid from its price: a person who runs a sync or a retry agrees to its
 * price apart from that of the plan.
 */
export const paysFromPlan = sql<boolean>`(r.kind in ('backfill', 'schedule') or r.kind = 'retry' and r.worker_id is null)`;

/** SQL: the same for a request (`ops.request as q`), by the run that sent it. */
export const isPaidFromPlan = sql<boolean>`
  (not exists (select from ops.run as r where r.run_id = q.run_id and not ${paysFromPlan}))`;

/** SQL: true for a run `r` of `storehouse retry`. */
export const isRetryByHand = sql<boolean>`(r.kind = 'retry' and r.worker_id is not null)`;
