import type { Operation } from "./define-operation.ts";
import { cursorAfter } from "./paging.ts";
import { readIfUsable } from "./read-answer.ts";

/** The cursor with which the page after stored ones was requested; see `cursorAfter`. Reads no more of their bodies than it needs. */
export function cursorOfPage(operation: Operation, before: readonly Buffer[]): number {
  const total = operation.paging?.total;
  const mayCountRows = before.length > 1 && total !== undefined && "rows" in total;
  if (!mayCountRows) return before.length;
  const last = before.length - 1;
  // the first two pages show whether the service counts rows, and the last one where it ends
  const read = before.map((body, page) =>
    page < 2 || page === last ? readIfUsable(operation, body)?.value : undefined,
  );
  return cursorAfter(operation, read);
}
