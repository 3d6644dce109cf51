import { listsAt, valuesAt } from "./lists-at.ts";
import { sumBy } from "../core/sum.ts";

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
   * Where the answer says in advance that a page is the last: `pages` and `items` are fields with the numbers of all pages and of
   * their items, `rows` are the places of `{ totalRowCount, limit, offset }`. Left out where only a page that is not full shows it.
   */
  readonly total?: { readonly pages: string; readonly items: string } | { readonly rows: readonly string[] };
};

/** The part of an operation that says how its answers go on. */
type Paged = {
  readonly paging: Paging | null;
  /** Places of the lists whose items fill a page. */
  readonly items: readonly string[] | null;
};

/** The parameters that request page `index` (from 0), or the one at another cursor; none where the operation has no pages. */
export function pageParams({ paging }: Paged, index: number): Readonly<Record<string, number>> {
  return paging === null ? {} : { [paging.param]: paging.first + index };
}

/**
 * What to request the page after `pages` by: how many pages there are before it or, where the service counts rows, how many rows. The
 * contract only calls it a cursor. A second page that says it begins with the second row, and does, shows that rows are counted: by its
 * number each further page would bring one new row at the price of a page.
 */
export function cursorAfter(paged: Paged, pages: readonly unknown[]): number {
  if (!countsRows(paged, pages)) return pages.length;
  const last = pages.at(-1);
  return (offsetOf(paged, last) ?? 0) + itemsOn(last, paged.items ?? []);
}

/** True where the service has taken the number of the second page for that of a row. */
function countsRows(paged: Paged, [first, second]: readonly unknown[]): boolean {
  if (second === undefined || offsetOf(paged, second) !== 1) return false;
  const [rows, others] = [first, second].map((page) => listsAt(page, paged.items ?? []).flat());
  const begin = JSON.stringify(others?.[0]);
  return rows?.slice(1).some((row) => JSON.stringify(row) === begin) === true;
}

/** The row that a page says it begins with, from 0; null where it does not say. */
function offsetOf({ paging }: Paged, page: unknown): number | null {
  const total = paging?.total;
  return total === undefined || "pages" in total ? null : numberIn(valuesAt(page, total.rows)[0], "offset");
}

/**
 * The number of pages worth requesting, as far as page `index` (from 0) shows, since a page past the end is charged as well: by the answer's
 * own total or, where it has none, one more while a page is full. An empty page is always the last. `invalid` is the number of items that
 * were left out of `value`: a page that came full stays full without them.
 */
export function pagesReported({ paging, items }: Paged, value: unknown, index: number, invalid = 0): number {
  const read = index + 1;
  if (paging === null || items === null) return read;
  const count = itemsOn(value, items) + invalid;
  if (count === 0) return read;
  const isFull = count >= fullPage(paging, value);
  const more = moreByTotal(paging, value, index) ?? (isFull ? 1 : 0);
  // a number of pages that is too small for the items: a full page is not the last one then
  return read + (isFull ? Math.max(more, moreByItems(paging, value, { index, count })) : more);
}

/** How many pages as full as this one, of `count` items, its number of all items takes after it. */
function moreByItems(paging: Paging, value: unknown, { index, count }: { index: number; count: number }): number {
  return Math.max(0, Math.ceil((itemsReported(paging, value) ?? 0) / count) - index - 1);
}

/** How many items the answer says that its pages have; null where it does not say. */
export function itemsReported(paging: Paging, value: unknown): number | null {
  return paging.total !== undefined && "items" in paging.total ? numberIn(value, paging.total.items) : null;
}

/**
 * True where page `index` (from 0) has no items and the answer's own total says that it has: what it should hold is missing. The first one
 * may be called a page where there is nothing.
 */
export function lacksItems({ paging, items }: Paged, value: unknown, index: number): boolean {
  const total = paging?.total;
  if (total === undefined || items === null || itemsOn(value, items) > 0) return false;
  if ("pages" in total) return (numberIn(value, total.pages) ?? 0) > Math.max(1, index);
  const hasMore = (rows: unknown) => (numberIn(rows, "offset") ?? Infinity) < (numberIn(rows, "totalRowCount") ?? 0);
  return index > 0 && valuesAt(value, total.rows).some(hasMore);
}

/** How many items a page has. */
export function itemsOn(value: unknown, items: readonly string[]): number {
  return sumBy(listsAt(value, items), ({ length }) => length);
}

/** How many pages after this one the answer's total reports, null where it has none that can be read. */
function moreByTotal({ total }: Paging, value: unknown, index: number): number | null {
  if (total === undefined) return null;
  if ("pages" in total) {
    const pages = numberIn(value, total.pages);
    return pages === null ? null : Math.max(0, Math.ceil(pages) - index - 1);
  }
  const reported = valuesAt(value, total.rows).map((rows) => rowsAfter(rows));
  if (reported.length === 0 || reported.includes(null)) return null;
  return Math.max(...reported.map((pages) => pages ?? 0));
}

/** How many pages follow the one that `{ totalRowCount, limit, offset }` stands for; null where it does not say. */
function rowsAfter(rows: unknown): number | null {
  const [offset, limit, all] = ["offset", "limit", "totalRowCount"].map((name) => numberIn(rows, name));
  if (offset == null || limit == null || all == null) return null;
  const left = all - offset - limit;
  return left <= 0 ? 0 : limit > 0 ? Math.ceil(left / limit) : 1;
}

/** A page of a size that was requested says itself how large a full one is. */
function fullPage({ size, sizeParam }: Paging, value: unknown): number {
  return sizeParam === undefined ? size : (numberIn(value, "pageSize") ?? size);
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
