import type { Answer } from "../api/credit-headers.ts";
import type { Operation } from "../api/define-operation.ts";
import { errorOf, mayBeExhausted } from "../api/replies.ts";
import { AbortError, fail, type StorehouseError } from "../core/errors.ts";
import type { Slice } from "../core/slice.ts";
import { readAccount } from "../credits/account.ts";
import type { Receipt } from "../credits/holds.ts";
import type { IngestParts } from "./ingest-parts.ts";

/** What an answer says of the account. A refusal names a cost too, but nothing was taken. */
export function receiptOf(operation: Operation, answer: Answer): Receipt {
  const taken = errorOf(operation, answer) === null;
  const succeeded = answer.status >= 200 && answer.status < 300;
  // a refusal for want of credits says nothing of the pace
  const tooFast =
    answer.status === 429 && !(answer.credits.remaining !== null && answer.credits.remaining < operation.cost);
  return {
    charged: succeeded ? (answer.credits.cost ?? (taken ? operation.cost : 0)) : null,
    remaining: answer.credits.remaining,
    resetsAt: answer.credits.resetsAt,
    tooFast,
    notBefore: tooFast || answer.status === 503 ? answer.credits.notBefore : null,
    lost: false,
  };
}

/** The error of an answer, null for a good one. Where the status leaves open whether credits or pace ran out, the balance decides. */
export async function problemOf(
  parts: IngestParts,
  operation: Operation,
  answer: Answer,
  cost: number,
): Promise<StorehouseError | null> {
  const problem = errorOf(operation, answer);
  if (problem === null || !mayBeExhausted(answer)) return problem;
  if (answer.credits.remaining === null) await parts.refreshBalance();
  const account = await readAccount(parts.db, parts.accountId);
  const remaining = answer.credits.remaining ?? account?.remaining ?? null;
  if (remaining === null || remaining >= cost) return problem;
  return fail("credits_exhausted", {
    operation: operation.id,
    status: answer.status,
    remaining,
    until: answer.credits.resetsAt ?? account?.resetsAt,
  });
}

const neverSent: ReadonlySet<string> = new Set(["bad_request", "not_encodable"]);

/** True for the error of a call that did not fit its operation: nothing was sent. */
export function wasNeverSent({ code }: StorehouseError): boolean {
  return neverSent.has(code);
}

/** Stops all asking where an error says that token or account are refused; first of all, so that nothing is sent while it is written down. */
export function stopAsking({ abort }: Pick<IngestParts, "abort">, { dataset }: Slice, error: unknown): void {
  if (error instanceof AbortError) abort(fail(error.code, { ...error.context, dataset }, error));
}
