import { UsageError } from "../core/errors.ts";
import { isOn, type Settings } from "../config/settings.ts";
import { datasetNamed } from "../datasets/shared/all.ts";
import type { Alert } from "./alert.ts";

/** Lines of a crontab with the datasets that they name. */
type Lines = readonly { readonly datasets: readonly string[] | null }[];

/** The datasets that a crontab names; none if it cannot be read, which `storehouse doctor` reports. */
export function namedDatasets(readCrontab: () => Lines): ReadonlySet<string> {
  try {
    return new Set(readCrontab().flatMap(({ datasets }) => datasets ?? []));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return new Set();
  }
}

/**
 * The datasets of an alert if all of them are off, so that it never fires; else empty. `named`: datasets that the crontab names, which are
 * on unless the configuration switches them off.
 */
export function datasetsOff(
  { datasets }: Pick<Alert, "datasets">,
  settings: Pick<Settings, "datasets">,
  named: ReadonlySet<string>,
): readonly string[] {
  const takesPart = (name: string) => isOn({ name, on: datasetNamed(name).on || named.has(name) }, settings);
  return datasets.some(takesPart) ? [] : datasets;
}
