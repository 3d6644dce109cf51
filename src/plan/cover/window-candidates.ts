import { fare, type Way } from "../../core/way.ts";
import { coverBatch } from "./batch-cover.ts";
import type { BatchPrices } from "./day-search.ts";
import { fewestWindows, type Span } from "./gap-grid.ts";
import { overflowing } from "./overflow-cover.ts";
import type { Rider, Ways, Windows } from "./carriers.ts";

/** Places to put windows that are worth comparing; see `cheapestCover` for what each is there to hold. */
export function* windowCandidates(riders: readonly Rider[], ways: Ways): Iterable<Windows> {
  const { long } = ways;
  if (long === null) yield riders.map(() => []);
  else yield* beside(riders, ways, long);
}

function* beside(riders: readonly Rider[], { wide, whole }: Ways, long: Way): Iterable<Windows> {
  const alone = riders.map((rider) => fewestWindows(rider.gaps, long.maxDays));
  yield riders.map((rider, index) => (rider.listed || rider.tracked ? [] : (alone[index] ?? [])));
  yield alone;
  const placed = (...byDay: readonly ByDay[]) => riders.map((rider) => windowsBeside(rider, byDay, long));
  const listed = riders.filter((rider) => rider.listed);
  const unlisted = riders.filter((rider) => !rider.listed && rider.tracked);
  const lists = whole === null ? noDays : inOneBatch(unlisted, whole, long);
  if (wide !== null) {
    yield placed(lists, inBatches(listed, wide, long));
    const crowd = overflowing(listed, wide, long);
    const apart = placed(lists);
    yield riders.map((rider, index) => (rider.listed && !crowd.has(rider) ? [] : (apart[index] ?? [])));
  }
  if (whole !== null) yield* withList(riders, { wide, whole, long }, lists);
}

type AllWays = { readonly wide: Way | null; readonly whole: Way; readonly long: Way };

/** Candidates that make more of the whole list than to hold what cannot be named, for which alone it is bought in `lists`. */
function* withList(riders: readonly Rider[], { wide, whole, long }: AllWays, lists: ByDay): Iterable<Windows> {
  const placed = (...byDay: readonly ByDay[]) => riders.map((rider) => windowsBeside(rider, byDay, long));
  const listed = riders.filter((rider) => rider.listed);
  const tracked = riders.filter((rider) => rider.tracked);
  const named = listed.filter((rider) => !rider.tracked);
  yield placed(inOneBatch(tracked, whole, long), wide === null ? noDays : inBatches(named, wide, long));
  const [bought] = lists.values();
  if (bought !== undefined && wide !== null) {
    // a list that is bought for what cannot be named brings the others as well
    const along: ByDay = new Map(tracked.map(({ item }) => [item, bought]));
    const rest = listed.map((rider) => (rider.tracked ? { ...rider, gaps: without(rider.gaps, bought) } : rider));
    yield placed(along, inBatches(rest, wide, long));
  }
}

/** The days on which an item goes by day (1), by item. */
type ByDay = ReadonlyMap<string, Uint8Array>;
const noDays: ByDay = new Map();

/** The days that the cheapest covers of batches buy, each batch of items with like gaps. */
function inBatches(riders: readonly Rider[], wide: Way, long: Way): ByDay {
  const sorted = riders.length > wide.maxItems ? likeTogether(riders) : riders;
  const byDay = new Map<string, Uint8Array>();
  for (let from = 0; from < sorted.length; from += wide.maxItems)
    for (const [item, bought] of inOneBatch(sorted.slice(from, from + wide.maxItems), wide, long))
      byDay.set(item, bought);
  return byDay;
}

function inOneBatch(riders: readonly Rider[], byDay: Way, long: Way): ByDay {
  const rows = riders.map((rider) => rider.gaps);
  const prices: BatchPrices = { day: fare(byDay), window: fare(long), windowDays: long.maxDays };
  const { bought } = coverBatch(rows, rows[0]?.length ?? 0, prices);
  return new Map(riders.map(({ item }) => [item, bought]));
}

/**
 * The windows for the days on which an item does not go by day, drawn out to the last missing day that they may hold: what a window
 * holds for nothing needs no place in a day's call.
 */
function windowsBeside({ item, gaps }: Rider, byDay: readonly ByDay[], { maxDays }: Way): readonly Span[] {
  let left = gaps;
  for (const days of byDay) {
    const bought = days.get(item);
    if (bought !== undefined) left = without(left, bought);
  }
  return fewestWindows(left, maxDays).map(({ start }) => ({
    start,
    end: gaps.subarray(0, start + maxDays).lastIndexOf(1) + 1,
  }));
}

function without(gaps: Uint8Array, bought: Uint8Array): Uint8Array {
  const left = new Uint8Array(gaps.length);
  for (let day = 0; day < gaps.length; day += 1) if (gaps[day] === 1 && bought[day] !== 1) left[day] = 1;
  return left;
}

/** Items with like gaps next to one another, so that a batch can share its days. */
function likeTogether(riders: readonly Rider[]): readonly Rider[] {
  const keyed = riders.map((rider) => ({ rider, key: Buffer.from(rider.gaps).toString("latin1") }));
  return keyed
    .sort((a, b) => (a.key === b.key ? byName(a.rider, b.rider) : a.key > b.key ? -1 : 1))
    .map(({ rider }) => rider);
}

function byName(a: Rider, b: Rider): number {
  return a.item < b.item ? -1 : 1;
}
