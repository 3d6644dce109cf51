import type { InvalidItem } from "../../api/read-answer.ts";

/**
 * The items of an answer that belong to its slice, and the others as invalid. `reasonOf`: why an item does not belong to it, null if it
 * does; `shownOf`: what an invalid item is recorded as, the item itself if left out.
 */
export function checkItems<T>(
  items: readonly T[],
  reasonOf: (item: T) => string | null,
  shownOf: (item: T) => unknown = (item) => item,
): { readonly fitting: readonly T[]; readonly invalid: readonly InvalidItem[] } {
  const fitting: T[] = [];
  const invalid: InvalidItem[] = [];
  for (const item of items) {
    const reason = reasonOf(item);
    if (reason === null) fitting.push(item);
    else invalid.push({ reason, item: shownOf(item) });
  }
  return { fitting, invalid };
}
