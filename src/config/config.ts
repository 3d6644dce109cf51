import { createHash } from "node:crypto";
import path from "node:path";
import { fail } from "../core/errors.ts";
import type { Environment } from "./env.ts";
import type { Settings } from "./settings.ts";

/** The environment and the settings of a process, frozen. */
export type Config = {
  readonly environment: Environment;
  readonly settings: Settings;
  /** The file that the settings were read from; left out if a program made them. */
  readonly settingsFile?: string;
  /** Folder for the embedded Postgres. */
  readonly home: string;
};

/** How to reach the API. Made by `apiAccess`, which requires both settings. */
export type ApiAccess = { readonly baseUrl: string; readonly token: string; readonly accountId: string };

/** The folder that holds package.json. */
export const projectRoot = path.resolve(import.meta.dirname, "../..");

/** The address and token of the API; throws a UsageError that names the missing variable. */
export function apiAccess(environment: Environment): ApiAccess {
  const { API_BASE_URL: baseUrl, API_TOKEN: token, STOREHOUSE_ACCOUNT: account } = environment;
  const variable = tokenVariable(account ?? "");
  if (baseUrl === undefined && token === undefined)
    throw fail("api_unset", { variable: `API_BASE_URL and ${variable}` });
  if (baseUrl === undefined) throw fail("bad_setting", { variable: "API_BASE_URL", problem: "is not set" });
  if (token === undefined) throw fail("bad_setting", { variable, problem: "is not set" });
  return { baseUrl, token, accountId: accountIdOf(token) };
}

/** The address of the database, with PGPASSWORD if the address contains no password; undefined for the embedded Postgres. */
export function databaseUrlOf({ DATABASE_URL: url, PGPASSWORD: password }: Environment): string | undefined {
  if (url === undefined || password === undefined) return url;
  // the driver encodes an address with a space or a lone percent sign once more, the password too
  const encoded = url.replaceAll(" ", "%20").replaceAll(/%(?![0-9a-f]{2})/gi, "%25");
  // a socket is named by its folder in the query, and the host is empty
  const parts = URL.parse(encoded.replace("@/", "@socket/"));
  if (parts === null || parts.password !== "" || parts.searchParams.has("password")) return url;
  return `${encoded}${parts.search === "" ? "?" : "&"}password=${encodeURIComponent(password)}`;
}

/** The file that holds the schedule. */
export function crontabFile({ environment }: Config): string {
  return path.resolve(environment.STOREHOUSE_CRONTAB ?? path.join(projectRoot, "jobs", "crontab"));
}

/** The variable with the token of one of `accounts`; for an empty name, the variable of the first account. */
export function tokenVariable(account: string): string {
  return account === "" ? "API_TOKEN" : `API_TOKEN_${account.toUpperCase()}`;
}

/** A name for the account of a token that does not reveal the token. */
export function accountIdOf(token: string): string {
  return createHash("sha256").update(`storehouse account ${token}`).digest("hex").slice(0, 16);
}
