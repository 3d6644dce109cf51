import type { Operation } from "../api/define-operation.ts";
import type { Drift } from "../api/drift.ts";
import { valuesAt } from "../api/lists-at.ts";
import { pagesTold } from "../api/paging.ts";
import { readAnswer, type InvalidItem } from "../api/read-answer.ts";
import type { LandedPage } from "../raw/read-answers.ts";

/** The whole answer of a slice: one checked value a page, what did not fit, what nobody knew. */
export type Fetched = {
  readonly pages: readonly unknown[];
  readonly invalid: readonly InvalidItem[];
  readonly drift: readonly Drift[];
  /** Epoch-ms at which the last page was in. */
  readonly fetchedAt: number;
  /** True where there is more of it that was not asked for: then nothing counts as gone. */
  readonly isCut?: boolean;
};

/** How an answer is read: how many `calls` it takes, how many pages of it are wanted at most, and who is told of their number. */
type Reading = {
  readonly calls?: number;
  readonly mostPages?: number;
  /** Told after each page, before the next is asked for, how many pages will be asked for as far as is known by then. */
  readonly told?: (pages: number) => Promise<void>;
};

/**
 * Reads the pages of an answer one after the other, from wherever `page` takes them, until the last; where it takes several `calls`,
 * each of them is a page. What lies past `mostPages` is left alone.
 */
export async function readPages(
  operation: Operation,
  page: (index: number) => Promise<LandedPage>,
  { calls = 1, mostPages = Number.POSITIVE_INFINITY, told = async () => undefined }: Reading = {},
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
    const doubt = calls > 1 || before === null ? null : doubtBetween(operation, before, seen);
    // with something invalid beside it the answer is not taken for whole: nothing counts as gone, and the reason is kept
    if (doubt !== null) invalid.push({ reason: doubt.reason, item: null });
    const there =
      doubt?.stuck === true
        ? index + 1
        : Math.max(index + 1, pagesTold(operation, read.value, index, read.invalid.length));
    const wanted = Math.max(index + 1, Math.min(mostPages, there));
    if (operation.paging !== null) await told(wanted);
    if (wanted === index + 1) return { pages, invalid, drift, fetchedAt, isCut: there > wanted };
    before = seen;
  }
}

/** A page as it came and as it was read. */
type PageSeen = { readonly body: Buffer; readonly value: unknown };

/**
 * Why something may have been lost or told twice between two pages of an answer; null when nothing points to it. A list that grows or
 * shrinks while it is read moves items over the edge of a page, and only its own total tells. `stuck`: the service does not turn the page.
 */
function doubtBetween(
  operation: Operation,
  before: PageSeen,
  page: PageSeen,
): { readonly reason: string; readonly stuck: boolean } | null {
  if (page.body.equals(before.body)) return { reason: "a page that repeats the one before it", stuck: true };
  const [was, is] = [totalOf(operation, before.value), totalOf(operation, page.value)];
  if (was === is) return null;
  return { reason: `a list that changed while its pages were read: ${was} at first, then ${is}`, stuck: false };
}

/** What a page says of the whole list, as a text to compare; empty where it says nothing. */
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
