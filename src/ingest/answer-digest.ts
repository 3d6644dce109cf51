import { createHash } from "node:crypto";
import { scopeKey, type Slice } from "../core/slice.ts";
import { digestOf } from "../ledger/batches.ts";

/** SHA-256, as hex, over what a slice asks for, its answer, and the program that reads it: equal ones make equal rows. */
export function answerDigest(program: string, slice: Slice, body: Buffer): string {
  const { dataset, operation, scope, items, window } = slice;
  const question = [program, dataset, operation, scopeKey(scope), items && digestOf(items), window.start, window.end];
  return createHash("sha256").update(JSON.stringify(question)).update(body).digest("hex");
}
