import type { Operation } from "../api/define-operation.ts";
import { valuesAt } from "../api/lists-at.ts";

/** A page as it came and as it was read. */
export type PageSeen = { readonly body: Buffer; readonly value: unknown };

/**
 * Why something may have been lost or told twice between two pages of an answer; null when nothing points to it. A list that grows or
 * shrinks while it is read moves items over the edge of a page, and only its own total tells. `stuck`: the service does not turn the page.
 */
export function doubtBetween(
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
