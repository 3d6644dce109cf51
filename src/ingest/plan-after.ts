import { sql } from "kysely";
import type { Clock } from "../core/clock.ts";
import type { Slice } from "../core/slice.ts";
import { datasetNamed } from "../datasets/all.ts";
import { sharedQueue } from "../ledger/queue.ts";
import type { Database } from "../warehouse/database.ts";

/** Slices of one wave end one after the other; planning waits until so many first waits after an error have passed without one. */
const quiet = 2;

type Parts = {
  readonly clock: Clock;
  readonly queueId: string;
  /** First wait after an error that may pass, in ms. */
  readonly retryMs: number;
};

/**
 * Plans again soon after slices of the shared queue brought what is followed, since the next wave is planned from it. A foreground sync
 * plans its own waves. Called in the transaction that commits them, as its last statement: a worker that dies leaves either both or
 * neither, and the line of the queue is locked no longer than the commit takes.
 */
export async function planAfter(db: Database, parts: Parts, slices: readonly Slice[]): Promise<void> {
  if (parts.queueId !== sharedQueue) return;
  const runs = new Set(
    slices.filter(({ dataset }) => datasetNamed(dataset).stage !== "market").map((one) => one.runId),
  );
  if (runs.size === 0) return;
  const at = new Date(parts.clock.now() + quiet * parts.retryMs).toISOString();
  await sql`
    select graphile_worker.add_job('plan_due', json_build_object('datasets', wave.datasets), run_at := ${at}::timestamptz,
                                   job_key := 'plan_due after ' || md5(wave.datasets::text), max_attempts := 3)
    from   (select distinct datasets from ops.run where run_id = any (${[...runs]}::bigint[]) order by datasets) as wave`.execute(
    db,
  );
}
