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
export function withApp<T>(work: (app: App) => Promise<T>, asOf?: Day): Promise<T> {
  return withCheckedApp(() => undefined, work, asOf);
}

/** `withApp` for commands that send requests: missing settings are reported before anything is opened. */
export function withApi<T>(work: (app: App) => Promise<T>, asOf?: Day): Promise<T> {
  return withCheckedApp(({ environment }) => apiAccess(environment), work, asOf);
}

/** `withApp` for commands that do not work with every configuration: `check` throws before anything is opened. */
export async function withCheckedApp<T>(
  check: (config: Config) => unknown,
  work: (app: App) => Promise<T>,
  asOf?: Day,
): Promise<T> {
  const config = loadConfig();
  check(config);
  await using app = await createApp(config, asOf);
  await reportGoneWorker(app);
  return await work(app);
}
