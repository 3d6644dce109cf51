import type { Operation } from "./define-operation.ts";
import { listsAt, valuesAt } from "./lists-at.ts";

/** How an answer that does not fit one call goes on. */
export type Paging = {
  /** The parameter that carries the page number. */
  readonly param: string;
  /** The number of the first page. */
  readonly first: 0 | 1;
  /** Items on a full page; the service's default where `sizeParam` names the parameter that changes it. */
  readonly size: number;
  readonly sizeParam?: string;
  /**
   * Where the answer tells in advance that a page is the last: `pages` is a field with the number of all pages, `rows` are the
   * places of `{ totalRowCount, limit, offset }`. Left out where only a page that is not full tells.
   */
  readonly total?: { readonly pages: string } | { readonly rows: readonly string[] };
};

/** A service that keeps answering full pages for ever must not drain the account. */
const mostPages = 1000;

/** The parameters that ask for page `index` (from 0); none where the operation has no pages. */
export function pageParams(operation: Operation, index: number): Readonly<Record<string, number>> {
  return operation.paging === null ? {} : { [operation.paging.param]: operation.paging.first + index };
}

/**
 * True when a page after `index` is worth asking for, since a page past the end is charged as well: the answer's own total says so
 * or, where it has none, this page was full. An empty page is always the last. `unfit` is the number of items that were left out
 * of `value`: a page that came full stays full without them.
 */
export function hasNextPage(operation: Operation, value: unknown, index: number, unfit = 0): boolean {
  const { paging, items } = operation;
  if (paging === null || items === null || index + 1 >= mostPages) return false;
  const count = listsAt(value, items).reduce((sum, list) => sum + list.length, unfit);
  return count > 0 && (moreByTotal(paging, value, index) ?? count >= fullPage(paging, value));
}

/** What the answer's total says of further pages, null where it has none that can be read. */
function moreByTotal({ total }: Paging, value: unknown, index: number): boolean | null {
  if (total === undefined) return null;
  if ("pages" in total) {
    const pages = numberIn(value, total.pages);
    return pages === null ? null : index + 1 < pages;
  }
  const told = valuesAt(value, total.rows).map((rows) => ({
    end: plus(numberIn(rows, "offset"), numberIn(rows, "limit")),
    all: numberIn(rows, "totalRowCount"),
  }));
  if (told.length === 0 || told.some(({ end, all }) => end === null || all === null)) return null;
  return told.some(({ end, all }) => (end ?? 0) < (all ?? 0));
}

/** A page of a size that was asked for says itself how large a full one is. */
function fullPage({ size, sizeParam }: Paging, value: unknown): number {
  return sizeParam === undefined ? size : (numberIn(value, "pageSize") ?? size);
}

function plus(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a + b;
}

function numberIn(value: unknown, name: string): number | null {
  const field = fieldOf(value, name);
  return typeof field === "number" && Number.isFinite(field) ? field : null;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}
