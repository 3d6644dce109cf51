import type { Operation } from "./define-operation.ts";

/** A service that keeps answering full pages for ever must not drain the account. */
const mostPages = 1000;

/** The parameters that ask for page `index` (from 0); none where the operation has no pages. */
export function pageParams(operation: Operation, index: number): Readonly<Record<string, number>> {
  return operation.paging === null ? {} : { [operation.paging.param]: operation.paging.first + index };
}

/**
 * True when a page after `index` is worth asking for: this one was full. A page past the end is charged as well. `unfit` is the
 * number of items that were left out of `value`: a page that came full stays full without them.
 */
export function hasNextPage(operation: Operation, value: unknown, index: number, unfit = 0): boolean {
  if (operation.paging === null || operation.items === null || index + 1 >= mostPages) return false;
  let list: unknown = value;
  for (const key of operation.items)
    list = typeof list === "object" && list !== null ? (list as Record<string, unknown>)[key] : undefined;
  return Array.isArray(list) && list.length + unfit >= operation.paging.size;
}
