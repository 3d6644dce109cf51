import type { InvalidItem } from "../../api/read-answer.ts";

/** An item and its place in the whole list, from 1. */
export type Placed<T> = { readonly item: T; readonly place: number };

/**
 * The places of items in a list whose order is their rank, page after page. Those that did not fit were left out of the lists: they
 * keep their places, and the items after them theirs. An item that is listed twice has its first place only.
 */
export function placesOf<T>(lists: readonly (readonly T[])[], invalid: readonly InvalidItem[]): readonly Placed<T>[] {
  let before = 0;
  const seen = new Set<string>();
  return lists.flatMap((items, page) => {
    const taken = new Set(
      invalid.flatMap((one) => (one.index !== undefined && (one.page ?? 0) === page ? one.index : [])),
    );
    let index = -1;
    const placed = items.flatMap((item) => {
      do index += 1;
      while (taken.has(index));
      const text = JSON.stringify(item);
      if (seen.has(text)) return [];
      seen.add(text);
      return [{ item, place: before + index + 1 }];
    });
    before += items.length + taken.size;
    return placed;
  });
}
