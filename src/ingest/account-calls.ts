import type { Params } from "../api/address.ts";
import { withDefaultDays } from "../api/default-days.ts";
import type { Operation } from "../api/define-operation.ts";
import { callHashOf } from "../api/call-hash.ts";
import { dayOf } from "../core/day.ts";
import { datasets } from "../datasets/shared/all.ts";
import { endsList } from "./read-pages.ts";

/** True for a call whose answer may differ between accounts: it feeds a dataset of the account, or none, or names no part of the account. */
function isOfAccount(operation: Operation, params: Params): boolean {
  const { wholeAccountWithout: part } = operation;
  if (part !== undefined && params[part] == null) return true;
  const fed = datasets.filter(({ operations }) => operations.includes(operation));
  return fed.length === 0 || fed.some(({ ofAccount }) => ofAccount === true);
}

/**
 * The hash of a call that is sent at an instant (epoch-ms); calls with equal hashes have the same answer (see `callHashOf`). A day that is left
 * out is the day that the service uses for it then. Facts are the same for all accounts.
 */
export function callHashIn(
  account: string,
  { operation, params }: { readonly operation: Operation; readonly params: Params },
  sentAt: number,
): string {
  const dated = withDefaultDays(operation, params, dayOf(sentAt));
  return callHashOf(operation, dated, account !== "" && isOfAccount(operation, params) ? account : "");
}

/**
 * The hash with which the answer to a call is stored, by which equal calls find it. Null if there is no answer, and for a further page that
 * does not exist: only its slice may read that as an empty page. `page`: null if the call is for no slice. `sentAt`: epoch-ms.
 */
export function answerHash(
  account: string,
  call: { readonly operation: Operation; readonly params: Params; readonly page: { readonly index: number } | null },
  { body, sentAt }: { readonly body: Buffer | null; readonly sentAt: number },
): string | null {
  const index = call.page?.index ?? 0;
  return body === null || endsList(call.operation, index, body) ? null : callHashIn(account, call, sentAt);
}
