import { createApp, type App } from "../app.ts";
import { apiAccess, type Config } from "../config/config.ts";
import type { Day } from "../core/day.ts";
import { settingsIn } from "../planner/settings-in.ts";
import { configWith, type Reading } from "./environment.ts";
import { reportGoneWorker } from "./gone-worker.ts";

/** The configuration of this process: environment, `.env` and config/storehouse.yaml. */
export function loadConfig(reading: Reading = {}): Config {
  return configWith(settingsIn, reading);
}

/** Opens the app for one command that plans or fetches, and closes it afterwards. */
export async function withApp<T>(work: (app: App) => Promise<T>, asOf?: Day): Promise<T> {
  await using app = await createApp(loadConfig(), asOf);
  await reportGoneWorker(app);
  return await work(app);
}

/** `withApp` for commands that send requests: missing settings are reported before anything is opened. */
export async function withApi<T>(work: (app: App) => Promise<T>, asOf?: Day): Promise<T> {
  apiAccess(loadConfig().environment);
  return withApp(work, asOf);
}
