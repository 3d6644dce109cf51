import type { Settings } from "../config/settings.ts";
import { datasetNamed } from "../datasets/shared/all.ts";
import { isPlannable } from "./dataset-settings.ts";
import { datasetsOf } from "./plan-stream.ts";

/**
 * Which of the datasets that a line of the schedule names take part: none that the configuration switches off, and no list of the account's
 * portfolio if that does not count. If none is named, those that are on.
 */
export function scheduled(names: readonly string[], settings: Settings): readonly string[] {
  if (names.length === 0) return datasetsOf({ datasets: [] }, settings).map(({ name }) => name);
  return names.filter((name) => settings.datasets[name]?.on !== false && isPlannable(datasetNamed(name), settings));
}
