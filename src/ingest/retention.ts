import type { Settings } from "../config/settings.ts";
import type { Clock } from "../core/clock.ts";
import { addMonths, type Day } from "../core/day.ts";
import { keptFrom } from "../core/kept-from.ts";
import { datasets } from "../datasets/all.ts";
import { halfDropped, noteDropped, noteGone } from "../ledger/dropped-months.ts";
import { isLockTimeout } from "../warehouse/database-errors.ts";
import type { Database } from "../warehouse/database.ts";
import { leafOf } from "../warehouse/partitions.ts";
import { monthsBefore, removeMonth, type MonthPartition, type RetentionAction } from "../warehouse/retention.ts";
import { dayColumns, type Table } from "../warehouse/table.ts";
import { settingsOf } from "./dataset-settings.ts";
import type { IngestParts } from "./parts.ts";

/** A month of facts that is kept no longer, with the datasets that write its table. */
export type OldMonth = MonthPartition & { readonly datasets: readonly string[]; readonly keptFrom: Day };

/** What came of an old month: gone, or put off while a slice writes to it or a lock is not to be had. */
export type Retired = OldMonth & { readonly outcome: "gone" | "in use" };

/** The first day that each table keeps: of several datasets that write it the one that keeps longest decides. */
export function keptTables(settings: Settings, today: Day) {
  const writers = Map.groupBy(
    datasets.flatMap((dataset) =>
      dataset.tables.filter(({ partitioned }) => partitioned).map((table) => ({ dataset, table })),
    ),
    ({ table }) => table.name,
  );
  return [...writers].flatMap(([name, all]) => {
    const from = all.map(({ dataset }) => keptFrom(today, settingsOf(dataset, settings).keep_months));
    const [first] = from.includes(null) ? [] : (from as Day[]).sort();
    const table = all[0]?.table;
    if (first === undefined || table === undefined) return [];
    return [
      { table: name, datasets: all.map(({ dataset }) => dataset.name), keptFrom: first, cut: cutOf(table, first) },
    ];
  });
}

/** A period lies in the month in which it begins and may end in the next one. */
function cutOf(table: Table, first: Day): Day {
  const days = dayColumns(table);
  return days?.first === days?.last ? first : addMonths(first, -1);
}

/** Months that are kept no longer, table by table, the oldest first. Writes nothing. */
export async function oldMonths(db: Database, settings: Settings, today: Day): Promise<readonly OldMonth[]> {
  const old: OldMonth[] = [];
  for (const { table, datasets: names, keptFrom: from, cut } of keptTables(settings, today))
    for (const month of await monthsBefore(db, table, cut)) old.push({ ...month, datasets: names, keptFrom: from });
  return old;
}

/**
 * Drops or detaches every month that is kept no longer, the oldest first; one that is in use, and those of its table after it, are left
 * for the next time. Ends what was interrupted.
 */
export async function retire(
  db: Database,
  { settings, clock, action }: { settings: Settings; clock: Clock; action: RetentionAction },
): Promise<readonly Retired[]> {
  const old = await oldMonths(db, settings, clock.today());
  const retired = [...(await endHalfDropped(db))];
  for (const month of old.filter(({ leaf }) => !retired.some((one) => one.leaf === leaf))) {
    const isStuck = retired.some(({ table, outcome }) => table === month.table && outcome === "in use");
    const isGone = !isStuck && (await remove(db, month, { action, now: clock.now() }));
    retired.push({ ...month, outcome: isGone ? "gone" : "in use" });
  }
  return retired;
}

/** `retire` for the worker: what it did goes to the log. */
export async function retireQuietly(
  { db, clock, log }: Pick<IngestParts, "db" | "clock" | "log">,
  settings: Settings,
): Promise<void> {
  const { action } = settings.retention;
  for (const { table, month, rows, outcome } of await retire(db, { settings, clock, action }))
    log.info({ table, month, rows, action, outcome }, "retention.month");
}

async function remove(
  db: Database,
  month: OldMonth,
  { action, now }: { action: RetentionAction; now: number },
): Promise<boolean> {
  return (await noteDropped(db, { ...month, action }, now)) && takeOut(db, month, action);
}

/** How often a lock is tried for; the month is noted, and the next retention ends what is left. */
const mostAttempts = 3;

async function takeOut(
  db: Database,
  month: Pick<OldMonth, "table" | "month">,
  action: RetentionAction,
): Promise<boolean> {
  for (let attempt = 1; attempt <= mostAttempts; attempt += 1) {
    try {
      await removeMonth(db, month, action);
      await noteGone(db, month);
      return true;
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
    }
  }
  return false;
}

/** Ends what was noted and interrupted: it was agreed to then. */
async function endHalfDropped(db: Database): Promise<readonly Retired[]> {
  const ended: Retired[] = [];
  for (const half of await halfDropped(db)) {
    const month = { ...half, leaf: leafOf(half.table, half.month), keptFrom: addMonths(half.month, 1) };
    ended.push({ ...month, outcome: (await takeOut(db, month, half.action)) ? "gone" : "in use" });
  }
  return ended;
}
