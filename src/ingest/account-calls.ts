import type { Params } from "../api/address.ts";
import { withDefaultDays } from "../api/default-days.ts";
import type { Operation } from "../api/define-operation.ts";
import { callHashOf } from "../api/call-hash.ts";
import { dayOf } from "../core/day.ts";
import { datasets } from "../datasets/shared/all.ts";

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
