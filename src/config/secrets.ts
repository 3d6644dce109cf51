import { tokenVariable } from "./config.ts";
import { isSecret, type Environment } from "./env.ts";
import type { Variables } from "./secret-files.ts";

/** A part of an address this long is no ordinary path: it is what makes the address of a webhook a secret. */
const secretPath = 12;

/** Every text that may stand in no log, error or table: the secrets, and of addresses what in them is secret. */
export function secretsOf(environment: Environment | Variables): readonly string[] {
  const values = Object.entries({ ...environment, ...tokensOf(environment) }).filter(([name]) => isSecret(name));
  return values.flatMap(([, value]) => (typeof value === "string" ? secretParts(value) : []));
}

/** The tokens of all accounts that the environment has. */
export function tokensIn({ API_TOKEN: token, accountTokens = {} }: Environment): readonly string[] {
  return [...new Set([...(token === undefined ? [] : [token]), ...Object.values(accountTokens)])];
}

/** The tokens of further accounts, by their variables. */
function tokensOf(environment: Environment | Variables): Variables {
  const { accountTokens } = environment;
  if (typeof accountTokens !== "object") return {};
  return Object.fromEntries(Object.entries(accountTokens).map(([account, token]) => [tokenVariable(account), token]));
}

function secretParts(value: string): readonly string[] {
  // a slip, as of a variable with a space behind its sign: hidden it would take every space out of the error about it
  if (value.trim() === "") return [];
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url === null) return [value];
  const passwords = [url.password, url.searchParams.get("password") ?? ""];
  if (url.protocol.startsWith("postgres")) return withDecoded(passwords).flatMap(inItsPlace);
  const path = `${url.pathname}${url.search}`;
  return withDecoded([value, ...passwords, ...(path.length < secretPath ? [] : [path])]);
}

/**
 * A password that may be a word of our own messages, as `storehouse`: hidden everywhere it would make commands that are named unusable, and
 * say what it is. It is hidden where it stands as a password.
 */
function inItsPlace(password: string): readonly string[] {
  return /^[a-z]{1,11}$/.test(password) ? [`:${password}@`, `password=${password}`] : [password];
}

/** The driver shows a password as the address has it or as it is. */
function withDecoded(texts: readonly string[]): readonly string[] {
  return [...new Set(texts.flatMap((text) => [text, decoded(text)]))].filter((text) => text !== "");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
