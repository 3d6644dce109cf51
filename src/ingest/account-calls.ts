import type { Params } from "../api/address.ts";
import type { Operation } from "../api/define-operation.ts";
import { questionOf } from "../api/question.ts";
import { datasets } from "../datasets/shared/all.ts";

/** True for an operation whose answer may differ between accounts: it feeds a dataset of the account, or none. */
function isOfAccount(operation: Operation): boolean {
  const fed = datasets.filter(({ operations }) => operations.includes(operation));
  return fed.length === 0 || fed.some(({ ofAccount }) => ofAccount === true);
}

/** A call as a text; calls with equal texts have the same answer (see `questionOf`). Facts are the same for all accounts. */
export function questionIn(account: string, operation: Operation, params: Params): string {
  return questionOf(operation, params, account !== "" && isOfAccount(operation) ? account : "");
}
