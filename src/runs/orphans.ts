import { accountOf } from "../config/config-of-account.ts";
import { switchedOff, type Settings } from "../config/settings.ts";
import { datasets as everyDataset } from "../datasets/shared/all.ts";
import type { IngestParts } from "../ingest/ingest-parts.ts";
import { cancelBeyondPrices, cancelScheduled } from "../ledger/cancel-slices.ts";
import { adoptOrphanedSlices, hasOrphans, readPlannedAfterOrphans } from "../ledger/adopt-slices.ts";
import { closeRun, openRun } from "../ledger/runs.ts";
import { requestFailedAgain } from "./queue-retries.ts";

type Parts = Pick<IngestParts, "db" | "clock" | "log" | "accountId">;

/** Moves slices that dead processes left unfinished, and failed slices that are due for another try, to the shared queue. */
export async function queueLeftOver(parts: Parts, settings: Settings): Promise<void> {
  await adoptOrphans(parts, accountOf(settings));
  await requestFailedAgain(parts, settings);
}

/**
 * Cancels slices that the schedule queued before their dataset was switched off: to be called before a process with these settings claims
 * anything.
 */
export async function cancelSwitchedOff({ db, log }: Pick<Parts, "db" | "log">, settings: Settings): Promise<void> {
  const cancelled = await cancelScheduled(db, accountOf(settings), switchedOff(settings));
  if (cancelled > 0) log.info({ slices: cancelled }, "runs.switched_off");
}

/**
 * Moves unfinished slices of dead foreground processes to a run of the shared queue: those of a killed retry, and those that a sync deferred
 * until its credits reset. Ends slices of a plan that its price does not pay for.
 */
export async function adoptOrphans({ db, clock, log }: Omit<Parts, "accountId">, account: string): Promise<void> {
  if (!(await hasOrphans(db, account))) return;
  const [asOf, datasets] = [clock.today(), await readPlannedAfterOrphans(db, account)];
  const start = { kind: "schedule", workerId: null, account, asOf, datasets, maxCredits: null } as const;
  const runId = await openRun(db, start, clock.now());
  const { cancelled, failed } = await cancelBeyondPrices(db);
  if (cancelled + failed > 0) log.info({ slices: cancelled + failed }, "runs.over_budget");
  // also of datasets that are off: work that a person started and that was deferred is finished without another command
  const all = everyDataset.map(({ name }) => name);
  const adopted = await adoptOrphanedSlices(db, { runId, datasets: all, mostCredits: Number.POSITIVE_INFINITY });
  await closeRun(db, runId, "planned", { now: clock.now() });
  log.info({ run_id: runId, slices: adopted }, "runs.adopted");
}
