import { z } from "zod";
import { bareOf, schemaAt } from "./schema-at.ts";
import { isObject } from "../core/is-object.ts";
import { schemaWords } from "../core/schema-words.ts";

/** A value that fits its schema, and the payload that it was read from; or why none does, and the payload as far as it could be mended. */
export type Fit<T> =
  | { readonly success: true; readonly data: T; readonly payload: unknown }
  | { readonly success: false; readonly error: z.ZodError; readonly payload: unknown };

/**
 * Reads a payload by a schema. One that does not fit is read once more with the values at fault spelt as the schema has them: the
 * contract says int, and a number may come as its digits, a text as a number, a flag as 0 or "true", a word in other capitals; a list of
 * one as the one alone; an empty list or map in a field as null, or as the other of the two.
 */
export function parseSpelt<S extends z.ZodType>(schema: S, payload: unknown): Fit<z.output<S>> {
  const first = schema.safeParse(payload, { error: schemaWords });
  if (first.success) return { success: true, data: first.data, payload };
  const respelt = respell(schema, payload, first.error);
  if (respelt === null) return { success: false, error: first.error, payload };
  const second = schema.safeParse(respelt, { error: schemaWords });
  // what was mended is not what is wrong
  return second.success
    ? { success: true, data: second.data, payload: respelt }
    : { success: false, error: second.error, payload: respelt };
}

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];
/** What a schema wants in a place, and of which words where it is one of some. */
type WantedFormat = { readonly path: Path; readonly wanted: string; readonly words?: readonly unknown[] };

/** A copy of a payload in which what is at fault is spelt otherwise; null when nothing can be. */
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
  // a date that is no date may be the digits of one in milliseconds: of a union zod may report its last kind only
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

/** A flag in any of its formats: `true`, `"True"`, `1`, `"0"` ...; undefined for what is none. */
export function flagOf(value: unknown): boolean | undefined {
  const isWord = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  return isWord ? flags.get(String(value).trim().toLowerCase()) : undefined;
}

/** By what is wanted: another spelling of a value, undefined where there is none. */
const spellings: Readonly<Record<string, (value: unknown, element: () => unknown) => unknown>> = {
  number: numberOf,
  int: numberOf,
  // of a longer number JSON has lost digits already
  string: (value) =>
    typeof value === "number" && Math.abs(value) <= Number.MAX_SAFE_INTEGER ? String(value) : undefined,
  boolean: flagOf,
  // an object that may lack every field is no proof of being an item
  array: (value, element) => (isObject(value) && wantsFields(element()) ? [value] : undefined),
};

/**
 * The empty list or map that a field has where one is wanted: some services write every empty container as `[]`, `{}` or null.
 * Undefined for anything else, and outside of a field, where only `[]` for a map is one: an item or answer that is empty says nothing.
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

/** The word that a text is in other capitals; undefined for what is none of them. */
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
