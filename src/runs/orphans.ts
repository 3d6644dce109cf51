import { accountOf } from "../config/config-of-account.ts";
import { switchedOff, type Settings } from "../config/settings.ts";
import type { Day } from "../core/day.ts";
import { datasets } from "../datasets/shared/all.ts";
import type { IngestParts } from "../ingest/ingest-parts.ts";
import { cancelBeyondPrices, cancelScheduled } from "../ledger/cancel-slices.ts";
import { adoptOrphanedSlices, hasOrphans, readPlansAfterOrphans } from "../ledger/adopt-slices.ts";
import { closeRun, openRun } from "../ledger/runs.ts";
import { leaveUnkeptDays } from "./kept-tables.ts";
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
 * Stops slices of days that are no longer kept from running, at the first call and at the first one of each day: the days of a whole month
 * become unkept at midnight, hours before retention removes them. To be called before a process claims anything.
 */
export function createLeaveUnkept({ db, clock }: Pick<Parts, "db" | "clock">, settings: Settings): () => Promise<void> {
  let doneOn: Day | null = null;
  return async () => {
    const today = clock.today();
    if (today === doneOn) return;
    await leaveUnkeptDays(db, settings, clock);
    doneOn = today;
  };
}

/** Ends slices of plans that the prices of these do not pay for, and resumes those that settled calls have made room for. */
export async function endBeyondPrices({ db, log }: Pick<Parts, "db" | "log">): Promise<void> {
  const { cancelled, failed } = await cancelBeyondPrices(db);
  if (cancelled + failed > 0) log.info({ slices: cancelled + failed }, "runs.over_budget");
}

/**
 * Moves unfinished slices of dead foreground processes to a run of the shared queue: those of a killed retry, and those that a sync deferred
 * until its credits reset.
 */
export async function adoptOrphans({ db, clock, log }: Omit<Parts, "accountId">, account: string): Promise<void> {
  if (!(await hasOrphans(db, account))) return;
  await endBeyondPrices({ db, log });
  const asOf = clock.today();
  const plansAfter = await readPlansAfterOrphans(db, account, asOf);
  const own = { kind: "schedule", workerId: null, datasets: [], maxCredits: null } as const;
  const runId = await openRun(db, { ...own, account, asOf, plansAfter }, clock.now());
  // also of datasets that are off: work that a person started and that was deferred is finished without another command
  const all = datasets.map(({ name }) => name);
  const adopted = await adoptOrphanedSlices(db, { runId, datasets: all, mostCredits: Number.POSITIVE_INFINITY });
  await closeRun(db, runId, "planned", { now: clock.now() });
  log.info({ run_id: runId, slices: adopted }, "runs.adopted");
}
