import type { Settings } from "../config/settings.ts";
import { datasetNamed } from "../datasets/shared/all.ts";
import type { Alert } from "./alert.ts";

/**
 * The datasets that an alert rests on, where none of them is on and so it never fires; empty otherwise. `named`: datasets that the
 * crontab names, which counts unless the configuration switches them off.
 */
export function switchedOff(
  { datasets }: Pick<Alert, "datasets">,
  settings: Pick<Settings, "datasets">,
  named: ReadonlySet<string> = new Set(),
): readonly string[] {
  const isOn = (name: string) => settings.datasets[name]?.on ?? (datasetNamed(name).on || named.has(name));
  return datasets.some(isOn) ? [] : datasets;
}
