import { z } from "zod";
import { fail } from "../core/errors.ts";
import type { Variables } from "./secret-files.ts";

/** A token of the API. */
export const Token = z.string().regex(/^\S+$/, "must not be empty or contain spaces");

const tokenName = /^API_TOKEN_(?!FILE$)([A-Z0-9_]+)$/;

/** True for a variable with the token of one of `accounts`. */
export function isAccountToken(name: string): boolean {
  return tokenName.test(name);
}

/** The variables with tokens of `accounts` that are set on any level, directly or by a file. */
export function tokenVariables(levels: readonly Variables[]): readonly string[] {
  const names = levels.flatMap((level) => Object.keys(level).map((name) => name.replace(/_FILE$/, "")));
  return [...new Set(names)].filter(isAccountToken);
}

/** The tokens of `accounts` by name. `setBy`: the variable that an error names instead. Throws a UsageError for an invalid token. */
export function accountTokensIn(
  names: readonly string[],
  { given, setBy }: { readonly given: Variables; readonly setBy: ReadonlyMap<string, string> },
): Readonly<Record<string, string>> {
  const tokens = names.map((name) => {
    const token = Token.safeParse(given[name]);
    if (!token.success)
      throw fail("bad_setting", { variable: setBy.get(name) ?? name, problem: token.error.issues[0]?.message });
    return [(tokenName.exec(name)?.[1] ?? "").toLowerCase(), token.data];
  });
  return Object.fromEntries(tokens);
}
