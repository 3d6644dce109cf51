import { dayOf, latestKnown } from "../core/day.ts";
import { readBudgets, type BudgetUse } from "../credits/budgets.ts";
import { readAccount, type AccountState } from "../credits/account.ts";
import { readHeld } from "../ledger/held-answers.ts";
import { newlyLost, readLostDays } from "../ledger/lost-days.ts";
import { readNextRuns, type NextRun } from "../ledger/next-runs.ts";
import { readApiTrouble, readStatus, readUnfinishedSync, type Status } from "../ledger/status.ts";
import { countRunning, isRunUnderWay, isServed, readWorkerCounts, type WorkerCounts } from "../ledger/worker-counts.ts";
import type { Database } from "../postgres/database.ts";
import { readLockWait, type LockWait } from "../postgres/lock-waits.ts";
import { sql } from "../postgres/sql.ts";
import { readOpenIncidents, type OpenIncident } from "./open-incidents.ts";
import { verdictOf, type Verdict } from "./verdict.ts";
import { sumBy } from "../core/sum.ts";
import { accountOf } from "../config/config-of-account.ts";
import { switchedOff, usesTrackedApps, type Settings } from "../config/settings.ts";
import { budgetsOf } from "../config/credit-budgets.ts";

/** What a person needs to know in the morning, with the overall verdict. */
export type Morning = Status & {
  readonly now: number;
  readonly account: AccountState | null;
  readonly budgets: readonly BudgetUse[];
  readonly nextRuns: readonly NextRun[];
  readonly workers: WorkerCounts;
  readonly incidents: readonly OpenIncident[];
  readonly lockWait: LockWait | null;
  readonly verdict: Verdict;
};

/** Options for `readMorning`. */
type MorningOf = {
  readonly settings: Settings;
  /** The account whose balance is shown. */
  readonly accountId: string;
  /** Reads which datasets are late, if no worker's checks report it; left out by a caller that reports lateness itself. */
  readonly readLate?: (datasets: Status["datasets"]) => Promise<readonly string[]>;
  /** Epoch-ms. */
  readonly now: number;
};

/** Reads the state for the morning. */
export async function readMorning(db: Database, { settings, accountId, readLate, now }: MorningOf): Promise<Morning> {
  const account = accountOf(settings);
  const off = switchedOff(settings);
  const status = await readStatus(db, off);
  const lostDays = new Set(newlyLost(await readLostDays(db), now).map(({ day }) => day)).size;
  const read = {
    now,
    account: await readAccount(db, accountId),
    budgets: await readBudgets(db, { accountId, budgets: budgetsOf(settings), day: dayOf(now) }),
    nextRuns: await readNextRuns(db, now, account),
    workers: await readWorkerCounts(db, account),
    incidents: await readOpenIncidents(db),
    lockWait: await readLockWait(db),
  };
  // if a worker runs, its checks open incidents
  const late =
    isServed(read.workers) || status.datasets.length === 0 ? [] : ((await readLate?.(status.datasets)) ?? []);
  const verdict = verdictOf({
    ...sumsOf(status, off),
    isPortfolioEmpty: await isPortfolioEmpty(db, settings),
    ...read,
    late,
    running: await countRunning(db),
    isRunUnderWay: await isRunUnderWay(db, account),
    ...(await readApiTrouble(db, accountId, now)),
    lostDays,
    held: isServed(read.workers) ? 0 : (await readHeld(db, account)).length,
    incidents: read.incidents.length,
    lastRun: status.lastRun,
    unfinishedSync: await readUnfinishedSync(db, account),
  });
  return { ...status, ...read, verdict };
}

function sumsOf({ datasets, troubles, failedForNow, nextTryAt }: Status, off: readonly string[]) {
  const putOff = troubles.filter(({ state }) => state === "deferred");
  const others = sumBy(datasets, ({ deferred }) => deferred) - sumBy(putOff, ({ slices }) => slices);
  return {
    failed: sumBy(datasets, ({ dataset, failed }) => (off.includes(dataset) ? 0 : failed)) - failedForNow,
    failedForNow,
    nextTryAt,
    open: sumBy(datasets, ({ pending, running, deferred }) => pending + running + deferred),
    deferred: others > 0 ? [...putOff, { code: "", slices: others }] : putOff,
    datasets: datasets.length,
    unavailable: datasets.filter(isUnavailable).length,
    lists: datasets.filter(({ listsPortfolio }) => listsPortfolio).length,
    newestDay: latestKnown(datasets.map(({ lastDay }) => lastDay)),
  };
}

/** True if all requested lists of what the account tracks were answered, and neither they nor the configuration name an app of it. */
async function isPortfolioEmpty(db: Database, settings: Settings): Promise<boolean> {
  if (!usesTrackedApps(settings)) return false;
  const account = accountOf(settings);
  const { rows } = await sql<{ isAnswered: boolean | null }>`
    select bool_and(s.state in ('loaded', 'empty')) as "isAnswered"
    from   ops.portfolio_list as l
    join   lateral (select state from ops.slice_log as s
                    where  s.dataset = l.dataset and coalesce(s.scope ->> 'account', '') = ${account} order by s.window_start desc limit 1) as s on true
    where  not exists (select from ops.listed_app where account = ${account})`.execute(db);
  return rows[0]?.isAnswered === true;
}

function isUnavailable({ skipped, pending, running, deferred, loaded, empty, failed }: Status["datasets"][number]) {
  return skipped > 0 && pending + running + deferred + loaded + empty + failed === 0;
}
