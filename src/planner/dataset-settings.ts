import { usesTrackedApps, type DatasetSettings, type Settings } from "../config/settings.ts";
import type { Day } from "../core/day.ts";
import { keptFrom } from "../core/period.ts";
import type { Timing } from "../core/timing.ts";
import { datasets } from "../datasets/shared/all.ts";
import type { Dataset } from "../datasets/shared/define-dataset.ts";

/** The settings of a dataset; a setting that it does not have comes from the settings for all. */
export function settingsOf(dataset: Pick<Dataset, "name" | "tables">, settings: Settings): DatasetSettings {
  const own = settings.datasets[dataset.name] ?? {};
  const keepMonths = own.keep_months ?? settings.retention.keep_months;
  return keepMonths === undefined || !isKeptByMonth(dataset) ? own : { ...own, keep_months: keepMonths };
}

/** False for the lists of the account's portfolio if the configuration does not use them: they are never planned. */
export function isPlannable({ stage }: Pick<Dataset, "stage">, settings: Settings): boolean {
  return stage !== "portfolio" || usesTrackedApps(settings);
}

/** True if the rows of a dataset are in monthly partitions: only those are dropped by month. */
export function isKeptByMonth({ tables }: Pick<Dataset, "tables">): boolean {
  return tables.some(({ partitioned }) => partitioned);
}

/** The tables whose new months are cut into days, because a setting of one of the datasets that write them says so. */
export function tablesByDay(settings: Settings): ReadonlySet<string> {
  const byDay = datasets.filter(({ name }) => settings.datasets[name]?.partitions === "day");
  return new Set(
    byDay.flatMap(({ tables }) => tables.filter(({ partitioned }) => partitioned).map(({ name }) => name)),
  );
}

/** The timing of a dataset with the changes of the configuration. The first kept day depends on `today`. */
export function timingWith(timing: Timing, settings: DatasetSettings, today?: Day): Timing {
  if (timing.kind === "snapshot") return { ...timing, refreshDays: settings.refresh_days ?? timing.refreshDays };
  const kept = today === undefined ? null : keptFrom(today, settings.keep_months);
  const packDays = settings.pack_days ?? timing.packDays;
  const historyDays = settings.history_days ?? timing.historyDays;
  const { packIsFull, ...usual } = timing;
  // with fewer days per pack, a call has room for more
  const isFull = packIsFull === true && packDays !== undefined && packDays >= (timing.packDays ?? 0);
  return {
    ...usual,
    ...(isFull ? { packIsFull } : {}),
    settleDays: settings.settle_days ?? timing.settleDays,
    lookbackDays: settings.lookback_days ?? timing.lookbackDays,
    // otherwise days that wait for each other would be out of reach when the last of them is published
    historyDays: Math.max(historyDays, packDays ?? 0),
    ...(settings.start === undefined ? {} : { firstDay: settings.start }),
    ...(kept === null ? {} : { keptFrom: kept }),
    ...(packDays === undefined ? {} : { packDays }),
  };
}
