import { isDeepStrictEqual } from "node:util";

/** Values by the name of a property. */
export type Properties = Readonly<Record<string, unknown>>;

/** The names of wanted properties whose current value differs. Other properties do not count. */
export function differing(wanted: Properties, current: Properties): readonly string[] {
  return Object.keys(wanted).filter((name) => !isDeepStrictEqual(wanted[name], current[name] ?? undefined));
}
