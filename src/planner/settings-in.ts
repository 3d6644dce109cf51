import { readSettings } from "../config/read-yaml.ts";
import { settingsFor, type Settings } from "../config/settings.ts";
import { datasetOptions } from "../datasets/shared/all.ts";
import { unusableSettings } from "./unusable-settings.ts";

// built once: with forty datasets this is expensive
const schema = settingsFor(datasetOptions, unusableSettings);

/** Reads the configuration file, and checks that each dataset can use its settings. Throws a UsageError that names file, line and key. */
export function settingsIn(file: string): Settings {
  return readSettings(file, schema);
}
