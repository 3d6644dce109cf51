import type { z } from "zod";
import type { Store } from "../core/store.ts";
import { fail } from "../core/errors.ts";
import { isCleanText, isDotSegment } from "../core/text.ts";
import type { Operation, Param } from "./define-operation.ts";
import { schemaWords } from "../core/schema-words.ts";

/** The words that a deployment uses for the two stores in its paths. */
export type StoreWords = Readonly<Record<Store, string>>;

/** The address and body of one call, without origin and token: `path` is raw and fully encoded. */
export type Address = { readonly method: Operation["method"]; readonly path: string; readonly body: string | null };

/** Values of a call by parameter name, as set by the planner. */
export type Params = Readonly<Record<string, unknown>>;

/**
 * Turns an operation and its values into the raw path and body of a call. Every segment and value is encoded separately. Throws
 * `bad_request` if a value does not fit the operation, `not_encodable` if it contains U+0000 or half a character, or would be a path
 * segment of dots.
 */
export function addressOf(operation: Operation, params: Params, words: StoreWords): Address {
  const values = checked(operation, params);
  const path = withStoreWords(operation.path, words).replaceAll(/\/\{(\w+)\}/g, (_, name: string) =>
    values.has(name) ? `/${segment(operation, name, spelled(operation.params[name], values.get(name), words))}` : "",
  );
  const query = [...values]
    .filter(([name]) => operation.params[name]?.in === "query")
    .map(
      ([name, value]) =>
        `${encodeURIComponent(name)}=${Array.isArray(value) ? encodedList(value) : encodeURIComponent(String(value))}`,
    );
  return {
    method: operation.method,
    path: query.length > 0 ? `${path}?${query.join("&")}` : path,
    body: bodyOf(operation, values),
  };
}

/** A path template in the words of a deployment; only the template changes, never a value. */
export function withStoreWords(template: string, words: StoreWords): string {
  // in one pass: a deployment's word for one store may contain the neutral word for the other
  return template.replaceAll(/iosstore|androidstore/g, (word) => (word === "iosstore" ? words.ios : words.android));
}

function checked(operation: Operation, params: Params): Map<string, unknown> {
  const unknown = Object.keys(params).filter((name) => !Object.hasOwn(operation.params, name));
  if (unknown.length > 0) throw fail("bad_request", { operation: operation.id, unknown: unknown.join(" ") });
  const given = Object.entries(operation.params).filter(
    ([name, param]) => param.required || params[name] !== undefined,
  );
  const values = new Map(given.map(([name, param]) => [name, fit(operation, name, param, params[name])]));
  const problem = operation.together?.(Object.fromEntries(values)) ?? null;
  if (problem !== null) throw fail("bad_request", { operation: operation.id, problem });
  return values;
}

/** Calls about many days name one list of keywords: the last schema that each list fitted, and how the list is sent. */
const fitted = new WeakMap<readonly unknown[], z.ZodType>();
const encoded = new WeakMap<readonly unknown[], string>();

function encodedList(list: readonly unknown[]): string {
  const text = encoded.get(list) ?? list.map((item) => encodeURIComponent(String(item))).join(",");
  if (Object.isFrozen(list)) encoded.set(list, text);
  return text;
}

function fit(operation: Operation, name: string, param: Param, value: unknown): unknown {
  if (Array.isArray(value) && fitted.get(value) === param.schema) return value;
  if (listOf(value).some(isBroken)) throw fail("not_encodable", { operation: operation.id, parameter: name });
  const result = param.schema.safeParse(value, { error: schemaWords });
  // a list that may still change is checked again
  if (result.success && Array.isArray(value) && Object.isFrozen(value) && isSame(value, result.data)) {
    fitted.set(value, param.schema);
    return value;
  }
  if (result.success) return result.data;
  throw fail("bad_request", { operation: operation.id, parameter: name, problem: result.error.issues[0]?.message });
}

function isSame(list: readonly unknown[], read: unknown): boolean {
  return Array.isArray(read) && read.length === list.length && list.every((item, index) => item === read[index]);
}

/** True for a text that no URL or table can hold: half a character cannot be encoded, and U+0000 cannot be stored. */
function isBroken(value: unknown): boolean {
  return typeof value === "string" && !isCleanText(value);
}

/** A store as a value is sent as the deployment's word for it, everything else unchanged. */
function spelled(param: Param | undefined, value: unknown, words: StoreWords): unknown {
  return param?.storeWord === true && (value === "ios" || value === "android") ? words[value] : value;
}

function segment(operation: Operation, parameter: string, value: unknown): string {
  const text = encodeURIComponent(String(value));
  // a URL parser removes dot segments even in encoded form: the call would go to another path, and be charged there
  if (isDotSegment(text)) throw fail("not_encodable", { operation: operation.id, parameter });
  return text;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

function bodyOf(operation: Operation, values: Map<string, unknown>): string | null {
  const fields = [...values].filter(([name]) => operation.params[name]?.in === "body");
  if (fields.length === 0) return null;
  const [only] = fields;
  return JSON.stringify(fields.length === 1 && only?.[0] === "body" ? only[1] : Object.fromEntries(fields));
}
