import { statSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { App } from "../app.ts";
import { settingsOfAccount } from "../config/config-of-account.ts";
import type { Config } from "../config/config.ts";
import { whyFixed } from "../config/replace-file.ts";
import type { Settings } from "../config/settings.ts";
import { StorehouseError } from "../core/errors.ts";
import { settingsIn } from "../planner/settings-in.ts";

/** The configuration in the file now, which may be newer than the one that this process and the workers use. */
export type ConfigurationNow = {
  /** Null if the settings come from no file. */
  readonly file: string | null;
  readonly settings: Settings;
  /** True if the portfolio in the file differs from that of this process, which read it at its start. */
  readonly isNewer: boolean;
  /** What is wrong with the file; the settings are then those of this process. */
  readonly problem: string | null;
};

type Stamped = { readonly stamp: string; readonly now: ConfigurationNow };
/** What was last read, by the process's configuration: parsing a list of thousands of keywords takes a while. */
const lastRead = new WeakMap<Config, Stamped>();

/** Reads the configuration file again if it has changed. */
export function configurationNow(app: Pick<App, "config" | "hide">): ConfigurationNow {
  const { settings, settingsFile: file } = app.config;
  if (file === undefined) return { file: null, settings, isNewer: false, problem: null };
  const { mtimeMs, size, ino } = statSync(file, { throwIfNoEntry: false }) ?? {};
  const stamp = `${mtimeMs} ${size} ${ino}`;
  const known = lastRead.get(app.config);
  if (known?.stamp === stamp) return known.now;
  const now = readAgain(app, file);
  lastRead.set(app.config, { stamp, now });
  return now;
}

function readAgain(
  { config: { settings, environment }, hide }: Pick<App, "config" | "hide">,
  file: string,
): ConfigurationNow {
  const own = { file, settings, isNewer: false, problem: null };
  try {
    const read = settingsOfAccount(settingsIn(file), environment.STOREHOUSE_ACCOUNT);
    return { ...own, settings: read, isNewer: !isDeepStrictEqual(read.portfolio, settings.portfolio) };
  } catch (error) {
    if (!(error instanceof StorehouseError)) throw error;
    return { ...own, problem: hide(error.message) };
  }
}

/** Why this console cannot change the configuration, as a sentence; null if it can. */
export function whyNotWritten(file: string | null): string | null {
  if (file === null) return "The settings of this console do not come from a file: add these lines to your own file.";
  const reason = whyFixed(file);
  return reason === null
    ? null
    : `The console cannot write ${file}: ${reason}. Replace the entry of this app with these lines.`;
}
