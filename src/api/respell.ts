import { z } from "zod";
import { bareOf, schemaAt } from "./schema-at.ts";
import { isObject } from "../core/is-object.ts";
import { schemaWords } from "../core/schema-words.ts";

/**
 * A value that fits its schema, and the payload that it was read from; or why none fits, and the payload as far as it could be corrected.
 */
export type Fit<T> =
  | { readonly success: true; readonly data: T; readonly payload: unknown }
  | { readonly success: false; readonly error: z.ZodError; readonly payload: unknown };

/**
 * Reads a payload by a schema. If it does not fit, it is read once more with the invalid values converted to the format of the schema. A
 * number may come as a string of digits, a text as a number, a flag as 0 or "true", a word in other capitals; a list of one item as that
 * item; an empty list or map in a field as null, or as the other of the two.
 */
export function parseSpelt<S extends z.ZodType>(schema: S, payload: unknown): Fit<z.output<S>> {
  const first = schema.safeParse(payload, { error: schemaWords });
  if (first.success) return { success: true, data: first.data, payload };
  const respelt = respell(schema, payload, first.error);
  if (respelt === null) return { success: false, error: first.error, payload };
  const second = schema.safeParse(respelt, { error: schemaWords });
  // values that were corrected are not the problem
  return second.success
    ? { success: true, data: second.data, payload: respelt }
    : { success: false, error: second.error, payload: respelt };
}

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];
/** The kind of value that a schema expects at a path, and the allowed words if there is a list of them. */
type WantedFormat = { readonly path: Path; readonly wanted: string; readonly words?: readonly unknown[] };

/** A copy of a payload with the invalid values in the expected format; null if nothing can be converted. */
function respell(schema: z.ZodType, payload: unknown, { issues }: z.ZodError): unknown {
  const root = { payload: structuredClone(payload) };
  let changed = false;
  for (const { path, wanted, words } of issues.flatMap((issue) => wantedFormatsOf(issue, []))) {
    const place = ["payload", ...path];
    const holder = place.slice(0, -1).reduce<unknown>((at, step) => (isHolder(at) ? at[step] : undefined), root);
    const name = place.at(-1);
    if (!isHolder(holder) || name === undefined) continue;
    const value =
      words === undefined
        ? (emptyOf(wanted, holder[name], path) ?? spellings[wanted]?.(holder[name], () => elementAt(schema, path)))
        : wordIn(words, holder[name]);
    if (value === undefined) continue;
    holder[name] = value;
    changed = true;
  }
  return changed ? root.payload : null;
}

function wantedFormatsOf(issue: Issue, above: Path): readonly WantedFormat[] {
  const path = [...above, ...issue.path];
  // an invalid date may be the digits of one in milliseconds; for a union zod may report only its last kind
  if (issue.code === "custom") return [{ path, wanted: "number" }];
  if (issue.code === "invalid_type") return [{ path, wanted: issue.expected }];
  if (issue.code === "invalid_value") return [{ path, wanted: "word", words: issue.values }];
  if (issue.code === "invalid_union")
    return issue.errors.flatMap((option) => option.flatMap((inner) => wantedFormatsOf(inner, path)));
  return [];
}

const digits = /^\s*[-+]?\d+(\.\d+)?([eE][-+]?\d+)?\s*$/;
const flags: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);

/** A flag in any of its formats: `true`, `"True"`, `1`, `"0"` ...; undefined for anything else. */
export function flagOf(value: unknown): boolean | undefined {
  const isWord = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  return isWord ? flags.get(String(value).trim().toLowerCase()) : undefined;
}

/** By expected kind: the value in that format, undefined if there is none. */
const spellings: Readonly<Record<string, (value: unknown, element: () => unknown) => unknown>> = {
  number: numberOf,
  int: numberOf,
  // JSON parsing has already lost digits of a longer number
  string: (value) =>
    typeof value === "number" && Math.abs(value) <= Number.MAX_SAFE_INTEGER ? String(value) : undefined,
  boolean: flagOf,
  // an object that may lack every field need not be an item
  array: (value, element) => (isObject(value) && wantsFields(element()) ? [value] : undefined),
};

/**
 * The empty list or map for a field that expects one: some services write every empty container as `[]`, `{}` or null. Undefined for
 * anything else. Outside a field only `[]` for a map counts: an empty item or answer says nothing.
 */
function emptyOf(wanted: string, value: unknown, path: Path): unknown {
  if (wanted === "record" && Array.isArray(value) && value.length === 0) return {};
  if (typeof path.at(-1) !== "string" || (value !== null && !isEmpty(value))) return undefined;
  if (wanted === "array") return [];
  if (wanted === "record") return {};
  return wanted === "object" && value !== null ? {} : undefined;
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

/** The allowed word that equals a text except for capitals; undefined if there is none. */
function wordIn(words: readonly unknown[], value: unknown): unknown {
  const upper = typeof value === "string" ? value.toUpperCase() : undefined;
  return upper === undefined ? undefined : words.find((word) => String(word).toUpperCase() === upper);
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "string" && digits.test(value) ? Number(value) : undefined;
}

function wantsFields(schema: unknown): boolean {
  const bare = bareOf(schema);
  return bare instanceof z.ZodObject && !bare.safeParse({}).success;
}

function elementAt(schema: z.ZodType, path: Path): unknown {
  const steps = path.map((step) => (typeof step === "number" ? "[]" : String(step)));
  const list = steps.reduce<unknown>((at, step) => schemaAt(at, step) ?? schemaAt(at, "{}"), schema);
  return schemaAt(list, "[]");
}

function isHolder(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === "object" && value !== null;
}
