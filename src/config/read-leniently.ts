import { parseEnv } from "node:util";
import { StorehouseError } from "../core/errors.ts";
import { readEnvironment, type Environment } from "./env.ts";
import { readText } from "./read-text.ts";

/** As much of the environment as can be used, and what is wrong with the rest. */
export type LenientEnvironment = { readonly environment: Environment; readonly problems: readonly StorehouseError[] };

/** Reads the environment like `readEnvironment`, and leaves out each variable that does not fit, for who has to look at the others all the same. */
export function readLeniently(
  variables: Readonly<Record<string, string | undefined>>,
  file?: string,
): LenientEnvironment {
  const problems: StorehouseError[] = [];
  const attempt = (read: () => Environment): Environment | null => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof StorehouseError)) throw error;
      if (!problems.some(({ message }) => message === error.message)) problems.push(error);
      return null;
    }
  };
  const whole = attempt(() => readEnvironment(variables, file));
  if (whole !== null) return { environment: whole, problems };
  const set = Object.entries(variables).filter(([, value]) => value !== undefined && value !== "");
  const given: Record<string, string | undefined> = { ...textIn(file), ...Object.fromEntries(set) };
  for (;;) {
    const environment = attempt(() => readEnvironment(given));
    if (environment !== null) return { environment, problems };
    const wrong = String(problems.at(-1)?.context["variable"]).split(" and ");
    const known = wrong.filter((name) => name in given);
    // what names none of them would be wrong for ever
    if (known.length === 0) return { environment: readEnvironment({}), problems };
    for (const name of known) delete given[name];
  }
}

function textIn(file: string | undefined): Record<string, string | undefined> {
  try {
    return parseEnv((file === undefined ? null : readText(file)) ?? "");
  } catch {
    return {};
  }
}
