import { accountOf } from "../config/config-of-account.ts";
import { switchedOff, type Settings } from "../config/settings.ts";
import { datasets } from "../datasets/shared/all.ts";
import type { IngestParts } from "../ingest/ingest-parts.ts";
import { cancelBeyondPrices, cancelScheduled } from "../ledger/cancel-slices.ts";
import { adoptOrphanedSlices, closeRun, hasOrphans, openRun } from "../ledger/runs.ts";
import type { Database } from "../postgres/database.ts";
import { requestFailedAgain } from "./later-tries.ts";

type Parts = Pick<IngestParts, "db" | "clock" | "log">;

/** Queues for any worker what waits outside of its queue: what processes that are gone left unfinished, and failed slices whose next try is due. */
export async function queueLeftOver(parts: Parts, settings: Settings): Promise<void> {
  await adoptOrphans(parts, accountOf(settings));
  await requestFailedAgain(parts, settings);
}

/** Cancels what the schedule queued before a dataset was switched off: to be called before a process with these settings claims anything. */
export async function cancelSwitchedOff({ db, log }: Pick<Parts, "db" | "log">, settings: Settings): Promise<void> {
  const cancelled = await cancelScheduled(db, accountOf(settings), switchedOff(settings));
  if (cancelled > 0) log.info({ slices: cancelled }, "runs.switched_off");
}

/**
 * Queues for any worker, in a run of its own, what foreground processes that are gone left unfinished: what a killed retry requests again, what
 * a sync deferred to the reset of its credits. Does nothing where there is nothing.
 */
async function adoptOrphans({ db, clock, log }: Parts, account: string): Promise<void> {
  if (!(await hasOrphans(db, account))) return;
  const today = clock.today();
  const start = { kind: "schedule", workerId: null, account, asOf: today, datasets: [], maxCredits: null } as const;
  const runId = await openRun(db, start, clock.now());
  const adopted = await adoptInto(db, runId, log);
  await closeRun(db, runId, "planned", clock.now());
  log.info({ run_id: runId, slices: adopted }, "runs.adopted");
}

/** Adopts orphaned slices into a run, save what is beyond the price of a plan that a person agreed to. Returns how many. */
export async function adoptInto(db: Database, runId: string, log: Parts["log"]): Promise<number> {
  const cancelled = await cancelBeyondPrices(db);
  if (cancelled > 0) log.info({ slices: cancelled }, "runs.over_budget");
  // also of datasets that are off: what was begun by hand and deferred is finished without another command
  return adoptOrphanedSlices(db, {
    runId,
    datasets: datasets.map(({ name }) => name),
    mostCredits: Number.POSITIVE_INFINITY,
  });
}
