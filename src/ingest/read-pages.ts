import { createHash } from "node:crypto";
import type { Operation } from "../api/define-operation.ts";
import type { Drift } from "../api/drift.ts";
import { listsAt, valuesAt } from "../api/lists-at.ts";
import { cursorAfter, itemsOn, itemsReported, lacksItems, pagesReported } from "../api/paging.ts";
import { readAnswer, type InvalidItem, type Read } from "../api/read-answer.ts";
import type { LandedPage } from "../raw/read-answers.ts";

/** The whole answer of a slice: one checked value per page, invalid items, and fields that the contract does not name. */
export type Fetched = {
  readonly pages: readonly unknown[];
  readonly invalid: readonly InvalidItem[];
  readonly drift: readonly Drift[];
  /** When the last page arrived, in epoch-ms. */
  readonly fetchedAt: number;
  /** True if there are pages that were not requested: then nothing counts as gone. */
  readonly isCut?: boolean;
};

/** A service that never stops sending full pages must not drain the account. */
const mostRead = 1000;

/** How an answer is read: how many `calls` it takes, and at most how many pages. */
type Reading = {
  readonly calls?: number;
  readonly mostPages?: number;
  /** The most pages that are paid for, computed before each page. An answer with more pages is incomplete, and a reject says so. */
  readonly pageLimit?: () => number;
  /** Called after each page, before the next is requested, with the number of pages that will be requested, as far as is known. */
  readonly onPages?: (pages: number) => Promise<void>;
};

/**
 * Reads the pages of an answer one after the other until the last. `page` returns each by its number and cursor. If the answer takes
 * several `calls`, each of them is a page. Pages past `mostPages` are not read. A page with the items of an earlier page ends the answer,
 * and so does a further page without content.
 */
export async function readPages(
  operation: Operation,
  page: (index: number, cursor: number) => Promise<LandedPage>,
  {
    calls = 1,
    mostPages = Number.POSITIVE_INFINITY,
    pageLimit = () => Number.POSITIVE_INFINITY,
    onPages = async () => undefined,
  }: Reading = {},
): Promise<Fetched> {
  const pages: unknown[] = [];
  const invalid: InvalidItem[] = [];
  const drift: Drift[] = [];
  const seen = new Map<string, number>();
  for (let index = 0; ; index += 1) {
    const { body, fetchedAt, parsed } = await page(index, cursorAfter(operation, pages));
    if (endsList(operation, index, body)) {
      // if the answer states its number of pages, the items of this one are missing
      if (operation.paging?.total !== undefined)
        invalid.push({ reason: `page ${index + 1} has no content`, item: null });
      await onPages(index + 1);
      return { pages, invalid, drift, fetchedAt };
    }
    const read = readAnswer(operation, body, parsed);
    drift.push(...read.drift);
    const same = calls > 1 ? undefined : earlierPage(seen, operation, read, index);
    if (same !== undefined) {
      // an invalid item makes the answer incomplete: nothing counts as gone, and the reason is a reject
      invalid.push({ reason: `page ${index + 1} is the same as page ${same + 1}: the answer ends there`, item: null });
      await onPages(index + 1);
      return { pages, invalid, drift, fetchedAt };
    }
    const change = calls > 1 ? null : changeBetween(operation, pages.at(-1), read.value);
    pages.push(read.value);
    invalid.push(...read.invalid.map((one) => ({ ...one, page: index })));
    if (index + 1 < calls) continue;
    if (change !== null) invalid.push({ reason: change, item: null });
    else if (itemsIn(read.invalid).length === 0 && lacksItems(operation, read.value, index))
      invalid.push({ reason: `page ${index + 1} has no items, but the answer reports some there`, item: null });
    // each of these numbers includes this page: the pages there are, those that are needed, and those that may be paid for
    const reported = Math.max(index + 1, pagesReported(operation, read.value, index, itemsIn(read.invalid).length));
    const wanted = Math.max(index + 1, Math.min(mostPages, reported));
    const payable = Math.max(index + 1, Math.min(pageLimit(), mostRead, wanted));
    if (operation.paging !== null) await onPages(payable);
    if (payable > index + 1) continue;
    if (wanted > payable) invalid.push({ reason: tooManyPages(payable), item: null });
    else if (reported === payable && invalid.every(({ index: place }) => place !== undefined))
      invalid.push(...missingItems(operation, pages, invalid.length));
    return { pages, invalid, drift, fetchedAt, isCut: reported > payable };
  }
}

/** True for a further page without any content: a service may have none past the end of a list. */
export function endsList({ paging }: Operation, index: number, body: Buffer): boolean {
  return paging !== null && index > 0 && body.length === 0;
}

/** The problem to report if the last page states a larger total than the items of all pages, plus the `left` ones that were left out. */
function missingItems({ paging, items }: Operation, pages: readonly unknown[], left: number): readonly InvalidItem[] {
  if (paging === null || items === null) return [];
  const reported = itemsReported(paging, pages.at(-1)) ?? 0;
  const found = pages.reduce<number>((sum, page) => sum + itemsOn(page, items), left);
  return found < reported
    ? [{ reason: `the answer reports ${reported} items, but its pages have ${found}`, item: null }]
    : [];
}

/** The invalid items of a list, without problems of the page as a whole. */
function itemsIn(invalid: readonly InvalidItem[]): readonly InvalidItem[] {
  return invalid.filter(({ index }) => index !== undefined);
}

function tooManyPages(read: number): string {
  if (read === mostRead) return `the answer continues after ${read} pages, but no more are requested`;
  return `the answer continues after ${read} pages, far more than usual: set the dataset's most_pages to request more`;
}

/**
 * The number of the earlier page with the same items, from 0; notes the items of this page. The fields around the items may differ: a
 * service that ignores the page number may still print it.
 */
function earlierPage(
  seen: Map<string, number>,
  operation: Operation,
  { value, invalid }: Read,
  index: number,
): number | undefined {
  const { paging, items } = operation;
  if (paging === null || items === null) return undefined;
  const lists = [listsAt(value, items), itemsIn(invalid).map(({ item }) => item)];
  if (lists.every((list) => list.flat().length === 0)) return undefined;
  const digest = createHash("sha256").update(JSON.stringify(lists)).digest("base64");
  const before = seen.get(digest);
  seen.set(digest, before ?? index);
  return before;
}

/**
 * Why items between two pages of an answer may be missing or duplicate; null if nothing suggests it. A list that grows or shrinks while it
 * is read moves items across the edge of a page, and only its total shows that.
 */
function changeBetween(operation: Operation, before: unknown, page: unknown): string | null {
  if (before === undefined) return null;
  const [was, is] = [totalOf(operation, before), totalOf(operation, page)];
  return was === is ? null : `the list changed while its pages were read: ${was} at first, then ${is}`;
}

/** The total that a page states for the whole list, as a text to compare; empty if it states none. */
function totalOf({ paging }: Operation, value: unknown): string {
  if (paging?.total === undefined) return "";
  if ("pages" in paging.total) return numbersIn(value, [paging.total.pages, paging.total.items]);
  return valuesAt(value, paging.total.rows)
    .map((rows) => numbersIn(rows, ["totalRowCount"]))
    .join("; ");
}

function numbersIn(value: unknown, names: readonly string[]): string {
  const fields = typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  return names.flatMap((name) => (typeof fields[name] === "number" ? [`${name} ${fields[name]}`] : [])).join(", ");
}
