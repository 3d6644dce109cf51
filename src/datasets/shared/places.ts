import type { InvalidItem } from "../../api/read-answer.ts";

/** An item and its place in the whole list, from 1. */
export type Placed<T> = { readonly item: T; readonly place: number };

/**
 * The places of items in a list whose order is their rank, page after page. Invalid items were left out of the lists but keep their places,
 * so that later items keep theirs. An item that is listed twice has only its first place.
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
