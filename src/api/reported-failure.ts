import { z } from "zod";
import { isObject } from "../core/is-object.ts";
import type { Operation } from "./define-operation.ts";
import { flagOf } from "./respell.ts";

/** Fields that may be next to the data of any answer. */
export const envelopeFields: ReadonlySet<string> = new Set(["data", "success", "status", "message"]);

/** Lists that a body with an error may have. */
const listsOfErrors: ReadonlySet<string> = new Set(["errors", "details"]);

/**
 * True for a body that reports a failure although the status of its reply does not: `success: false`, or the form of the gateway's errors,
 * `{ timestamp, path, status, error, message, requestId }`, without anything of the answer.
 */
export function reportsFailure({ answer }: Operation, json: unknown): boolean {
  if (!isObject(json)) return false;
  if (flagOf(json["success"]) === false) return true;
  const { status, error, data } = json;
  if (typeof error !== "string" || typeof status !== "number" || status < 400 || data != null) return false;
  if (answer instanceof z.ZodArray)
    return !Object.entries(json).some(([name, value]) => Array.isArray(value) && !listsOfErrors.has(name));
  const fields = answer instanceof z.ZodObject ? Object.keys(answer.shape) : [];
  return !fields.some((name) => !envelopeFields.has(name) && Object.hasOwn(json, name));
}
