import type { Operation } from "../api/define-operation.ts";
import type { Reply } from "../api/reply.ts";
import { AbortError, fail, type StorehouseError } from "../core/errors.ts";
import type { Slice } from "../core/slice.ts";
import { readAccount } from "../credits/account.ts";
import type { IngestParts } from "./ingest-parts.ts";

/** The problem of a reply, null for an answer. Where the status leaves open whether credits or pace ran out, the balance decides. */
export async function problemOf(
  parts: IngestParts,
  operation: Operation,
  { problem, status, credits, mayMeanExhausted }: Reply,
  cost: number,
): Promise<StorehouseError | null> {
  if (problem === null || !mayMeanExhausted) return problem;
  if (credits.remaining === null) await parts.refreshBalance();
  const account = await readAccount(parts.db, parts.accountId);
  const remaining = credits.remaining ?? account?.remaining ?? null;
  if (remaining === null || remaining >= cost) return problem;
  return fail("credits_exhausted", {
    operation: operation.id,
    status,
    remaining,
    until: credits.resetsAt ?? account?.resetsAt,
  });
}

/** Stops all asking where an error says that token or account are refused; first of all, so that nothing is sent while it is written down. */
export function stopAsking({ abort }: Pick<IngestParts, "abort">, { dataset }: Slice, error: unknown): void {
  if (error instanceof AbortError) abort(fail(error.code, { ...error.context, dataset }, error));
}
