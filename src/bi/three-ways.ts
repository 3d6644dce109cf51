import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";

/** Values by the name of a property. */
export type Properties = Readonly<Record<string, unknown>>;

/** What to do about a thing of ours in Metabase: properties to set, and those that somebody has changed and keeps. */
export type Verdict = { readonly set: readonly string[]; readonly left: readonly string[] };

/** The names of wanted properties that are not as they are wanted. */
export function differing(wanted: Properties, current: Properties): readonly string[] {
  return Object.keys(wanted).filter((name) => !isDeepStrictEqual(wanted[name], current[name] ?? undefined));
}

/** A short name for a value, by which it is known again without being kept. */
export function digestOf(value: unknown): string {
  return createHash("sha256").update(stable(value)).digest("hex").slice(0, 10);
}

/** The digests of properties, to be kept beside what was applied. */
export function digestsOf(properties: Properties): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, digestOf(value)]));
}

/**
 * Compares what is wanted with what is there and with what was applied last (its digests). What is there and is not what was applied
 * was changed by somebody: it is left, unless `overwrite`. What was never applied and is not there is set.
 */
export function compareThreeWays({
  wanted,
  current,
  applied,
  overwrite,
}: {
  readonly wanted: Properties;
  readonly current: Properties;
  readonly applied: Readonly<Record<string, string>>;
  readonly overwrite: boolean;
}): Verdict {
  const stale = differing(wanted, current);
  const isTheirs = (name: string) => {
    const value = current[name] ?? undefined;
    const last = applied[name];
    return last === undefined ? value !== undefined : digestOf(value) !== last;
  };
  return {
    set: stale.filter((name) => overwrite || !isTheirs(name)),
    left: overwrite ? [] : stale.filter(isTheirs),
  };
}

/** JSON with the keys of every object in order. */
function stable(value: unknown): string {
  return JSON.stringify(value ?? null, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
