import type { Settings } from "../config/settings.ts";
import type { Clock } from "../core/clock.ts";
import { addDays, addMonths, monthStart, type Day } from "../core/day.ts";
import { datasets } from "../datasets/shared/all.ts";
import { answersOf, forgetDigests, noteDropped, noteGone, type DroppedMonth } from "../ledger/dropped-months.ts";
import { foldMonth, monthsToFold } from "../ledger/fold-slices.ts";
import { makeRequestMonths, requestTable, sumUpRequests, unmadeRequestMonths } from "../ledger/past-requests.ts";
import { dropChecks } from "../ledger/reported-checks.ts";
import { isLockTimeout } from "../postgres/database-errors.ts";
import type { Database } from "../postgres/database.ts";
import {
  limitLockWaits,
  monthsBefore,
  removeMonth,
  type PartitionedMonth,
  type RetentionAction,
} from "../load/old-months.ts";
import { dropComparisons } from "../load/comparisons.ts";
import { isSummed, keepSums } from "../load/sums.ts";
import { evidenceDays } from "../plan/learn-lookback.ts";
import type { IngestParts } from "../ingest/ingest-parts.ts";
import { keptTables, leaveUnkeptDays } from "./kept-tables.ts";

/** A month of facts or requests that is no longer kept, with the datasets that write its table. */
export type OldMonth = PartitionedMonth & { readonly datasets: readonly string[]; readonly keptFrom: Day };

/** The outcome for an old month: gone, or postponed, because a slice writes to it, a lock is not available, or it is not published yet. */
export type Retired = OldMonth & { readonly outcome: "gone" | "in use" | "not published" };

/** How months are retired. `mayGo` is true for a month that is also kept elsewhere; without it all may go. */
type RetireOptions = {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly action: RetentionAction;
  readonly mayGo?: ((month: OldMonth) => Promise<boolean>) | undefined;
};

/** Requests, which belong to no dataset, and the day from which they are kept. */
function keptRequests(settings: Settings, today: Day) {
  const from = addMonths(monthStart(today), -settings.retention.ops_months);
  return { table: requestTable, datasets: [], keptFrom: from, cut: from };
}

/** What `retire` would take out: months that are no longer kept, table by table, the oldest first. Writes nothing. */
export async function monthsToRetire(db: Database, settings: Settings, today: Day): Promise<readonly OldMonth[]> {
  const unmade = await unmadeRequestMonths(db, keptRequests(settings, today).cut);
  return oldMonths(db, { settings, today, unmade: unmade.map((month) => ({ ...month, table: requestTable })) });
}

type OldMonths = {
  readonly settings: Settings;
  readonly today: Day;
  /** Months without a partition that are to be named as well. */
  readonly unmade?: readonly PartitionedMonth[];
};

async function oldMonths(db: Database, { settings, today, unmade = [] }: OldMonths): Promise<readonly OldMonth[]> {
  const old: OldMonth[] = [];
  const kept = [...keptTables(settings, today), keptRequests(settings, today)];
  for (const { table, datasets: names, keptFrom: from, cut } of kept) {
    const months = [...(await monthsBefore(db, table, cut)), ...unmade.filter((one) => one.table === table)];
    months.sort((one, other) => one.month.localeCompare(other.month));
    for (const month of months) old.push({ ...month, datasets: names, keptFrom: from });
  }
  return old;
}

/**
 * Drops or detaches every month that is no longer kept, the oldest first. A month that is in use or may not go yet is left for the next
 * time, with the later months of its table.
 */
export async function retire(
  db: Database,
  { settings, clock, action, mayGo }: RetireOptions,
): Promise<readonly Retired[]> {
  const retired: Retired[] = [];
  await makeMonths(db, clock.today());
  await leaveUnkeptDays(db, settings, clock);
  for (const month of await oldMonths(db, { settings, today: clock.today() })) {
    const before = retired.find(({ table, outcome }) => table === month.table && outcome !== "gone");
    // rows that load from here on may be missing from the copy that is found to be equal
    const answers = mayGo === undefined ? null : await answersOf(db, month);
    const isPublished = before === undefined && (mayGo === undefined || (await mayGo(month)));
    const isGone = isPublished && (await remove(db, month, { action, clock, answers }));
    const stays = before?.outcome ?? (isPublished ? "in use" : "not published");
    retired.push({ ...month, outcome: isGone ? "gone" : stays });
  }
  await foldSlices(db, settings, clock);
  await dropComparisons(db, addDays(clock.today(), -evidenceDays));
  await dropChecks(db, addDays(clock.today(), -evidenceDays));
  return retired;
}

/** `retire` for the worker: logs what it did. */
export async function retireQuietly(
  { db, clock, log }: Pick<IngestParts, "db" | "clock" | "log">,
  { settings, mayGo }: Pick<RetireOptions, "settings" | "mayGo">,
): Promise<void> {
  const { action } = settings.retention;
  for (const { table, month, rows, outcome } of await retire(db, { settings, clock, action, mayGo }))
    log.info({ table, month, rows, action, outcome }, "retention.month");
}

/** Folds the slices of months that are over. */
async function foldSlices(db: Database, settings: Settings, clock: Clock): Promise<void> {
  const before = addMonths(monthStart(clock.today()), -settings.retention.slice_months);
  for (const month of await monthsToFold(db, before, clock.now())) await foldMonth(db, month, clock.now());
}

const summedTables = datasets.flatMap(({ tables }) => tables.filter(isSummed));

/** How often a lock is requested before the month is left for the next time. */
const mostAttempts = 3;

/** `answers`: the answers of the month at the time of the check that it may go; null if that does not matter. */
type Removal = { readonly action: RetentionAction; readonly clock: Clock; readonly answers: string | null };

async function remove(db: Database, month: OldMonth, { action, clock, answers }: Removal): Promise<boolean> {
  for (let attempt = 1; attempt <= mostAttempts; attempt += 1) {
    try {
      await db.transaction().execute((transaction) => takeOut(transaction, { ...month, action, answers }, clock.now()));
      return true;
    } catch (error) {
      if (error === inUse) return false;
      if (!isLockTimeout(error)) throw error;
    }
  }
  return false;
}

/** Thrown to roll back a transaction. */
const inUse = new Error("a slice may write to the month, or has since it was found that it may go");

/** Months of requests are made in advance; if a reader holds a lock, the next night tries again. */
async function makeMonths(db: Database, today: Day): Promise<void> {
  try {
    await db.transaction().execute(async (transaction) => {
      await limitLockWaits(transaction);
      await makeRequestMonths(transaction, today);
    });
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
  }
}

/** Notes and removes a month in one transaction: a process that is killed in between leaves everything as it was. */
async function takeOut(
  transaction: Database,
  { answers, ...month }: DroppedMonth & Pick<Removal, "answers">,
  now: number,
): Promise<void> {
  if (!(await noteDropped(transaction, month, now))) throw inUse;
  if (answers !== null && (await answersOf(transaction, month)) !== answers) throw inUse;
  await forgetDigests(transaction, month);
  await limitLockWaits(transaction);
  if (month.table === requestTable) await sumUpRequests(transaction, month.month);
  await removeMonth(transaction, month, month.action);
  // after it, in the order in which loads lock both
  const summed = summedTables.find(({ name }) => name === month.table);
  if (summed !== undefined) await keepSums(transaction, summed, { start: month.month, end: addMonths(month.month, 1) });
  await noteGone(transaction, month);
}
