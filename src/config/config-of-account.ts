import { fail } from "../core/errors.ts";
import { tokenVariable, type Config } from "./config.ts";
import { didYouMean } from "../core/did-you-mean.ts";
import type { Settings } from "./settings.ts";

/*
 * A process works with one account: the one of API_TOKEN with the portfolio and credits of the file, or one of `accounts`. The code below
 * this level knows only that account's settings and token. The accounts of a warehouse share facts and the rest of the file.
 */

/** The configuration for the account that STOREHOUSE_ACCOUNT names. Throws a UsageError for one that is not under `accounts`. */
export function configOfAccount(config: Config): Config {
  const { STOREHOUSE_ACCOUNT: account, accountTokens = {}, API_TOKEN: first, ...environment } = config.environment;
  if (account === undefined) return config;
  const settings = settingsOfAccount(config.settings, account);
  // the token of the first account is kept, so that it is hidden like the others
  const tokens = { ...accountTokens, ...(first === undefined ? {} : { "": first }) };
  const token = accountTokens[account];
  const same = Object.entries(tokens).find(([name, other]) => other === token && name !== account);
  if (same !== undefined)
    throw fail("bad_setting", {
      variable: `${tokenVariable(account)} and ${tokenVariable(same[0])}`,
      problem: "hold the same token: one allowance would have two sets of settings",
    });
  const own = token === undefined ? {} : { API_TOKEN: token };
  return Object.freeze({
    ...config,
    environment: { ...environment, STOREHOUSE_ACCOUNT: account, accountTokens: tokens, ...own },
    settings,
  });
}

/** The settings of a file for an account; unchanged for the account of API_TOKEN, which has no name. */
export function settingsOfAccount(settings: Settings, account: string | undefined): Settings {
  if (account === undefined) return settings;
  const { accounts, api, portfolio, credits } = settings;
  const own = Object.hasOwn(accounts, account) ? accounts[account] : undefined;
  if (own === undefined)
    throw fail("bad_setting", {
      variable: "STOREHOUSE_ACCOUNT",
      problem: `names ${account}, which is not under accounts in the configuration${didYouMean(account, Object.keys(accounts))}`,
    });
  return {
    ...settings,
    accounts: {},
    portfolio: { ...own.portfolio, groups: portfolio.groups, account },
    credits: own.credits ?? credits,
    api: { ...api, requests_per_second: own.requests_per_second ?? api.requests_per_second },
  };
}

/** The account whose portfolio the settings have: its name under `accounts`; empty for the account of API_TOKEN. */
export function accountOf({ portfolio }: Pick<Settings, "portfolio">): string {
  return portfolio.account ?? "";
}

/** An account in a sentence, by its name as `accountOf` has it. */
export function accountWords(account: string): string {
  return account === "" ? "the account of API_TOKEN" : `account ${account}`;
}
