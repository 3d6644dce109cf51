import { listsAt, valuesAt } from "./lists-at.ts";
import { isObject } from "../core/is-object.ts";
import { sumBy } from "../core/sum.ts";

/** How an answer that does not fit into one call continues. */
export type Paging = {
  /** The parameter that carries the page number. */
  readonly param: string;
  /** The number of the first page. */
  readonly first: 0 | 1;
  /** Items on a full page; the service's default if `sizeParam` names the parameter that changes it. */
  readonly size: number;
  readonly sizeParam?: string;
  /**
   * Where the answer shows in advance that a page is the last: `pages` and `items` are fields with the total numbers of pages and items,
   * `rows` is the path to `{ totalRowCount, limit, offset }`. Left out if only a page that is not full shows it.
   */
  readonly total?: { readonly pages: string; readonly items: string } | { readonly rows: readonly string[] };
};

/** The part of an operation that defines its paging. */
type Paged = {
  readonly paging: Paging | null;
  /** The path of the lists whose items fill a page. */
  readonly items: readonly string[] | null;
};

/** The parameters that request page `index` (from 0), or the one at another cursor; none if the operation has no pages. */
export function pageParams({ paging }: Paged, index: number): Readonly<Record<string, number>> {
  return paging === null ? {} : { [paging.param]: paging.first + index };
}

/**
 * The cursor of the page after `pages`: how many pages come before it or, if the service counts rows, how many rows. The contract only
 * calls it a cursor. If the second page says that it begins with the second row, and does, the service counts rows: requested by page
 * number, each further page would have one new row for the price of a page.
 */
export function cursorAfter(paged: Paged, pages: readonly unknown[]): number {
  if (!countsRows(paged, pages)) return pages.length;
  const last = pages.at(-1);
  return (offsetOf(paged, last) ?? 0) + itemsOn(last, paged.items ?? []);
}

/** True if the service has read the number of the second page as the number of a row. */
function countsRows(paged: Paged, [first, second]: readonly unknown[]): boolean {
  if (second === undefined || offsetOf(paged, second) !== 1) return false;
  const [rows, others] = [first, second].map((page) => listsAt(page, paged.items ?? []).flat());
  const begin = JSON.stringify(others?.[0]);
  return rows?.slice(1).some((row) => JSON.stringify(row) === begin) === true;
}

/** The row that a page says it begins with, from 0; null if it does not say. */
function offsetOf({ paging }: Paged, page: unknown): number | null {
  const total = paging?.total;
  return total === undefined || "pages" in total ? null : numberIn(valuesAt(page, total.rows)[0], "offset");
}

/**
 * The number of pages worth requesting, as far as page `index` (from 0) shows, since a page past the end is charged too: by the total in
 * the answer or, if it has none that can be true, one more while a page is full. An empty page is always the last. `invalid` is the number
 * of items that were left out of `value`: a page that came full still counts as full.
 */
export function pagesReported({ paging, items }: Paged, value: unknown, index: number, invalid: number): number {
  const read = index + 1;
  if (paging === null || items === null) return read;
  const count = itemsOn(value, items) + invalid;
  if (count === 0) return read;
  const isFull = count >= fullPage(paging, value);
  // a page that is not full says nothing against the total
  const byTotal = moreByTotal(paging, value, { index, count: isFull ? count : 0 });
  if (!isFull) return read + (byTotal ?? 0);
  // one of the two numbers may be too small: then a full page is not the last one
  const known = [byTotal, moreByItems(paging, value, { index, count })].filter((more) => more !== null);
  return read + (known.length === 0 ? 1 : Math.max(...known));
}

/** The place of a page (from 0), and how many items it has. */
type Page = { readonly index: number; readonly count: number };

/** How many more pages of `count` items, as on this page, the stated number of all items takes; null if it has no credible number. */
function moreByItems(paging: Paging, value: unknown, { index, count }: Page): number | null {
  const pages = (itemsReported(paging, value) ?? 0) / count;
  return pages < index + 1 ? null : Math.ceil(pages) - index - 1;
}

/** How many items all pages have according to the answer; null if it does not say. */
export function itemsReported(paging: Paging, value: unknown): number | null {
  return paging.total !== undefined && "items" in paging.total ? numberIn(value, paging.total.items) : null;
}

/**
 * True if page `index` (from 0) has no items although the total in the answer says that it has: its items are missing. An answer without
 * items may still count one page.
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

/** How many pages follow this one according to the total in the answer; null if it has no readable total, or less than has arrived. */
function moreByTotal({ total }: Paging, value: unknown, { index, count }: Page): number | null {
  if (total === undefined) return null;
  if ("pages" in total) {
    const pages = Math.ceil(numberIn(value, total.pages) ?? 0);
    return pages < index + 1 ? null : pages - index - 1;
  }
  const parts = valuesAt(value, total.rows);
  const reported = parts.map((rows) => rowsAfter(rows));
  if (reported.length === 0 || reported.includes(null)) return null;
  const rowsFrom = sumBy(parts, (rows) =>
    // a part that ended on an earlier page has none
    Math.max(0, (numberIn(rows, "totalRowCount") ?? 0) - (numberIn(rows, "offset") ?? 0)),
  );
  return rowsFrom < count ? null : Math.max(...reported.map((pages) => pages ?? 0));
}

/** How many pages follow the one with this `{ totalRowCount, limit, offset }`; null if it does not say. */
function rowsAfter(rows: unknown): number | null {
  const [offset, limit, all] = ["offset", "limit", "totalRowCount"].map((name) => numberIn(rows, name));
  if (offset == null || limit == null || all == null) return null;
  const left = all - offset - limit;
  return left <= 0 ? 0 : limit > 0 ? Math.ceil(left / limit) : 1;
}

/** The size of a full page: if a size was requested, the page states it. */
function fullPage({ size, sizeParam }: Paging, value: unknown): number {
  return sizeParam === undefined ? size : (numberIn(value, "pageSize") ?? size);
}

function numberIn(value: unknown, name: string): number | null {
  const field = isObject(value) && Object.hasOwn(value, name) ? value[name] : null;
  return typeof field === "number" && Number.isFinite(field) ? field : null;
}
