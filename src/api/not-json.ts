import { fail, type StorehouseError } from "../core/errors.ts";
import type { Operation } from "./define-operation.ts";

/** True for HTML or XML, which no answer is. */
function isMarkup(body: Buffer): boolean {
  return body.subarray(0, 64).toString("latin1").trimStart().startsWith("<");
}

/** The error of a body that is not JSON; says so if it is a page for people, as of a proxy or of a service under maintenance. */
export function notJson({ id }: Operation, body: Buffer, cause?: unknown): StorehouseError {
  const likely = isMarkup(body) ? ", but probably an HTML page" : undefined;
  return fail("not_json", { operation: id, bytes: body.length, likely }, cause);
}
