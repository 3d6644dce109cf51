import { spanOf } from "./gap-grid.ts";

/** What buying a day for the whole batch, or one window of `windowDays` days for one item, costs. */
export type BatchPrices = { readonly day: number; readonly window: number; readonly windowDays: number };

/**
 * Rows that lack the same days: they take windows together or not at all. `next[day]` is the first missing day from `day` on, `days` if
 * there is none.
 */
type Group = { readonly row: Uint8Array; readonly next: Int16Array; count: number };

/** The work of one search: the states kept per day, times groups and days. Up to some ten milliseconds. */
const mostSteps = 100_000;
const mostKept = 1_000;
/** Each sweep continues from the result of the last; two or three usually find everything. */
const mostSweeps = 8;

/**
 * Days to buy for a batch that cost no more than those of `start`, and mostly the least possible. It goes through the days: each is bought,
 * or held by windows that begin on it for all rows that lack it. It keeps the most promising states; a state is the days that rows still
 * lack. A state is rated by its cost so far plus the cost of the rest with the days of `start`. If no state had to be dropped, the result
 * is exact: windows need to begin only on such days, and the remaining cost depends only on the state.
 */
export function searchDays(rows: readonly Uint8Array[], start: Uint8Array, prices: BatchPrices): Uint8Array {
  const groups = groupsOf(rows);
  const width = Math.min(mostKept, Math.floor(mostSteps / Math.max(1, groups.length * start.length)));
  const span = spanOf(rows);
  if (span === null || width < 2) return start;
  let best = start;
  for (let count = 0; count < mostSweeps; count += 1) {
    const found = sweep({ groups, prices, width, rest: restOf(groups, best, prices) }, best, span);
    if (found === null) break;
    best = found;
  }
  return best;
}

type Sweep = {
  readonly groups: readonly Group[];
  readonly prices: BatchPrices;
  readonly width: number;
  readonly rest: Rest;
};

/** One way to reach a day: `lacks` is the next day that each group lacks. */
type State = {
  readonly lacks: Int16Array;
  readonly price: number;
  readonly promise: number;
  readonly bought: Bought | null;
};
type Bought = { readonly day: number; readonly before: Bought | null };

/** The days of the cheapest way found through all days, null if it costs no less than `start`. */
function sweep(from: Sweep, start: Uint8Array, { first, last }: { first: number; last: number }): Uint8Array | null {
  const lacks = Int16Array.from(from.groups, ({ next }) => next[0] ?? 0);
  const known = promiseOf(from, lacks, 0, first);
  let states: State[] = [{ lacks, price: 0, promise: known, bought: null }];
  for (let day = first; day <= last; day += 1) {
    const after = new Map<number, State>();
    for (const state of states) step(from, state, day, after);
    states = [...after.values()];
    if (states.length > from.width)
      states = states.sort((a, b) => a.promise - b.promise || a.price - b.price).slice(0, from.width);
  }
  const best = states.reduce((least, state) => (state.price < least.price ? state : least));
  if (best.price >= known) return null;
  const days = new Uint8Array(start.length);
  for (let one = best.bought; one !== null; one = one.before) days[one.day] = 1;
  return days;
}

/** Adds the states that a state can become after a day. */
function step(from: Sweep, state: State, day: number, after: Map<number, State>): void {
  const { groups, prices } = from;
  let alone = 0;
  for (let index = 0; index < groups.length; index += 1)
    if (state.lacks[index] === day) alone += (groups[index]?.count ?? 0) * prices.window;
  if (alone === 0) {
    keep(after, state);
    return;
  }
  const become = (days: number, cost: number, bought: Bought | null) => {
    const lacks = state.lacks.slice();
    for (let index = 0; index < groups.length; index += 1) {
      const next = groups[index]?.next;
      if (lacks[index] === day && next !== undefined) lacks[index] = next[Math.min(day + days, next.length - 1)] ?? 0;
    }
    const price = state.price + cost;
    keep(after, { lacks, price, promise: promiseOf(from, lacks, price, day + 1), bought });
  };
  // windows that cost no more than the day hold all that it would; windows that cost no less than all their days hold no more than those
  // days
  if (alone <= prices.day || alone < prices.day * prices.windowDays) become(prices.windowDays, alone, state.bought);
  if (alone > prices.day) become(1, prices.day, { day, before: state.bought });
}

/** Keeps the cheaper of two states that lack the same days. The keys are numbers made of these: texts would take most of the time. */
function keep(states: Map<number, State>, state: State): void {
  let key = 0;
  for (const day of state.lacks) key = (Math.imul(key, 0x01_00_01_93) ^ day) | 0;
  let other = states.get(key);
  for (; other !== undefined && !areSame(other.lacks, state.lacks); other = states.get(key)) key += 1;
  if (other === undefined || state.price < other.price) states.set(key, state);
}

function areSame(a: Int16Array, b: Int16Array): boolean {
  for (let index = 0; index < a.length; index += 1) if (a[index] !== b[index]) return false;
  return true;
}

/** The cost of a known choice of days from each day on: of the days that it buys, and of the windows of each group. */
type Rest = { readonly days: Float64Array; readonly windows: readonly Float64Array[] };

function restOf(
  groups: readonly Group[],
  bought: Uint8Array,
  { day: dayPrice, window, windowDays }: BatchPrices,
): Rest {
  const days = new Float64Array(bought.length + 1);
  for (let day = bought.length - 1; day >= 0; day -= 1)
    days[day] = (days[day + 1] ?? 0) + (bought[day] ?? 0) * dayPrice;
  const windows = groups.map(({ row, count }) => {
    const from = new Float64Array(row.length + 1);
    for (let day = row.length - 1; day >= 0; day -= 1)
      from[day] =
        row[day] === 1 && bought[day] !== 1
          ? count * window + (from[Math.min(row.length, day + windowDays)] ?? 0)
          : (from[day + 1] ?? 0);
    return from;
  });
  return { days, windows };
}

function promiseOf({ rest }: Sweep, lacks: Int16Array, price: number, day: number): number {
  let promise = price + (rest.days[day] ?? 0);
  for (let index = 0; index < lacks.length; index += 1) promise += rest.windows[index]?.[lacks[index] ?? 0] ?? 0;
  return promise;
}

function groupsOf(rows: readonly Uint8Array[]): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const row of rows) {
    if (!row.includes(1)) continue;
    const key = Buffer.from(row).toString("latin1");
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { row, next: nextOf(row), count: 1 });
    else known.count += 1;
  }
  return [...groups.values()];
}

function nextOf(row: Uint8Array): Int16Array {
  const next = new Int16Array(row.length + 1).fill(row.length);
  for (let day = row.length - 1; day >= 0; day -= 1) next[day] = row[day] === 1 ? day : (next[day + 1] ?? 0);
  return next;
}
