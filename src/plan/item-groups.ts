import { dividedBy } from "./alike-items.ts";

/** Items of one scope in groups: the items of a group were requested in the same lists, so their cells are the same. */
export type ItemGroups = {
  /** The group of each item, by number from 0. */
  readonly groups: Int32Array;
  readonly count: number;
  /** The groups of the items that a list names, each once; null means the scope itself. */
  readonly groupsOf: (list: readonly string[] | null) => Int32Array;
};

type KnownGroups = ItemGroups & { readonly items: readonly string[]; readonly lists: ReadonlySet<readonly string[]> };

/** The last groups: the countries of an app come one after the other and share items and lists. */
let lastGroups: KnownGroups | null = null;

/** Groups items by the lists that requested them: an account requests hundreds of keywords in a few lists, night after night. */
export function itemGroups(items: readonly string[], lists: ReadonlySet<readonly string[]>): ItemGroups {
  if (lastGroups !== null && lastGroups.items === items && hasSame(lastGroups.lists, lists)) return lastGroups;
  const groups = groupsOfAlike(items, lists);
  const count = groups.reduce((most, group) => Math.max(most, group), -1) + 1;
  lastGroups = { items, lists, groups, count, groupsOf: rowFinder(items, (rows) => distinct(rows, groups, count)) };
  return lastGroups;
}

function hasSame<T>(one: ReadonlySet<T>, other: ReadonlySet<T>): boolean {
  return one.size === other.size && [...one].every((value) => other.has(value));
}

/** With more lists than this, few items are alike, and comparing them costs more than it saves. */
const mostLists = 64;

function groupsOfAlike(items: readonly string[], lists: ReadonlySet<readonly string[]>): Int32Array {
  if (lists.size > mostLists) return Int32Array.from(items.keys());
  const places = new Map<number, number>();
  // consecutive numbers, since each takes a row of marks
  return dividedBy(items, lists).map((group) => {
    const place = places.get(group) ?? places.size;
    places.set(group, place);
    return place;
  });
}

/**
 * Finds the rows of the items that a list names, or what `of` makes of these rows, once per array: hundreds of slices share a list. Null
 * means the scope itself.
 */
export function rowFinder(
  items: readonly string[],
  of = (rows: Int32Array) => rows,
): (list: readonly string[] | null) => Int32Array {
  const index = new Map(items.map((item, row) => [item, row]));
  const found = new Map<readonly string[] | null, Int32Array>();
  return (list) => {
    const known = found.get(list);
    if (known !== undefined) return known;
    const own = of(rowsNamed(items, index, list ?? [""]));
    found.set(list, own);
    return own;
  };
}

/** The groups of some rows, each once. */
function distinct(rows: Int32Array, groups: Int32Array, count: number): Int32Array {
  // groups are numbered in the order of the items: if each item has its own, a row is its group
  if (count === groups.length) return rows;
  const seen = new Uint8Array(count);
  return rows
    .map((row) => groups[row] ?? 0)
    .filter((group) => {
      if (seen[group] === 1) return false;
      seen[group] = 1;
      return true;
    });
}

function rowsNamed(items: readonly string[], index: ReadonlyMap<string, number>, batch: readonly string[]): Int32Array {
  const rows = new Int32Array(batch.length);
  let [length, next] = [0, 0];
  for (const item of batch) {
    // both lists are sorted: the row after the last one is the likeliest
    const row = items[next] === item ? next : index.get(item);
    if (row === undefined) continue;
    rows[length] = row;
    length += 1;
    next = row + 1;
  }
  return rows.subarray(0, length);
}
