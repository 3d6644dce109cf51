import { z } from "zod";
import { fail } from "../core/errors.ts";
import { cleanJson } from "../core/text.ts";
import type { Operation } from "./define-operation.ts";
import { driftIn, type Drift } from "./drift.ts";

/** One item of an answer that does not fit the contract, kept as it came. */
export type Unfit = { readonly reason: string; readonly item: unknown };

/** An answer after it was parsed, unwrapped and checked: `value` fits the operation's schema, what does not is beside it. */
export type Read = { readonly value: unknown; readonly unfit: readonly Unfit[]; readonly drift: readonly Drift[] };

/** An escape of U+0000 or of a surrogate: only then is the parsed value walked to clean it. */
const needsCleaning = /\\u0000|\\u[dD][89a-fA-F][0-9a-fA-F]{2}/;

/**
 * Reads a body: text first, then JSON, then the envelope, then the schema, item by item where one does not fit.
 * Throws `not_json`, `success_false` or `unknown_shape`.
 */
export function readAnswer(operation: Operation, body: Buffer): Read {
  const json = parse(operation, body);
  const drift: Drift[] = [];
  const unwrapped = unwrap(operation, json, drift);
  const whole = operation.answer.safeParse(unwrapped);
  if (whole.success) {
    driftIn(operation.answer, unwrapped, "", drift);
    return { value: whole.data, unfit: [], drift };
  }
  const { value, unfit } = withoutUnfit(operation, unwrapped);
  const rest = operation.answer.safeParse(value);
  if (!rest.success) throw fail("unknown_shape", { operation: operation.id, problem: problemOf(rest.error) });
  driftIn(operation.answer, value, "", drift);
  return { value: rest.data, unfit, drift };
}

function parse(operation: Operation, body: Buffer): unknown {
  const text = new TextDecoder().decode(body);
  try {
    const json: unknown = JSON.parse(text);
    return needsCleaning.test(text) ? cleanJson(json) : json;
  } catch (cause) {
    throw fail("not_json", { operation: operation.id, bytes: body.length }, cause);
  }
}

/** Takes `{ data, success }` off where the contract says so, and where it does not but it is there; checks `success`. */
function unwrap(operation: Operation, json: unknown, drift: Drift[]): unknown {
  if (!isObject(json) || !("success" in json || "data" in json))
    return operation.envelope === "bare" ? soleList(operation, json, drift) : json;
  if (json["success"] === false) throw fail("success_false", { operation: operation.id, message: messageOf(json) });
  if (operation.envelope === "bare" && operation.answer.safeParse(json).success) return json;
  return "data" in json ? json["data"] : json;
}

/** A list that the service once served inside an object, under a name of its own: the path did not change, the payload did. */
function soleList(operation: Operation, json: unknown, drift: Drift[]): unknown {
  if (!isObject(json) || !(operation.answer instanceof z.ZodArray)) return json;
  const lists = Object.entries(json).filter(([, value]) => Array.isArray(value));
  const [only] = lists;
  if (lists.length !== 1 || only === undefined) return json;
  drift.push({ path: only[0], kind: "object" });
  return only[1];
}

/** The answer without the items that do not fit, and those items with their reasons. */
function withoutUnfit(operation: Operation, value: unknown): { value: unknown; unfit: Unfit[] } {
  const list = operation.items?.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), value);
  const schema = itemSchema(operation);
  if (operation.items === null || !Array.isArray(list) || schema === null) return { value, unfit: [] };
  const unfit: Unfit[] = [];
  const fits = list.filter((item: unknown) => {
    const result = schema.safeParse(item);
    if (!result.success) unfit.push({ reason: problemOf(result.error), item });
    return result.success;
  });
  return { value: replaced(value, operation.items, fits), unfit };
}

function itemSchema(operation: Operation): z.ZodType | null {
  let at: unknown = operation.answer;
  for (const key of operation.items ?? []) at = at instanceof z.ZodObject ? at.shape[key] : undefined;
  return at instanceof z.ZodArray ? (at.element as z.ZodType) : null;
}

function replaced(value: unknown, path: readonly string[], list: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return list;
  return isObject(value) ? { ...value, [key]: replaced(value[key], rest, list) } : value;
}

function problemOf(error: z.ZodError): string {
  const issue = error.issues[0];
  return issue === undefined ? "does not fit" : `${issue.path.join(".") || "value"}: ${issue.message}`;
}

function messageOf(json: Record<string, unknown>): string | undefined {
  const text = json["message"] ?? json["status"];
  return typeof text === "string" ? text.slice(0, 200) : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
