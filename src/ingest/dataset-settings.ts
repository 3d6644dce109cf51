import type { DatasetSettings, Settings } from "../config/settings.ts";
import type { Dataset } from "../datasets/define-dataset.ts";

/** The settings of a dataset, with what holds for all where it has no word of its own. */
export function settingsOf(dataset: Pick<Dataset, "name" | "tables">, settings: Settings): DatasetSettings {
  const own = settings.datasets[dataset.name] ?? {};
  const keepMonths = own.keep_months ?? settings.retention.keep_months;
  return keepMonths === undefined || !isKeptByMonth(dataset) ? own : { ...own, keep_months: keepMonths };
}

/** True where rows of a dataset are in monthly partitions: only those are dropped by the month. */
export function isKeptByMonth({ tables }: Pick<Dataset, "tables">): boolean {
  return tables.some(({ partitioned }) => partitioned);
}
