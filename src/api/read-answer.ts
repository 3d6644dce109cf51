import { isUtf8 } from "node:buffer";
import { z } from "zod";
import { fail } from "../core/errors.ts";
import { isObject } from "../core/is-object.ts";
import { cleanJson, isDeeperThan, type ParsedText } from "../core/text.ts";
import type { Operation } from "./define-operation.ts";
import { notJson } from "./not-json.ts";
import { listsAt, nestedLists, withLists, withoutNullLists } from "./lists-at.ts";
import { plainCheck } from "./plain-check.ts";
import { envelopeFields, reportsFailure } from "./reported-failure.ts";
import { parseSpelt } from "./respell.ts";
import { itemSchema } from "./schema-at.ts";
import { driftIn, noteDrift, type Drift } from "./drift.ts";

/** One item of an answer that does not fit the contract, kept as received. */
export type InvalidItem = {
  readonly reason: string;
  readonly item: unknown;
  /** Its place in its list, from 0, and its page, if the list is one of the lists of rows. */
  readonly index?: number;
  readonly page?: number;
  /** The table that lacks it, if it is known to belong to no other. */
  readonly table?: string;
};

/** A parsed, unwrapped and checked answer: `value` fits the schema of the operation; items that do not fit are listed separately. */
export type Read = {
  readonly value: unknown;
  readonly invalid: readonly InvalidItem[];
  readonly drift: readonly Drift[];
};

/** An escape of U+0000 or of a surrogate: only then must the parsed value be cleaned. */
const needsCleaning = /\\u0000|\\u[dD][89a-fA-F][0-9a-fA-F]{2}/;

/** The answer in a body; null for an unusable one: truncated, reporting a failure, or not readable for another reason. */
export function readIfUsable(operation: Operation, body: Buffer): Read | null {
  try {
    return readAnswer(operation, body);
  } catch {
    return null;
  }
}

/** True if an answer has no item; also for one without lists, whose fields may say that there is nothing. */
export function mayBeEmpty({ items }: Operation, { value }: Read): boolean {
  return items === null || listsAt(value, items).every((list) => list.length === 0);
}

/**
 * Reads a body: first as text, then as JSON, then the envelope, then by the schema, item by item if one does not fit.
 * Throws `not_json`, `not_utf8`, `answer_too_deep`, `success_false` or `unknown_shape`; the last one also if no item fits. A body that is
 * already `parsed` is not parsed again.
 */
export function readAnswer(operation: Operation, body: Buffer, parsed?: ParsedText): Read {
  if (parsed !== undefined) return readText(operation, parsed.text, parsed);
  // an unescaped U+0000 is never valid JSON: without it the rest can be read
  const text = decoder.decode(body).replaceAll("\0", "");
  const read = readText(operation, text);
  // U+FFFD replaces such bytes, but may also be a character of the answer
  if (!text.includes("\uFFFD") || isUtf8(body)) return read;
  refuseDepth(operation, text);
  if (hasBrokenKey(JSON.parse(text))) throw fail("not_utf8", { operation: operation.id });
  // the item with these bytes is unknown; with an invalid item that names no place, nothing counts as missing or gone
  return { ...read, invalid: [...read.invalid, { reason: "the answer has bytes that are not UTF-8", item: null }] };
}

function readText(operation: Operation, text: string, parsed?: ParsedText): Read {
  const json = parse(operation, text, parsed);
  if (isObject(json) && reportsFailure(operation, json))
    throw fail("success_false", { operation: operation.id, message: messageOf(json) });
  const forms = formsOf(operation, json);
  const [likeliest] = forms;
  // a plain answer is no deeper than its schema and has no unknown field
  if (likeliest?.beside.length === 0 && plainCheck(operation.answer)(likeliest.payload))
    return { value: likeliest.payload, invalid: [], drift: [] };
  refuseDepth(operation, text);
  const problems: string[] = [];
  for (const { payload, beside } of longNumber.test(text) ? formsOf(operation, exact(text, json)) : forms) {
    const fitted = fit(operation, payload);
    if ("value" in fitted) {
      const drift: Drift[] = [];
      for (const [name, value] of beside) noteDrift(name, value, drift);
      driftIn(operation.answer, fitted.known, "", drift);
      return { value: fitted.value, invalid: fitted.invalid, drift };
    }
    problems.push(fitted.problem);
  }
  throw fail("unknown_shape", { operation: operation.id, problem: problems[0] ?? "none of its fields is known" });
}

const decoder = new TextDecoder();

/** A whole number that may have more digits than a double holds. */
const longNumber = /[[:,\s]-?\d{16,}[\s,}\]]/;

/** Parses JSON and keeps such numbers as text: a rounded id would be a different id. */
function exact(text: string, json: unknown): unknown {
  if (typeof json !== "object") return json;
  const whole = JSON.parse(text, (_: string, value: unknown, context?: { readonly source?: string }) => {
    const source = context?.source ?? "";
    return typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? source : value;
  }) as unknown;
  return needsCleaning.test(text) ? cleanJson(whole) : whole;
}

function parse(operation: Operation, text: string, parsed?: ParsedText): unknown {
  let json: unknown;
  try {
    json = parsed === undefined ? JSON.parse(text) : parsed.json;
  } catch (cause) {
    // an empty body is an answer if the operation allows an empty one
    const bare = text.trim();
    if (operation.mayBeText === true && operation.answer.safeParse(bare).success) return bare;
    throw notJson(operation, Buffer.from(text), cause);
  }
  if (!needsCleaning.test(text)) return json;
  refuseDepth(operation, text);
  return cleanJson(json);
}

/** The contract nests a dozen levels; many more would exhaust the stack of all code that walks through an answer, Postgres included. */
const mostLevels = 100;

function refuseDepth(operation: Operation, text: string): void {
  if (isDeeperThan(text, mostLevels)) throw fail("answer_too_deep", { operation: operation.id, limit: mostLevels });
}

/** True if the name of a field has bytes that are not UTF-8: its value may belong to any field. */
function hasBrokenKey(json: unknown): boolean {
  if (Array.isArray(json)) return json.some(hasBrokenKey);
  return isObject(json) && Object.entries(json).some(([name, value]) => name.includes("\uFFFD") || hasBrokenKey(value));
}

/** One way to read an answer: its payload, and the unknown fields next to it. */
type Form = { readonly payload: unknown; readonly beside: readonly (readonly [name: string, value: unknown])[] };

/**
 * The possible forms of an answer, the most likely first: inside `{ data, success }`, even if the contract says otherwise; bare; or as the
 * only list of an object under any name, which the service once sent instead of a bare list.
 */
function formsOf(operation: Operation, json: unknown): readonly Form[] {
  const bare: Form = { payload: json, beside: [] };
  if (!isObject(json)) return [bare];
  const beside = Object.entries(json).filter(([name]) => !envelopeFields.has(name));
  const wrapped: Form[] = "data" in json ? [{ payload: json["data"], beside }] : [];
  const asItIs = isEnvelope(operation, json) || !namesField(operation, json) ? [] : [bare];
  const lists = operation.answer instanceof z.ZodArray ? beside.filter(([, value]) => Array.isArray(value)) : [];
  const listed: Form[] = lists.length === 1 ? [{ payload: lists[0]?.[1], beside }] : [];
  return hasOwnData(operation) ? [...asItIs, ...wrapped] : [...wrapped, ...asItIs, ...listed];
}

/** True for a certain envelope: a schema without required fields would accept it as an empty answer. */
function isEnvelope({ envelope }: Operation, json: Readonly<Record<string, unknown>>): boolean {
  return envelope === "data" && "data" in json && ("success" in json || "status" in json);
}

/** True if a bare object has a field of the answer, or the answer may have any field. */
function namesField({ answer }: Operation, json: Readonly<Record<string, unknown>>): boolean {
  return !(answer instanceof z.ZodObject) || Object.keys(json).some((name) => Object.hasOwn(answer.shape, name));
}

/** True if the answer itself has a field `data`, which is then not an envelope. */
function hasOwnData({ envelope, answer }: Operation): boolean {
  return envelope !== "data" && answer instanceof z.ZodObject && Object.hasOwn(answer.shape, "data");
}

/** The part of a payload that fits (`known`; `value` as the schema returns it), and the items that were left out; or why nothing fits. */
type Fitted = { readonly value: unknown; readonly known: unknown; readonly invalid: readonly InvalidItem[] };

function fit(operation: Operation, reported: unknown): Fitted | { readonly problem: string } {
  const { answer, items } = operation;
  const first = parseSpelt(answer, reported);
  if (first.success) return { value: first.data, known: first.payload, invalid: [] };
  // null as the whole answer means that nothing is known; null as the list of an answer that names its subject means an empty list
  const payload = reported === null || items === null ? reported : withoutNullLists(reported, items);
  const whole = parseSpelt(answer, payload);
  if (whole.success) return { value: whole.data, known: whole.payload, invalid: [] };
  const sorted = sortItems(operation, payload) ?? sortItems(operation, whole.payload);
  if (sorted === null) return { problem: problemOf(whole.error) };
  const rest = parseSpelt(answer, sorted.known);
  if (!rest.success) return { problem: problemOf(rest.error) };
  return { value: rest.data, known: rest.payload, invalid: sorted.invalid };
}

/**
 * A payload without the items that do not fit, and those items with their reasons; null if no item fits. In nested lists, items are left
 * out of the innermost list: a day of a chart, or the whole chart if more of it is wrong.
 */
function sortItems(operation: Operation, payload: unknown): { known: unknown; invalid: readonly InvalidItem[] } | null {
  const { items, answer } = operation;
  if (items === null) return sortEntries(answer, payload);
  const invalid: InvalidItem[] = [];
  let known = payload;
  for (const path of nestedLists(items)) {
    const schema = itemSchema(answer, path);
    if (schema === null) return null;
    known = withLists(known, path, (list) =>
      list.flatMap((item, index) => {
        const result = parseSpelt(schema, item);
        if (result.success) return [result.payload];
        invalid.push({ reason: problemOf(result.error), item, index });
        return [];
      }),
    );
  }
  return listsAt(known, items).some((list) => list.length > 0) ? { known, invalid } : null;
}

/**
 * The same for an answer that is a map of figures, entry by entry. An object with the fields of an envelope, such as an error, is not such
 * a map.
 */
function sortEntries(answer: z.ZodType, payload: unknown): ReturnType<typeof sortItems> {
  if (!(answer instanceof z.ZodRecord) || !isObject(payload)) return null;
  if (Object.keys(payload).some((name) => envelopeFields.has(name))) return null;
  const invalid: InvalidItem[] = [];
  const known = Object.entries(payload).flatMap(([name, value]) => {
    const result = parseSpelt(answer.valueType as z.ZodType, value);
    if (result.success) return [[name, result.payload] as const];
    invalid.push({ reason: problemOf(result.error), item: { [name]: value } });
    return [];
  });
  return known.length > 0 ? { known: Object.fromEntries(known), invalid } : null;
}

function problemOf(error: z.ZodError): string {
  const issue = error.issues[0];
  return issue === undefined ? "is invalid" : `${issue.path.join(".") || "value"}: ${issue.message}`;
}

function messageOf(json: Readonly<Record<string, unknown>>): string | undefined {
  const text = [json["message"], json["status"], json["error"]].find((field) => typeof field === "string");
  return text?.slice(0, 200);
}
