import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { createApp, type App } from "../app.ts";
import { configOfAccount } from "../config/config-of-account.ts";
import { projectRoot, type Config } from "../config/config.ts";
import { processEnvironment, readEnvironment, type Environment } from "../config/env.ts";
import { readSettings } from "../config/read-yaml.ts";
import { secretsOf } from "../config/secrets.ts";
import type { Settings } from "../config/settings.ts";
import { fail } from "../core/errors.ts";
import { hiderOf } from "../core/secret.ts";
import { reportGoneWorker } from "./gone-worker.ts";

/** The environment of this process, and `.env` in the working folder or else the project's. */
function loadEnvironment(): Environment {
  return readEnvironment(processEnvironment(), environmentFile());
}

/** Removes the secrets of this process from an unexpected text, even if its settings are invalid. */
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

/** `mayBeNew`: for a command that writes the file that STOREHOUSE_CONFIG names. */
export type Reading = { readonly mayBeNew?: true };

/** The configuration file. Throws a UsageError when STOREHOUSE_CONFIG names none. */
export function settingsFile({ STOREHOUSE_CONFIG: named }: Environment, { mayBeNew }: Reading = {}): string {
  if (named !== undefined && !mayBeNew && !existsSync(named))
    throw fail("bad_setting", { variable: "STOREHOUSE_CONFIG", problem: `names a file that does not exist: ${named}` });
  if (named !== undefined && statSync(named, { throwIfNoEntry: false })?.isDirectory())
    throw fail("bad_setting", { variable: "STOREHOUSE_CONFIG", problem: `names a folder, not a file: ${named}` });
  return path.resolve(named ?? path.join(projectRoot, "config", "storehouse.yaml"));
}

/** Where the embedded Postgres keeps its data. */
export function homeOf({ STOREHOUSE_HOME: named }: Environment): string {
  return path.resolve(named ?? path.join(projectRoot, ".storehouse"));
}

/** The configuration of this process: environment, `.env`, and what `read` returns for config/storehouse.yaml. */
export function configWith(read: (file: string) => Settings, reading: Reading = {}): Config {
  const environment = loadEnvironment();
  const file = settingsFile(environment, reading);
  const config = { environment, settings: read(file), settingsFile: file, home: homeOf(environment) };
  return configOfAccount(Object.freeze(config));
}

/**
 * Opens the app for a command that only reads or maintains the warehouse. Dataset settings are read, but not checked against what each
 * dataset can use: that would load all datasets, which takes most of the time of such a command. A command that shows the workers itself
 * does not print the remark that none is left.
 */
export async function withWarehouse<T>(
  work: (app: App) => Promise<T>,
  { showsWorkers = false }: { readonly showsWorkers?: boolean } = {},
): Promise<T> {
  await using app = await createApp(configWith((file) => readSettings(file)));
  if (!showsWorkers) await reportGoneWorker(app);
  return await work(app);
}
