import type { CreditBudget } from "../core/credit-budget.ts";
import { dayOf } from "../core/day.ts";
import { readBudgets, type BudgetUse } from "../credits/budgets.ts";
import { latestAccount, readAccount, type AccountState } from "../credits/account.ts";
import { newlyLost, readLostDays } from "../ledger/lost-days.ts";
import { readNextRuns, type NextRun } from "../ledger/next-runs.ts";
import { readStatus, readUnfinishedSync, type Status } from "../ledger/status.ts";
import { readWorkerCounts, type WorkerCounts } from "../ledger/worker-counts.ts";
import type { Database } from "../postgres/database.ts";
import { readOpenIncidents, type OpenIncident } from "./open-incidents.ts";
import { readLateDatasets } from "./late-datasets.ts";
import { verdictOf, type Verdict } from "./verdict.ts";
import { sumBy } from "../core/count.ts";

/** What a person asks in the morning, with the verdict over all of it. */
export type Morning = Status & {
  readonly now: number;
  readonly account: AccountState | null;
  readonly budgets: readonly BudgetUse[];
  readonly nextRuns: readonly NextRun[];
  readonly workers: WorkerCounts;
  readonly incidents: readonly OpenIncident[];
  readonly verdict: Verdict;
};

/**
 * Whose morning it is: the account by its name, empty for that of API_TOKEN; `accountId` null without a token; datasets that the
 * configuration switches off, of which nothing has to be mended; `now` in epoch-ms.
 */
type MorningOf = {
  readonly switchedOff: readonly string[];
  readonly account: string;
  readonly accountId: string | null;
  readonly budgets: readonly CreditBudget[];
  /** Limits of the settings for the age of datasets, in hours; left out where the caller works out what is late. */
  readonly freshHours?: ReadonlyMap<string, number>;
  readonly now: number;
};

/** Reads it. */
export async function readMorning(
  db: Database,
  { account, accountId: known, budgets, switchedOff, freshHours, now }: MorningOf,
): Promise<Morning> {
  const accountId = known ?? (await latestAccount(db, account));
  const status = await readStatus(db, switchedOff);
  const lostDays = new Set(newlyLost(await readLostDays(db), now).map(({ day }) => day)).size;
  const read = {
    now,
    account: await readAccount(db, accountId),
    budgets: await readBudgets(db, { accountId, budgets, day: dayOf(now) }),
    nextRuns: await readNextRuns(db, now, account),
    workers: await readWorkerCounts(db, account),
    incidents: await readOpenIncidents(db),
  };
  // where a worker runs its checks open incidents, with the crontab in mind
  const isServed = read.workers.running + read.workers.waiting > 0;
  const late =
    freshHours === undefined || isServed ? [] : await readLateDatasets(db, status.datasets, { freshHours, now });
  const verdict = verdictOf({
    ...sumsOf(status, switchedOff),
    ...read,
    late,
    lostDays,
    incidents: read.incidents.length,
    lastRun: status.lastRun,
    unfinishedSync: await readUnfinishedSync(db, account),
  });
  return { ...status, ...read, verdict };
}

function sumsOf({ datasets, troubles, failedForNow }: Status, switchedOff: readonly string[]) {
  const putOff = troubles.filter(({ state }) => state === "deferred");
  const others = sumBy(datasets, ({ deferred }) => deferred) - sumBy(putOff, ({ slices }) => slices);
  return {
    failed: sumBy(datasets, ({ dataset, failed }) => (switchedOff.includes(dataset) ? 0 : failed)) - failedForNow,
    failedForNow,
    open: sumBy(datasets, ({ pending, running, deferred }) => pending + running + deferred),
    running: sumBy(datasets, ({ running }) => running),
    deferred: others > 0 ? [...putOff, { code: "", slices: others }] : putOff,
    datasets: datasets.length,
    unavailable: datasets.filter(isUnavailable).length,
    newestDay: datasets.flatMap(({ lastDay }) => lastDay ?? []).reduce<string | null>(later, null),
  };
}

function isUnavailable({ skipped, pending, running, deferred, loaded, empty, failed }: Status["datasets"][number]) {
  return skipped > 0 && pending + running + deferred + loaded + empty + failed === 0;
}

function later(a: string | null, b: string): string {
  return a === null || b > a ? b : a;
}
