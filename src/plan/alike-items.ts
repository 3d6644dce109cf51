import type { Covered } from "../core/slice.ts";

/** What decides the state of an item: the slices that requested it, and whether the account tracks it. */
type Known = { readonly covered: readonly Pick<Covered, "items">[]; readonly tracked: readonly string[] };

/**
 * Items that were requested in the same lists, and that the same calls can carry, have the same state on every day. Returns one item of
 * each such group, in the order of the items, and the size of the group. An account requests hundreds of keywords in a few lists, night
 * after night.
 */
export function alikeItems(
  items: readonly string[],
  { covered, tracked }: Known,
): { readonly items: readonly string[]; readonly counts: readonly number[] } {
  // a comma splits an item in some calls
  const lists = new Set([
    ...covered.map((slice) => slice.items ?? []),
    tracked,
    items.filter((item) => item.includes(",")),
  ]);
  const groups = dividedBy(items, lists);
  const found = new Map<number, { readonly item: string; count: number }>();
  for (const [row, item] of items.entries()) {
    const group = groups[row] ?? 0;
    const known = found.get(group);
    if (known === undefined) found.set(group, { item, count: 1 });
    else known.count += 1;
  }
  const all = [...found.values()];
  return { items: all.map(({ item }) => item), counts: all.map(({ count }) => count) };
}

/** The group of each item, by number from 0: each list splits the existing groups into the items that it has and those that it has not. */
export function dividedBy(items: readonly string[], lists: Iterable<readonly string[]>): Int32Array {
  const rows = new Map(items.map((item, row) => [item, row]));
  const groups = new Int32Array(items.length);
  let next = 1;
  for (const list of lists) {
    const divided = new Map<number, number>();
    for (const item of list) {
      const row = rows.get(item);
      if (row === undefined) continue;
      const from = groups[row] ?? 0;
      const to = divided.get(from) ?? next;
      if (to === next) next += 1;
      divided.set(from, to);
      groups[row] = to;
    }
  }
  return groups;
}
