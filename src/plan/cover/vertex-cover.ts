/** The most days one graph may hold: they are bits of a number. */
export const mostDays = 30;

/** Missing cells of one stretch: `masks[item]` has bit `day` set if the item lacks the day. */
export type CellMasks = readonly number[];

/** The price of each day and of each item, bought as a whole. Integers. */
export type CoverCosts = { readonly day: number; readonly item: number };

/** Which days (a mask) and which items are bought. */
export type VertexCover = { readonly days: number; readonly items: readonly boolean[]; readonly price: number };

/**
 * The cheapest set of days and items such that every missing cell has its day or its item bought: a minimum weighted vertex cover of a
 * bipartite graph, hence exact. By duality it costs as much as the largest flow that runs from days (each passing at most its cost) over
 * missing cells to items (each passing at most its cost); the nodes that the last, failed search for a path reached give the cut. Most
 * graphs never get this far: see `kernelOf`.
 */
export function cheapestVertexCover(masks: CellMasks, costs: CoverCosts): VertexCover {
  const { days: forced, groups } = kernelOf(masks, costs);
  const kept = [...groups.keys()];
  const cut = kept.length === 0 ? { days: 0, items: [] } : cutOf(kept, costs, [...groups.values()]);
  const days = forced | cut.days;
  const bought = new Set(kept.filter((_, index) => cut.items[index]));
  const items = masks.map((mask) => bought.has(mask & ~forced));
  return { days, items, price: bitCount(days) * costs.day + items.filter(Boolean).length * costs.item };
}

/**
 * What is left to decide after the simple cases. Items that lack the same days are bought together or not at all, so they count as one. If
 * such a group costs no less than all its days, some cheapest cover buys those days instead. So they are bought, which leaves other items
 * with fewer missing days, until no group changes. Returns the groups by the days that they still lack, with the number of their items.
 */
function kernelOf(masks: CellMasks, costs: CoverCosts): { days: number; groups: ReadonlyMap<number, number> } {
  for (let days = 0; ;) {
    const groups = new Map<number, number>();
    for (const mask of masks) {
      const left = mask & ~days;
      if (left !== 0) groups.set(left, (groups.get(left) ?? 0) + 1);
    }
    const before = days;
    for (const [mask, count] of groups) if (count * costs.item >= bitCount(mask) * costs.day) days |= mask;
    if (days === before) return { days, groups };
  }
}

/** The minimum cut of a graph whose items represent `counts` items each. */
function cutOf(masks: CellMasks, costs: CoverCosts, counts: readonly number[]): Pick<VertexCover, "days" | "items"> {
  const graph = newGraph(masks, costs, counts);
  for (let day = 0; day < mostDays; day += 1) {
    pushDirectly(graph, day);
    while ((graph.dayLeft[day] ?? 0) > 0 && augment(graph, day)) graph.dayLeft[day] = (graph.dayLeft[day] ?? 0) - 1;
  }
  return coverOf(graph, masks);
}

type Graph = {
  readonly masks: CellMasks;
  /** Flow that a day, or an item, could still pass. */
  readonly dayLeft: Int32Array;
  readonly itemLeft: Int32Array;
  /** Flow from a day to an item at `item * mostDays + day`, and the days with any as a mask by item. */
  readonly flow: Int32Array;
  readonly used: Int32Array;
};

function newGraph(masks: CellMasks, costs: CoverCosts, counts: readonly number[]): Graph {
  return {
    masks,
    dayLeft: new Int32Array(mostDays).fill(costs.day),
    itemLeft: Int32Array.from(counts, (count) => count * costs.item),
    flow: new Int32Array(masks.length * mostDays),
    used: new Int32Array(masks.length),
  };
}

/** Sends what a day can pass straight to items that have room: most of the flow, without a search. */
function pushDirectly(graph: Graph, day: number): void {
  const { masks, dayLeft, itemLeft } = graph;
  for (let item = 0; item < masks.length && (dayLeft[day] ?? 0) > 0; item += 1) {
    if (((masks[item] ?? 0) & (1 << day)) === 0) continue;
    const units = Math.min(dayLeft[day] ?? 0, itemLeft[item] ?? 0);
    if (units === 0) continue;
    shift(graph, item, day, units);
    itemLeft[item] = (itemLeft[item] ?? 0) - units;
    dayLeft[day] = (dayLeft[day] ?? 0) - units;
  }
}

/**
 * What a breadth-first search from one day reached; `by` holds the item through which a day, and the day from which an item, was reached.
 */
type Search = {
  days: number;
  readonly items: Uint8Array;
  readonly dayBy: Int32Array;
  readonly itemBy: Int32Array;
  end: number;
};

function search(graph: Graph, starts: number): Search {
  const { masks, itemLeft, used } = graph;
  const found: Search = {
    days: starts,
    items: new Uint8Array(masks.length),
    dayBy: new Int32Array(mostDays).fill(-1),
    itemBy: new Int32Array(masks.length),
    end: -1,
  };
  for (let frontier = starts; frontier !== 0;) {
    let next = 0;
    for (let item = 0; item < masks.length; item += 1) {
      const from = (masks[item] ?? 0) & frontier;
      if (from === 0 || found.items[item] === 1) continue;
      found.items[item] = 1;
      found.itemBy[item] = lowestBit(from);
      if ((itemLeft[item] ?? 0) > 0) {
        found.end = item;
        return found;
      }
      const back = (used[item] ?? 0) & ~found.days & ~next;
      for (let rest = back; rest !== 0; rest &= rest - 1) found.dayBy[lowestBit(rest)] = item;
      next |= back;
    }
    found.days |= next;
    frontier = next;
  }
  return found;
}

/** Sends one more unit from a day to some item, moving earlier units out of the way. False when there is no way. */
function augment(graph: Graph, start: number): boolean {
  const path = search(graph, 1 << start);
  if (path.end < 0) return false;
  graph.itemLeft[path.end] = (graph.itemLeft[path.end] ?? 0) - 1;
  for (let item = path.end; ;) {
    const day = path.itemBy[item] ?? 0;
    shift(graph, item, day, 1);
    const over = path.dayBy[day] ?? -1;
    if (day === start || over < 0) return true;
    shift(graph, over, day, -1);
    item = over;
  }
}

function shift(graph: Graph, item: number, day: number, by: number): void {
  const at = item * mostDays + day;
  const flow = (graph.flow[at] ?? 0) + by;
  graph.flow[at] = flow;
  graph.used[item] = flow > 0 ? (graph.used[item] ?? 0) | (1 << day) : (graph.used[item] ?? 0) & ~(1 << day);
}

function coverOf(graph: Graph, masks: CellMasks): Pick<VertexCover, "days" | "items"> {
  const wanted = masks.reduce((all, mask) => all | mask, 0);
  let open = 0;
  for (let day = 0; day < mostDays; day += 1)
    if ((wanted & (1 << day)) !== 0 && (graph.dayLeft[day] ?? 0) > 0) open |= 1 << day;
  const reached = search(graph, open);
  return { days: wanted & ~reached.days, items: masks.map((_, item) => reached.items[item] === 1) };
}

/** The number of set bits. */
export function bitCount(mask: number): number {
  let count = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}

function lowestBit(mask: number): number {
  return 31 - Math.clz32(mask & -mask);
}
