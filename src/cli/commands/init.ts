import { InvalidArgumentError, Option, type Command } from "commander";
import { readFileSync } from "node:fs";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Config } from "../../config/config.ts";
import { addressProblem, processEnvironment, type Environment } from "../../config/env.ts";
import { networkOf } from "../../config/network.ts";
import { portfolioSources } from "../../config/portfolio-settings.ts";
import { readText } from "../../config/read-text.ts";
import type { Settings } from "../../config/settings.ts";
import { systemClock } from "../../core/clock.ts";
import { fail } from "../../core/errors.ts";
import { checkAnyDatabase, checkApiAccess } from "../../doctor/doctor.ts";
import type { Diagnosis } from "../../doctor/diagnosis.ts";
import { countryArgument, trackIdArgument } from "../api-arguments.ts";
import { collect, several } from "../arguments.ts";
import { canConfirm } from "../confirm.ts";
import { print, remark } from "../output.ts";
import { count, countOf } from "../../core/words.ts";
import { openPrompts, QuestionsEnded } from "../prompts.ts";
import { exitCodes } from "../exit-codes.ts";
import {
  callOf,
  newApp,
  keywordProblem,
  priceOfSetup,
  setupFiles,
  sizeIn,
  switchesIn,
  writeSetup,
  type RoughSize,
  type SetupFiles,
  type Setup,
} from "../setup.ts";
import { askApi, askDatabase, askPortfolio, askSize, wrongSwitch, type QuestionsFrom } from "../setup-questions.ts";
import { nightWords } from "../step-price.ts";
import { loadConfig } from "../with-app.ts";

type Options = {
  readonly yes?: true;
  readonly api?: string;
  readonly tokenStdin?: true;
  readonly source?: (typeof portfolioSources)[number];
  readonly app?: string;
  readonly country: readonly string[];
  readonly keyword: readonly string[];
  readonly datasets?: string;
  readonly size?: string;
  readonly write?: string;
  readonly check: boolean;
};

/** `storehouse init`: write `.env` and config/storehouse.yaml, by questions or by options. */
export function defineInit(command: Command): void {
  command
    .option("--yes", "no questions: use the options below, the environment and what the files contain")
    .option("--api <url>", "address of the API (default: API_BASE_URL)")
    .option(
      "--token-stdin",
      "read the token from standard input (default: API_TOKEN); it is never a command-line argument",
    )
    .addOption(new Option("--source <source>", "where the portfolio comes from").choices(portfolioSources))
    .option("--app <id>", "add this app to the portfolio, with --country and --keyword", trackIdArgument)
    .addOption(several("--country <code>", "country of the app", "none", eachCountry))
    .addOption(several("--keyword <keyword>", "keyword of the app", "none", eachKeyword))
    .option("--datasets <switches>", 'datasets to switch on or off, for instance "+organic_keyword -review"')
    .option("--size <size>", "rough size of the account, for the price: apps, countries, keywords", "5x5x100")
    .option("--write <file>", "write this file instead of the .env that commands in this folder read")
    .option("--no-check", "contact neither the API nor the database")
    .addHelpText(
      "after",
      "\nAt a terminal it needs no options. It spends nothing: a balance check, which is free, tests address and token.\nA second run changes only what you answer differently and keeps the rest, comments included. With --yes, DATABASE_URL is taken from the environment.\nExit codes: 0 written, 2 an answer is invalid, 130 interrupted; after 2 and 130 nothing is written.",
    )
    .action((options: Options) => init(options));
}

/** The token and portfolio of another account would replace those of API_TOKEN. */
const oneAccount =
  "init sets up the account of API_TOKEN: unset STOREHOUSE_ACCOUNT; docs/accounts.md says how to configure other accounts";

async function init(options: Options): Promise<void> {
  const config = loadConfig({ mayBeNew: true });
  if (config.environment.STOREHOUSE_ACCOUNT !== undefined) throw fail("bad_argument", { problem: oneAccount });
  if (!options.yes && !canConfirm())
    throw fail("bad_argument", { problem: "there is no terminal for questions: add --yes and the options" });
  try {
    const { setup, size } = options.yes ? await setupOf(config, options) : await askAll(config, options);
    await finish(setupFiles(config, options.write), setup, size);
  } catch (error) {
    if (!(error instanceof QuestionsEnded)) throw error;
    remark("\nStopped: nothing was written.");
    process.exitCode = exitCodes.interrupted;
  }
}

type Answers = { readonly setup: Setup; readonly size: RoughSize | null };

async function askAll(config: Config, options: Options): Promise<Answers> {
  const { environment, settings } = config;
  const from: QuestionsFrom = {
    environment,
    settings,
    checkApi: (given) => (options.check ? tryApi(config, given) : Promise.resolve([])),
    checkDatabase: (url) => (options.check ? tryDatabase(config, url) : Promise.resolve([])),
  };
  remark(
    "Storehouse keeps its settings in .env and config/storehouse.yaml. Enter accepts the value in brackets; Ctrl-C ends without writing. Nothing here costs credits.",
  );
  using prompts = openPrompts();
  const api = await askApi(prompts, from);
  const database = await askDatabase(prompts, from);
  const portfolio = await askPortfolio(prompts, from);
  const size = portfolio.source === "config" ? null : await askSize(prompts);
  return { setup: { variables: { ...api, DATABASE_URL: database }, settings: portfolio }, size };
}

async function setupOf(config: Config, options: Options): Promise<Answers> {
  const { environment } = config;
  const given = {
    API_BASE_URL: options.api ?? environment.API_BASE_URL,
    API_TOKEN: options.tokenStdin ? readFileSync(0, "utf8").trim() : environment.API_TOKEN,
  };
  const { API_BASE_URL, API_TOKEN } = given;
  const wrong = API_BASE_URL === undefined ? "is not set: name it by --api" : addressProblem(API_BASE_URL);
  if (API_BASE_URL === undefined || wrong !== null)
    throw fail("bad_setting", { variable: "API_BASE_URL", problem: wrong });
  if (API_TOKEN === undefined || !/^\S+$/.test(API_TOKEN))
    throw fail("bad_setting", {
      variable: "API_TOKEN",
      problem: "is not set, or contains spaces: pass it by --token-stdin",
    });
  const size = sizeIn(options.size ?? "");
  if (size === null) throw fail("bad_argument", { problem: "--size is three numbers, for instance 5x5x100" });
  const { datasets, wrong: word } = switchesIn(options.datasets ?? "");
  const wrongWord = wrongSwitch(word);
  if (wrongWord !== null) throw fail("bad_argument", { problem: `--datasets: ${wrongWord.replace(/\.$/, "")}` });
  const unlisted = listingProblem(options, config.settings.portfolio.source);
  if (unlisted !== null) throw fail("bad_argument", { problem: unlisted });
  if (options.check) await mustWork(config, { API_BASE_URL, API_TOKEN });
  const app = options.app === undefined ? [] : [newApp(options.app, options.country.join(","), "")];
  const settings = {
    ...(options.source === undefined ? {} : { source: options.source }),
    apps: app.map((one) => ({ ...one, keywords: options.keyword })),
    datasets,
  };
  const database = environment.DATABASE_URL === undefined ? {} : { DATABASE_URL: environment.DATABASE_URL };
  return { setup: { variables: { API_BASE_URL, API_TOKEN, ...database }, settings }, size };
}

/** Why the app of the options cannot be listed, or would be listed and never fetched; null where nothing is wrong. */
function listingProblem({ app, country, keyword, source }: Options, sourceBefore: string): string | null {
  if (app === undefined)
    return country.length + keyword.length === 0
      ? null
      : "--country and --keyword belong to an --app, and none is given";
  if (country.length === 0) return "--app needs a --country";
  if ((source ?? sourceBefore) === "account")
    return "source account ignores listed apps: add --source both, or --source config";
  return null;
}

async function mustWork(config: Config, given: { API_BASE_URL: string; API_TOKEN: string }): Promise<void> {
  const url = config.environment.DATABASE_URL;
  const checks = [...(await tryApi(config, given)), ...(url === undefined ? [] : await tryDatabase(config, url))];
  const failed = checks.find(({ state }) => state === "fail");
  if (failed === undefined) return;
  const variable = failed.check === "token" ? "API_BASE_URL or API_TOKEN" : "DATABASE_URL";
  throw fail("bad_setting", { variable, problem: `does not work: ${failed.found}` });
}

function tryApi(config: Config, given: Partial<Environment>): Promise<readonly Diagnosis[]> {
  return checkApiAccess(
    { environment: { ...config.environment, ...given }, settings: config.settings, clock: systemClock() },
    networkOf(config.environment),
  );
}

function tryDatabase({ environment, home }: Config, url: string): Promise<readonly Diagnosis[]> {
  return checkAnyDatabase({ environment: { ...environment, DATABASE_URL: url }, home, clock: systemClock() });
}

async function finish(files: SetupFiles, setup: Setup, size: RoughSize | null): Promise<void> {
  const texts = () => [files.environment, files.settings].map(readText);
  const before = texts();
  const settings = writeSetup(files, setup);
  if (isDeepStrictEqual(texts(), before))
    print(`Nothing changed: ${files.environment}\n                 ${files.settings}`);
  else print(`Written: ${files.environment} (only you can read it)\n         ${files.settings}`);
  const shell = processEnvironment();
  for (const [name, value] of Object.entries(setup.variables))
    if ((shell[name] ?? "") !== "" && shell[name] !== value)
      remark(`${name} is also set in the environment, which overrides .env: unset it there.`);
  const counted = settings.portfolio.source === "config" ? null : size;
  const price = await priceOfSetup(settings, counted, systemClock());
  const about = counted === null ? "For the apps that are listed" : sizeWords(counted, settings.portfolio);
  const ads =
    Math.round(price.connectedFirst) === 0
      ? ""
      : ` Each connected search-ads account adds about ${count(Math.round(price.connectedFirst))}.`;
  print(`\n${about}:\nThe first sync costs about ${countOf(Math.round(price.first), "credit")}.${ads}`);
  print(nightWords(price));
  if (settings.portfolio.source === "config" && settings.portfolio.apps.length === 0)
    return print(
      `\nNo app is listed, so nothing about apps is requested: add --app and --country, list apps in ${files.settings}, or choose another --source.`,
    );
  const call = callOf(files.environment);
  print(
    `\nNext: ${call} sync\nIt shows the price of each step and spends nothing until you confirm.\nIn messages, storehouse stands for ${call}, called in ${path.dirname(files.environment)}.`,
  );
}

function sizeWords({ apps, countries, keywords }: RoughSize, { source, apps: listed }: Settings["portfolio"]): string {
  const account = `For an account of about ${apps} apps x ${countries} countries x ${keywords} keywords`;
  return source === "account" || listed.length === 0 ? account : `${account}, with the apps that are listed`;
}

function eachCountry(text: string, previous: readonly string[]): readonly string[] {
  return collect(text, previous).map(countryArgument);
}

function eachKeyword(text: string, previous: readonly string[]): readonly string[] {
  const problem = keywordProblem(text);
  if (problem !== null) throw new InvalidArgumentError(`It cannot be requested: ${problem}.`);
  return [...previous, text];
}
