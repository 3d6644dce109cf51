import { accountOf } from "../config/config-of-account.ts";
import { isOn, type Settings } from "../config/settings.ts";
import { readAgreed, type AgreedDatasets } from "../credits/agreement.ts";
import { datasets } from "../datasets/shared/all.ts";
import type { IngestParts } from "../ingest/ingest-parts.ts";
import { queueTries, readDueTries, type DueTry } from "../ledger/failed-retries.ts";
import {
  affordableTries,
  putOffTries,
  readPlansLeft,
  spentOnLaterTries,
  type PaidTries,
} from "../ledger/retry-limits.ts";
import { closeRun, openRun, readPlansAfter, type RunStart } from "../ledger/runs.ts";
import { coveredBy } from "../planner/agreed-datasets.ts";
import type { Database } from "../postgres/database.ts";
import { joinTries } from "./joined-tries.ts";
import { sql } from "../postgres/sql.ts";
import { isCancelled, isPassing } from "../postgres/database-errors.ts";

type Parts = Pick<IngestParts, "db" | "clock" | "log" | "accountId">;

/**
 * Which failed slices are retried: those of named datasets, or those that workers retry of what was agreed to; and their limit in addition
 * to `credits.retries_a_day`.
 */
export type TriesFor = {
  readonly settings: Settings;
  readonly datasets: readonly string[] | { readonly agreed: AgreedDatasets };
  readonly mostCredits: number;
  /** Leaves out those of operations that were refused lately. */
  readonly withoutRefused?: boolean | undefined;
};

/** The failed slices that workers retry. */
export function triesOfWorkers(settings: Settings, agreed: AgreedDatasets): TriesFor {
  return { settings, datasets: { agreed }, mostCredits: Number.POSITIVE_INFINITY };
}

/**
 * The failed slices whose next try is due; those of them that the daily limit, the prices of their plans and `mostCredits` pay for; and those
 * that wait for the limit of the day after `now`.
 */
export async function dueTries(
  db: Database,
  clock: Parts["clock"],
  { settings, datasets: named, mostCredits, withoutRefused }: TriesFor,
): Promise<PaidTries & { readonly due: readonly DueTry[]; readonly now: number }> {
  const now = clock.now();
  const account = accountOf(settings);
  const found = await readDueTries(db, {
    now,
    today: clock.today(),
    account,
    withoutRefused,
    ...triedDatasets(settings, named),
  });
  if (found.length === 0) return { now, due: found, tries: found, ofNextDay: found };
  const due = await joinTries(db, found, settings);
  const { retries_a_day: limit } = settings.credits;
  const ofDay = limit - (await spentOnLaterTries(db, now, account));
  const limits = { credits: mostCredits, ofDay, isOff: limit === 0, plans: await readPlansLeft(db, due) };
  return { now, due, ...affordableTries(due, limits) };
}

/** Queues failed slices whose next try is due and paid for, for any worker, in a new run. Returns how many. */
export async function requestFailedAgain({ db, clock, log, accountId }: Parts, settings: Settings): Promise<number> {
  const agreed = await readAgreed(db, accountId);
  const { now, due, tries, ofNextDay } = await dueTries(db, clock, triesOfWorkers(settings, agreed));
  if (due.length === 0) return 0;
  await putOffTries(db, ofNextDay, now);
  const queued = tries.length === 0 ? 0 : await queue(db, { tries, clock, account: accountOf(settings) });
  const { retries_a_day: limit } = settings.credits;
  log.info({ slices: queued, waiting: due.length - queued, credits_a_day: limit }, "slices.tried_again");
  return queued;
}

/** Another process may queue the same slices, or plan their cells, at the same moment: then the next check finds the rest. */
async function queue(
  db: Database,
  {
    tries,
    clock,
    account,
  }: Pick<RunStart, "account"> & { readonly tries: readonly DueTry[]; readonly clock: Parts["clock"] },
): Promise<number> {
  try {
    return await db.transaction().execute(async (transaction) => {
      const today = clock.today();
      const ids = tries.map(({ sliceId }) => sliceId);
      const plansAfter = await readPlansAfter(transaction, sql`s.slice_id = any (${ids}::bigint[])`, today);
      const own = { kind: "retry", workerId: null, datasets: [], maxCredits: null } as const;
      const start = { ...own, account, asOf: today, plansAfter };
      const runId = await openRun(transaction, start, clock.now());
      const queued = await queueTries(transaction, { runId, tries, now: clock.now() });
      await closeRun(transaction, runId, "loaded", { now: clock.now() });
      return queued;
    });
  } catch (error) {
    if (isPassing(error) && !isCancelled(error)) return 0;
    throw error;
  }
}

/**
 * Datasets that are not switched off, and those of them that someone agreed to: by name, or to everything that is on. A slice of another
 * dataset is retried if the schedule or a plan started it; others are left to a person's next sync or retry, since nobody agreed to more
 * than that. For a person, named datasets are all of these.
 */
function triedDatasets(settings: Settings, named: TriesFor["datasets"]) {
  if (!("agreed" in named)) return { datasets: named, on: named };
  const covered = coveredBy(named.agreed, settings);
  const names = datasets.filter(({ name }) => settings.datasets[name]?.on !== false);
  return {
    datasets: names.map(({ name }) => name),
    on: names
      .filter((dataset) => (covered === "everything" ? isOn(dataset, settings) : covered.has(dataset.name)))
      .map(({ name }) => name),
  };
}
