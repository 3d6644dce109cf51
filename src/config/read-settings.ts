import type { z } from "zod";
import { didYouMean, keysAt } from "./did-you-mean.ts";
import { readYaml } from "./read-yaml.ts";
import { settingsFor, type DatasetOptions, type Settings, type Unusable } from "./settings.ts";

/** Reads config/storehouse.yaml; a missing file means defaults. Throws a UsageError that names file, line and key. */
export function readSettings(file: string, datasets: DatasetOptions, unusable?: Unusable): Settings {
  const schema = settingsFor(datasets, unusable);
  // the shape of a dataset's settings is the same for all, but for its options, which the dataset itself reads
  return readYaml(file, schema, (key, path) => unknownName(key, path, schema)) as Settings;
}

function unknownName(key: string, path: readonly PropertyKey[], schema: z.ZodType): string {
  const isDataset = path.length === 1 && path[0] === "datasets";
  return `${isDataset ? "no dataset has this name" : "is no setting"}${didYouMean(key, keysAt(schema, path))}`;
}
