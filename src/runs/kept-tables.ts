import type { Settings } from "../config/settings.ts";
import type { Clock } from "../core/clock.ts";
import { addMonths, type Day } from "../core/day.ts";
import { keptFrom } from "../core/period.ts";
import { datasets } from "../datasets/shared/all.ts";
import { leaveUnkept } from "../ledger/dropped-months.ts";
import { dayColumns, type Table } from "../load/table.ts";
import { settingsOf } from "../planner/dataset-settings.ts";
import type { Database } from "../postgres/database.ts";

/** The first day that each table keeps: if several datasets write it, the one that keeps longest decides. */
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

/** A period is in the month of its first day, and may end in the next month. */
function cutOf(table: Table, first: Day): Day {
  const days = dayColumns(table);
  return days?.first === days?.last ? first : addMonths(first, -1);
}

/**
 * Stops slices that wait, or failed, for days that are no longer kept, even if nothing of their month was loaded yet: they would be paid for,
 * and their rows dropped.
 */
export async function leaveUnkeptDays(db: Database, settings: Settings, clock: Clock): Promise<void> {
  for (const { datasets: names, cut } of keptTables(settings, clock.today()))
    await leaveUnkept(db, { datasets: names, end: cut }, clock.now());
}
