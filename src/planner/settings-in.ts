import { readSettings } from "../config/read-yaml.ts";
import { settingsFor, type Settings } from "../config/settings.ts";
import { datasetOptions } from "../datasets/shared/all.ts";
import { unusableSettings } from "./unusable-settings.ts";

// built once: with forty datasets this is expensive
const schema = settingsFor(datasetOptions, unusableSettings);

/** What the configuration file says, compared with what each dataset can use. Throws a UsageError that names file, line and key. */
export function settingsIn(file: string): Settings {
  return readSettings(file, schema);
}
