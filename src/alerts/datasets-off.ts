import { isOn, type Settings } from "../config/settings.ts";
import { datasetNamed } from "../datasets/shared/all.ts";
import type { Alert } from "./alert.ts";

/**
 * The datasets that an alert rests on, where none of them is on and so it never fires; empty otherwise. `named`: datasets that the
 * crontab names, which counts unless the configuration switches them off.
 */
export function datasetsOff(
  { datasets }: Pick<Alert, "datasets">,
  settings: Pick<Settings, "datasets">,
  named: ReadonlySet<string> = new Set(),
): readonly string[] {
  const takesPart = (name: string) => isOn({ name, on: datasetNamed(name).on || named.has(name) }, settings);
  return datasets.some(takesPart) ? [] : datasets;
}
