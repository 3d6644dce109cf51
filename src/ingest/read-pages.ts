import type { Operation } from "../api/define-operation.ts";
import type { Drift } from "../api/drift.ts";
import { valuesAt } from "../api/lists-at.ts";
import { pagesReported } from "../api/paging.ts";
import { readAnswer, type InvalidItem } from "../api/read-answer.ts";
import type { LandedPage } from "../raw/read-answers.ts";

/** The whole answer of a slice: one checked value a page, invalid items, and fields that the contract does not name. */
export type Fetched = {
  readonly pages: readonly unknown[];
  readonly invalid: readonly InvalidItem[];
  readonly drift: readonly Drift[];
  /** Epoch-ms at which the last page was in. */
  readonly fetchedAt: number;
  /** True where there are pages that were not requested: then nothing counts as gone. */
  readonly isCut?: boolean;
};

/** How an answer is read: how many `calls` it takes, and how many pages are wanted at most. */
type Reading = {
  readonly calls?: number;
  readonly mostPages?: number;
  /** Called after each page, before the next is requested, with the number of pages that will be requested, as far as is known by then. */
  readonly onPages?: (pages: number) => Promise<void>;
};

/**
 * Reads the pages of an answer one after the other, from wherever `page` takes them, until the last; where it takes several `calls`,
 * each of them is a page. Pages past `mostPages` are not read.
 */
export async function readPages(
  operation: Operation,
  page: (index: number) => Promise<LandedPage>,
  { calls = 1, mostPages = Number.POSITIVE_INFINITY, onPages = async () => undefined }: Reading = {},
): Promise<Fetched> {
  const pages: unknown[] = [];
  const invalid: InvalidItem[] = [];
  const drift: Drift[] = [];
  let before: PageSeen | null = null;
  for (let index = 0; ; index += 1) {
    const { body, fetchedAt } = await page(index);
    const read = readAnswer(operation, body);
    pages.push(read.value);
    invalid.push(...read.invalid.map((one) => ({ ...one, page: index })));
    drift.push(...read.drift);
    if (index + 1 < calls) continue;
    const seen: PageSeen = { body, value: read.value };
    const suspicion = calls > 1 || before === null ? null : suspicionBetween(operation, before, seen);
    // an invalid item makes the answer incomplete: nothing counts as gone, and the reason is a reject
    if (suspicion !== null) invalid.push({ reason: suspicion.reason, item: null });
    const available =
      suspicion?.stuck === true
        ? index + 1
        : Math.max(index + 1, pagesReported(operation, read.value, index, itemsIn(read.invalid)));
    const wanted = Math.max(index + 1, Math.min(mostPages, available));
    if (operation.paging !== null) await onPages(wanted);
    if (wanted === index + 1) return { pages, invalid, drift, fetchedAt, isCut: available > wanted };
    before = seen;
  }
}

/** How many items of a list are invalid; what is wrong with the page as a whole is none. */
function itemsIn(invalid: readonly InvalidItem[]): number {
  return invalid.filter(({ index }) => index !== undefined).length;
}

/** A page as it came and as it was read. */
type PageSeen = { readonly body: Buffer; readonly value: unknown };

/**
 * Why items may be missing or double between two pages of an answer; null when nothing points to it. A list that grows or shrinks while
 * it is read moves items over the edge of a page, and only its total shows that. `stuck`: the service sent the same page again.
 */
function suspicionBetween(
  operation: Operation,
  before: PageSeen,
  page: PageSeen,
): { readonly reason: string; readonly stuck: boolean } | null {
  if (page.body.equals(before.body)) return { reason: "the page is the same as the one before it", stuck: true };
  const [was, is] = [totalOf(operation, before.value), totalOf(operation, page.value)];
  if (was === is) return null;
  return { reason: `the list changed while its pages were read: ${was} at first, then ${is}`, stuck: false };
}

/** The total that a page states for the whole list, as a text to compare; empty where it states none. */
function totalOf({ paging }: Operation, value: unknown): string {
  if (paging?.total === undefined) return "";
  if ("pages" in paging.total) return numbersIn(value, [paging.total.pages, "totalElements"]);
  return valuesAt(value, paging.total.rows)
    .map((rows) => numbersIn(rows, ["totalRowCount"]))
    .join("; ");
}

function numbersIn(value: unknown, names: readonly string[]): string {
  const fields = typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  return names.flatMap((name) => (typeof fields[name] === "number" ? [`${name} ${fields[name]}`] : [])).join(", ");
}
