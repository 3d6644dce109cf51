import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { type Config, projectRoot } from "../config/config.ts";
import { editedEnv } from "../config/edit-env.ts";
import { readEnvironment } from "../config/env.ts";
import { editedSettings, type NewApp, type SettingsChange } from "../config/edit-yaml.ts";
import { KeywordText } from "../config/portfolio-settings.ts";
import { readText } from "../config/read-text.ts";
import { replaceFile } from "../config/replace-file.ts";
import type { Settings } from "../config/settings.ts";
import type { Clock } from "../core/clock.ts";
import { count } from "../core/words.ts";
import type { PortfolioApp } from "../core/portfolio.ts";
import { datasets } from "../datasets/shared/all.ts";
import { examplePortfolio } from "../planner/example-portfolio.ts";
import { portfolioPrice, type PortfolioPrice } from "../planner/portfolio-price.ts";
import { portfolioOf } from "../planner/portfolio.ts";
import { settingsIn } from "../planner/settings-in.ts";
import { environmentFile, settingsFile } from "./environment.ts";

/** The answers to `storehouse init`: variables of `.env` (null empties one), and settings of config/storehouse.yaml. */
export type Setup = {
  readonly variables: Readonly<Record<string, string | null>>;
  readonly settings: SettingsChange;
};

/** How much an account tracks, roughly: apps, countries of each, keywords in each of these. */
export type RoughSize = { readonly apps: number; readonly countries: number; readonly keywords: number };

/** The files of a setup. */
export type SetupFiles = { readonly environment: string; readonly settings: string };

/** The files that commands in this folder read, or will read; another `.env` if one is named. */
export function setupFiles({ environment }: Config, named?: string): SetupFiles {
  const settings = settingsFile(environment, { mayBeNew: true });
  return { environment: path.resolve(named ?? environmentFile() ?? ".env"), settings };
}

/** How the program is called where commands read this `.env`: npx finds it only in its own folder. */
export function callOf(environment: string): string {
  return path.dirname(environment) === projectRoot ? "npx storehouse" : path.join(projectRoot, "bin", "storehouse.js");
}

/** Of a new file without settings: an empty one is refused. */
const firstLine = "# Settings of Storehouse: see docs/configuration.md\n";

/**
 * Writes both files, each as a whole, or neither; a new `.env` begins with `.env.example`, and only its owner may read it. Returns the new
 * settings.
 */
export function writeSetup(files: SetupFiles, { variables, settings }: Setup): Settings {
  const before = readText(files.settings) ?? "";
  const after = editedSettings(before, settings);
  const text = readText(files.environment) ?? readFileSync(path.join(projectRoot, ".env.example"), "utf8");
  // a line that already has this value stays, with its comment, and a secret in a separate file stays there
  const stands: Readonly<Record<string, unknown>> = readEnvironment({}, files.environment);
  const changed = Object.entries(variables).filter(([name, value]) => value !== (stands[name] ?? null));
  const writeEnvironment = () =>
    replaceFile(files.environment, editedEnv(text, Object.fromEntries(changed)), { mode: 0o600 });
  // during the check of the other file, which is written by then and not yet in place
  const check = (file: string) => {
    settingsIn(file);
    writeEnvironment();
  };
  // a named file that does not exist is created even if it only has defaults: commands refuse the name of a missing file
  if (after === before && existsSync(files.settings)) writeEnvironment();
  else replaceFile(files.settings, after === "" ? firstLine : after, { check });
  return settingsIn(files.settings);
}

/** The price of the portfolio: of the listed apps, and of an account of a rough size if the account's own apps count. */
export function priceOfSetup(settings: Settings, size: RoughSize | null, clock: Clock): Promise<PortfolioPrice> {
  const account = size === null ? [] : roughApps(size);
  const { apps } = portfolioOf(account, settings.portfolio);
  return portfolioPrice({ apps, settings, today: clock.today() });
}

/** The apps of such an account, half of each store, each with its own keywords. */
export function roughApps({ apps, countries, keywords }: RoughSize): readonly PortfolioApp[] {
  const codes = Array.from({ length: countries }, (_, index) => codeOf(index));
  return examplePortfolio({ apps, countries: codes, keywords }, datasets).apps;
}

/** The n-th pair of letters: a price does not depend on which country it is. */
function codeOf(index: number): string {
  return String.fromCharCode(65 + Math.floor(index / 26), 65 + (index % 26));
}

/** The largest size that is priced: a few million keywords take a minute. */
const most = { apps: 10_000, countries: 200, together: 5_000_000 } as const;

/** Why a size is not priced; null if it is. */
export function whyTooLarge({ apps, countries, keywords }: RoughSize): string | null {
  const together = apps * countries * Math.max(1, keywords);
  if (apps <= most.apps && countries <= most.countries && together <= most.together) return null;
  return `the limit is ${count(most.apps)} apps, ${count(most.countries)} countries and ${count(most.together)} keywords in all: price a part, and multiply`;
}

/** Reads `3 apps`, `3x5x100` and the like: three whole numbers; null for any other text, or too large numbers. */
export function sizeIn(text: string): RoughSize | null {
  const [apps = 0, countries = 0, keywords = 0, ...more] = text.match(/\d+/g)?.map(Number) ?? [];
  const size = { apps, countries, keywords };
  const fits = apps >= 1 && countries >= 1 && whyTooLarge(size) === null;
  return fits && more.length === 0 && text.match(/\d+/g)?.length === 3 ? size : null;
}

/** Datasets to switch on or off, from words like `+organic_keyword -review`, and the first invalid word, if any. */
export function switchesIn(text: string): {
  readonly datasets: Readonly<Record<string, boolean>>;
  readonly wrong: string | null;
} {
  const words = text.split(/[\s,]+/).filter((word) => word !== "");
  const known = new Set(datasets.map(({ name }) => name));
  const wrong = words.find((word) => !/^[+-]/.test(word) || !known.has(word.slice(1))) ?? null;
  return { datasets: Object.fromEntries(words.map((word) => [word.slice(1), word.startsWith("+")])), wrong };
}

/** Why a keyword cannot be in the portfolio, null if it can. */
export function keywordProblem(text: string): string | null {
  if (text.trim() === "") return "a keyword is empty";
  return KeywordText.safeParse(text).error?.issues[0]?.message ?? null;
}

/** An app for the portfolio, from its id, countries and keywords as typed; lists are separated by commas. */
export function newApp(id: string, countries: string, keywords: string): NewApp {
  const list = (text: string) => [...new Set(text.split(",").map((part) => part.trim()))].filter((part) => part !== "");
  return { id, countries: list(countries.toUpperCase().replaceAll(/\s+/g, ",")), keywords: list(keywords) };
}
