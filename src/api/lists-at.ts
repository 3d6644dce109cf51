import { isObject } from "../core/is-object.ts";

/**
 * The lists of rows inside an unwrapped answer. A step of the path is a key, `[]` for each item of a list, or `{}` for each value of a map.
 * A list anywhere else does not count.
 */
export function listsAt(value: unknown, path: readonly string[]): readonly (readonly unknown[])[] {
  return valuesAt(value, path).filter((inner) => Array.isArray(inner));
}

/** The paths of the lists at a path, and of the lists that contain them, the innermost first. */
export function nestedLists(path: readonly string[]): readonly (readonly string[])[] {
  const around = path.flatMap((step, index) => (step === "[]" ? [path.slice(0, index)] : []));
  return [path, ...around.toReversed()];
}

/** The values at such a path. */
export function valuesAt(value: unknown, path: readonly string[]): readonly unknown[] {
  return path.reduce<readonly unknown[]>((found, step) => found.flatMap((inner) => stepsInto(inner, step)), [value]);
}

/** A copy of an answer in which `change` has replaced each list at the path. */
export function withLists(
  value: unknown,
  path: readonly string[],
  change: (list: readonly unknown[]) => readonly unknown[],
): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return Array.isArray(value) ? change(value) : value;
  return withChanged(value, step, (inner) => withLists(inner, rest, change));
}

/** A copy of an answer in which null in place of a list at the path, or of a list or map on the way to it, is replaced by an empty one. */
export function withoutNullLists(value: unknown, path: readonly string[]): unknown {
  const [step, ...rest] = path;
  if (step === undefined || (step === "[]" && value === null)) return value ?? [];
  if (step === "{}" && value === null) return {};
  return withChanged(value, step, (inner) => withoutNullLists(inner, rest));
}

/** A copy of a value in which everything that one step of a path leads to is changed. */
function withChanged(value: unknown, step: string, change: (inner: unknown) => unknown): unknown {
  if (step === "[]") return Array.isArray(value) ? value.map(change) : value;
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, step === "{}" || key === step ? change(inner) : inner]),
  );
}

function stepsInto(value: unknown, step: string): readonly unknown[] {
  if (step === "[]") return Array.isArray(value) ? value : [];
  if (!isObject(value)) return [];
  if (step === "{}") return Object.values(value);
  return Object.hasOwn(value, step) ? [value[step]] : [];
}
