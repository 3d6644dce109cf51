import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { apiAccess, projectRoot, type Config } from "../config/config.ts";
import { processEnvironment, readEnvironment, type Environment } from "../config/env.ts";
import { readSettings } from "../config/read-yaml.ts";
import { secretsOf } from "../config/secrets.ts";
import type { Settings } from "../config/settings.ts";
import { createApp, type App } from "../app.ts";
import type { Day } from "../core/day.ts";
import { fail } from "../core/errors.ts";
import { hiderOf } from "../core/secret.ts";
import { datasetOptions } from "../datasets/shared/all.ts";
import { unusableSettings } from "../planner/unusable-settings.ts";

/** The environment of this process, and `.env` in the working folder or else the project's. */
function loadEnvironment(): Environment {
  return readEnvironment(processEnvironment(), environmentFile());
}

/** Strikes the secrets of this process out of a text that nobody foresaw, also where its settings do not fit. */
export function hideSecrets(text: string): string {
  return hiderOf([...secretsOf(processEnvironment()), ...secretsLoaded()])(text);
}

function secretsLoaded(): readonly string[] {
  try {
    return secretsOf(loadEnvironment());
  } catch {
    return [];
  }
}

/** The `.env` of the working folder or else the project's; undefined when there is none. */
export function environmentFile(): string | undefined {
  return [path.resolve(".env"), path.join(projectRoot, ".env")].find((candidate) => existsSync(candidate));
}

/** The configuration file. Throws a UsageError when STOREHOUSE_CONFIG names none. */
export function settingsFile({ STOREHOUSE_CONFIG: named }: Environment): string {
  if (named !== undefined && !existsSync(named))
    throw fail("bad_setting", { variable: "STOREHOUSE_CONFIG", problem: `names no file: ${named}` });
  if (named !== undefined && statSync(named).isDirectory())
    throw fail("bad_setting", { variable: "STOREHOUSE_CONFIG", problem: `names a folder, not a file: ${named}` });
  return path.resolve(named ?? path.join(projectRoot, "config", "storehouse.yaml"));
}

/** What the configuration file says. Throws a UsageError that names file, line and key. */
export function settingsIn(file: string): Settings {
  return readSettings(file, datasetOptions, unusableSettings);
}

/** Where the embedded Postgres keeps its data. */
export function homeOf({ STOREHOUSE_HOME: named }: Environment): string {
  return path.resolve(named ?? path.join(projectRoot, ".storehouse"));
}

/** The configuration of this process: environment, `.env` and config/storehouse.yaml. */
export function loadConfig(): Config {
  const environment = loadEnvironment();
  return Object.freeze({ environment, settings: settingsIn(settingsFile(environment)), home: homeOf(environment) });
}

/** Opens the app for one command and closes it afterwards. */
export async function withApp<T>(work: (app: App) => Promise<T>, asOf?: Day): Promise<T> {
  await using app = await createApp(loadConfig(), asOf);
  return await work(app);
}

/** `withApp` for commands that ask the API: missing settings are told before anything is opened. */
export async function withApi<T>(work: (app: App) => Promise<T>, asOf?: Day): Promise<T> {
  apiAccess(loadConfig().environment);
  return withApp(work, asOf);
}
