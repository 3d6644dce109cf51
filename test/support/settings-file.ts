import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { z } from "zod";
import { readSettings } from "../../src/config/read-yaml.ts";
import { settingsFor, type Settings } from "../../src/config/settings.ts";

/** Three datasets, of which one has options. */
export const datasets = {
  keyword_rank: null,
  organic_keyword: null,
  category_rank: z.object({ hourly: z.boolean().default(false), charts: z.array(z.enum(["FREE", "PAID"])).optional() }),
};

/** Settings of these three alone. */
export const schema = settingsFor(datasets);

/** A configuration file in a folder of its own. */
export type SettingsFile = AsyncDisposable & {
  readonly folder: string;
  readonly file: string;
  /** Writes it, and reads it as the program does. */
  readonly read: (yaml: string) => Promise<Settings>;
};

/** Makes the folder; disposing removes it. */
export async function openSettingsFile(): Promise<SettingsFile> {
  const folder = await mkdtemp(path.join(tmpdir(), "storehouse-settings-"));
  const file = path.join(folder, "storehouse.yaml");
  return {
    folder,
    file,
    read: async (yaml) => {
      await writeFile(file, yaml);
      return readSettings(file, schema);
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}
