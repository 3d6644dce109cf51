import { sql } from "../postgres/sql.ts";
import type { Clock } from "../core/clock.ts";
import type { Slice } from "../core/slice.ts";
import { datasetNamed } from "../datasets/shared/all.ts";
import { sharedQueue } from "../ledger/queue.ts";
import { endAttempts, type Ending } from "../ledger/slices.ts";
import type { Dimensions } from "../load/dimensions.ts";
import type { Database } from "../postgres/database.ts";
import type { CrashHook } from "./crash-point.ts";
import { byKey, forgetRejects, type SliceLoad, writeSlices } from "./prepare-slice.ts";

/** A slice that is ready to be committed: what it loads and how it ends. */
export type GroupMember = { readonly load: SliceLoad; readonly ending: Ending };

type Parts = {
  readonly db: Database;
  readonly dimensions: Dimensions;
  readonly clock: Clock;
  readonly queueId: string;
  /** First wait after an error that may pass, in ms. */
  readonly retryMs: number;
  readonly at?: CrashHook | undefined;
};

/**
 * Commits rows, rejects, drift and outcomes of different slices in one transaction, so that rows and outcome of each are there
 * together or not at all; so is the next look at what is due. A member that was taken over is left out, rows and all. True for each
 * that was not.
 */
export function commitGroup(
  { db, dimensions, clock, queueId, retryMs, at }: Parts,
  members: readonly GroupMember[],
): Promise<readonly boolean[]> {
  return db.transaction().execute(async (transaction) => {
    await byKey(transaction);
    // first, so that the slices' rows are locked: a worker that took one over waits or has won already
    const ended = await endAttempts(
      transaction,
      members.map(({ load, ending }) => ({ slice: load.slice, ending })),
      clock.now(),
    );
    const mine = members.filter(({ load }) => ended.has(load.slice.sliceId)).map(({ load }) => load);
    for (const _ of mine) await at?.("in the load");
    await forgetRejects(
      transaction,
      mine.filter(({ slice }) => slice.attempt > 1),
    );
    if (mine.length > 0) await writeSlices(transaction, { dimensions }, mine);
    await planAfter(
      transaction,
      { clock, queueId, retryMs },
      mine.map(({ slice }) => slice),
    );
    return members.map(({ load }) => ended.has(load.slice.sliceId));
  });
}

/** Slices of one wave end one after the other; planning waits until so many first waits after an error have passed without one. */
const quiet = 2;

/**
 * Plans again soon after slices of the shared queue brought what is followed, since the next wave is planned from it. A foreground sync
 * plans its own waves. Called in the transaction that commits them, as its last statement: a worker that dies leaves either both or
 * neither, and the line of the queue is locked no longer than the commit takes.
 */
async function planAfter(
  db: Database,
  parts: Pick<Parts, "clock" | "queueId" | "retryMs">,
  slices: readonly Slice[],
): Promise<void> {
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
