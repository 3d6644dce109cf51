import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";

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

/** What we write on a thing of ours in Metabase: which one it is, and the digests of what was applied to it. */
export type Marker = { readonly key: string; readonly applied: Readonly<Record<string, string>> };

/** The setting that holds the marker; Metabase keeps settings that it does not know. */
const name = "storehouse";

const Marker = z.object({ key: z.string(), applied: z.record(z.string(), z.string()) });

/** The marker among the settings of a card, null where there is none of ours. */
export function markerIn(settings: Properties | null | undefined): Marker | null {
  const text = settings?.[name];
  if (typeof text !== "string") return null;
  try {
    return Marker.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

/** Settings with a marker among them; a text, so that nothing on the way takes it for settings and puts it in order. */
export function withMarker(settings: Properties, marker: Marker): Properties {
  return { ...settings, [name]: JSON.stringify(marker) };
}
