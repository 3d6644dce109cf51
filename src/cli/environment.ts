import path from "node:path";
import { projectRoot, type Config } from "../config/config.ts";
import { processEnvironment, readEnvironment } from "../config/env.ts";
import { readSettings } from "../config/read-settings.ts";
import { createApp, type App } from "../app.ts";
import type { Day } from "../core/day.ts";
import { datasets } from "../datasets/all.ts";

/** The configuration of this process: environment, `.env` in the working folder, config/storehouse.yaml. */
export function loadConfig(): Config {
  const environment = readEnvironment(processEnvironment(), path.resolve(".env"));
  const file = environment.STOREHOUSE_CONFIG ?? path.join(projectRoot, "config", "storehouse.yaml");
  const settings = readSettings(
    path.resolve(file),
    datasets.map((dataset) => dataset.name),
  );
  return Object.freeze({
    environment,
    settings,
    home: path.resolve(environment.STOREHOUSE_HOME ?? path.join(projectRoot, ".storehouse")),
  });
}

/** Opens the app for one command and closes it afterwards. */
export async function withApp<T>(work: (app: App) => Promise<T>, asOf?: Day): Promise<T> {
  await using app = await createApp(loadConfig(), asOf);
  return await work(app);
}
