import { addressProblem, Environment } from "../config/env.ts";
import { Country, noCountry, portfolioSources } from "../config/portfolio-settings.ts";
import { didYouMean } from "../core/did-you-mean.ts";
import type { NewApp, SettingsChange } from "../config/edit-yaml.ts";
import { isOn, type Settings } from "../config/settings.ts";
import { AndroidTrackId, IosTrackId } from "../api/values.ts";
import { datasets } from "../datasets/shared/all.ts";
import type { Diagnosis } from "../doctor/diagnosis.ts";
import { remark } from "./output.ts";
import type { Prompts } from "./prompts.ts";
import { newApp, keywordProblem, sizeIn, switchesIn, type RoughSize } from "./setup.ts";

/** What the questions start from, and how answers are checked. Each check returns what is wrong, or null. */
export type QuestionsFrom = {
  readonly environment: Environment;
  readonly settings: Settings;
  readonly checkApi: (variables: { API_BASE_URL: string; API_TOKEN: string }) => Promise<readonly Diagnosis[]>;
  readonly checkDatabase: (url: string) => Promise<readonly Diagnosis[]>;
};

/** Address and token of the API, prompted for until a balance check accepts them, which costs nothing. */
export async function askApi(prompts: Prompts, { environment, checkApi }: QuestionsFrom) {
  let { API_BASE_URL: address, API_TOKEN: token } = environment;
  for (;;) {
    address = await prompts.text({
      question: "Address of the API",
      preset: address,
      check: (text) =>
        text === "" ? "Type the address, for instance https://api.example." : sentence(addressProblem(text)),
    });
    token = await prompts.secret({
      question: "Token of your account (not shown)",
      preset: token,
      shown: "Enter keeps it",
      check: (text) => (/^\S+$/.test(text) ? null : "Type or paste the token, without spaces."),
    });
    const given = { API_BASE_URL: address, API_TOKEN: token };
    if (await isAccepted(prompts, await checkApi(given))) return given;
  }
}

/** The database: null for one that Storehouse runs itself. */
export async function askDatabase(
  prompts: Prompts,
  { environment, checkDatabase }: QuestionsFrom,
): Promise<string | null> {
  const known = environment.DATABASE_URL;
  for (;;) {
    const answer = await prompts.text({
      about: "A Postgres, version 15 or newer, as postgres://user:password@host/name.",
      question:
        known === undefined ? "Database (empty: Storehouse runs its own)" : "Database (-: Storehouse runs its own)",
      ...(known === undefined ? {} : { preset: known, shown: withoutPassword(known) }),
      check: (text) => (text === "" || text === "-" ? null : sentence(databaseProblem(text))),
    });
    if (answer === "" || answer === "-") return null;
    if (await isAccepted(prompts, await checkDatabase(answer))) return answer;
  }
}

/** The chosen portfolio: its source, listed apps, and datasets that are switched on or off. */
export async function askPortfolio(prompts: Prompts, { settings }: QuestionsFrom): Promise<SettingsChange> {
  const { portfolio } = settings;
  const answer = await prompts.text({
    about: "Where the portfolio comes from: the apps that the account tracks, apps that you list here, or both.",
    question: "account, config or both",
    preset: portfolio.source,
    check: (text) => (portfolioSources.some((one) => one === text) ? null : "Type account, config or both."),
  });
  const source = portfolioSources.find((one) => one === answer) ?? portfolio.source;
  const listed = portfolio.apps.map(({ id }) => id);
  if (source !== "account" && listed.length > 0) remark(`  Already listed: ${listed.join(", ")}.`);
  const apps = source === "account" ? [] : await askApps(prompts, listed.length === 0);
  const switched = await prompts.text({
    about: `${datasets.filter((dataset) => isOn(dataset, settings)).length} of ${datasets.length} datasets are on; \`storehouse datasets\` lists them with prices.`,
    question: "Switch datasets, as +organic_keyword -review (empty: no change)",
    check: (text) => wrongSwitch(switchesIn(text).wrong),
  });
  return { source, apps, datasets: switchesIn(switched).datasets };
}

async function askApps(prompts: Prompts, isNeeded: boolean): Promise<readonly NewApp[]> {
  const apps: NewApp[] = [];
  for (;;) {
    const isLast = !isNeeded || apps.length > 0;
    const id = await prompts.text({
      question: `App, by number (iOS) or package name (Android)${isLast ? " (empty: no more)" : ""}`,
      check: (text) => (text === "" && isLast ? null : idProblem(text)),
    });
    if (id === "") return apps;
    const countries = await prompts.text({
      question: "Its countries, for instance US, JP",
      check: (text) => countriesProblem(newApp(id, text, "").countries),
    });
    const keywords = await prompts.text({
      question: "Its keywords, separated by commas (empty: none)",
      check: (text) => keywordsProblem(newApp(id, "", text).keywords),
    });
    apps.push(newApp(id, countries, keywords));
  }
}

/** How much the account tracks, roughly, to calculate a price: reading the real numbers costs credits. */
export async function askSize(prompts: Prompts): Promise<RoughSize | null> {
  const answer = await prompts.text({
    about: "For a price estimate: roughly how much the account tracks. Reading what it really tracks costs credits.",
    question: "Apps, countries per app, keywords per country",
    preset: "5 5 100",
    check: (text) => (sizeIn(text) === null ? "Type three numbers, for instance 5 5 100." : null),
  });
  return sizeIn(answer);
}

async function isAccepted(prompts: Prompts, checks: readonly Diagnosis[]): Promise<boolean> {
  for (const { check, state, found, next } of checks) {
    if (state !== "ok" || check === "token" || check === "database") remark(`  ${found}`);
    if (state !== "ok" && next !== null) remark(`  -> ${next}`);
  }
  return checks.every(({ state }) => state !== "fail") || prompts.yes("Keep it anyway?");
}

function idProblem(text: string): string | null {
  const isId = [IosTrackId, AndroidTrackId].some((one) => one.safeParse(text).success);
  return isId ? null : "Type a number (iOS) or a package name (Android).";
}

function countriesProblem(codes: readonly string[]): string | null {
  const wrong = codes.find((code) => !Country.safeParse(code).success);
  if (codes.length === 0) return "Type at least one country, two letters each.";
  if (wrong === undefined) return null;
  return /^[A-Z]{2}$/.test(wrong)
    ? `${noCountry(wrong)}.`
    : `${wrong} is not a country code: two letters each, for instance US, JP.`;
}

function keywordsProblem(keywords: readonly string[]): string | null {
  const problem = keywords.map(keywordProblem).find((one) => one !== null);
  return problem === undefined ? null : `${problem}.`;
}

/** What is wrong with the first word that switches no dataset, null if each word does. */
export function wrongSwitch(word: string | null): string | null {
  if (word === null) return null;
  const names = datasets.map(({ name }) => name);
  const name = word.replace(/^[+-]/, "");
  if (!names.includes(name)) return `No dataset is named ${name}${didYouMean(name, names) || "."}`;
  return `Type +${name} to switch it on, or -${name} to switch it off.`;
}

function databaseProblem(text: string): string | null {
  return Environment.shape.DATABASE_URL.safeParse(text).error?.issues[0]?.message ?? null;
}

function sentence(problem: string | null): string | null {
  return problem === null ? null : `It ${problem}.`;
}

/** An address without its password. */
function withoutPassword(url: string): string {
  return url.replace(/(:\/\/[^:/@]*):[^@]*@/, "$1:...@").replace(/([?&]password=)[^&]*/, "$1...");
}
