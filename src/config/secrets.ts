import { tokenVariable } from "./config.ts";
import { isSecret, type Environment } from "./env.ts";
import type { Variables } from "./secret-files.ts";

/** A path segment this long is no ordinary one: it makes the address of a webhook a secret. */
const secretPath = 12;

/** Every text that must not appear in a log, error or table: the secrets, and the secret parts of addresses. */
export function secretsOf(environment: Environment | Variables): readonly string[] {
  const values = Object.entries({ ...environment, ...tokensOf(environment) }).filter(([name]) => isSecret(name));
  return values.flatMap(([name, value]) => {
    if (typeof value !== "string") return [];
    return name === "PGPASSWORD" ? databasePassword(value) : secretParts(value);
  });
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

/** As it is set, and as it stands in the address for the driver. */
function databasePassword(value: string): readonly string[] {
  return value.trim() === ""
    ? []
    : [
        ...new Set([
          value,
          encodeURIComponent(value),
          new URLSearchParams({ value }).toString().slice("value=".length),
        ]),
      ].flatMap(inItsPlace);
}

function secretParts(value: string): readonly string[] {
  // a slip, such as a space after the equals sign: hiding it would remove every space from the error about it
  if (value.trim() === "") return [];
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url === null) return [value];
  const passwords = [url.password, url.searchParams.get("password") ?? ""];
  if (url.protocol.startsWith("postgres")) return withDecoded(passwords).flatMap(inItsPlace);
  const path = `${url.pathname}${url.search}`;
  return withDecoded([value, ...passwords, ...(path.length < secretPath ? [] : [path])]);
}

/**
 * A password that may be a word in our own messages, such as `storehouse`: hiding it everywhere would make commands in messages unusable,
 * and reveal it. It is hidden only where it is used as a password.
 */
function inItsPlace(password: string): readonly string[] {
  return /^[a-z]{1,11}$/.test(password) ? [`:${password}@`, `password=${password}`] : [password];
}

/** The driver shows a password either as encoded in the address or decoded. */
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
