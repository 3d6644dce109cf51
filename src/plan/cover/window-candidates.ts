import { optionCost, type FetchOption } from "../../core/fetch-option.ts";
import { coverBatch } from "./batch-cover.ts";
import type { BatchPrices } from "./day-search.ts";
import { fewestWindows, type Span } from "./gap-grid.ts";
import { overflowing } from "./overflow-cover.ts";
import type { CoverItem, OptionsByKind, Windows } from "./cover-items.ts";

/** Places to put windows that are worth comparing; see `cheapestCover` for what each is there to hold. */
export function* windowCandidates(coverItems: readonly CoverItem[], fetchOptions: OptionsByKind): Iterable<Windows> {
  const { long } = fetchOptions;
  if (long === null) yield coverItems.map(() => []);
  else yield* beside(coverItems, fetchOptions, long);
}

function* beside(
  coverItems: readonly CoverItem[],
  { wide, whole }: OptionsByKind,
  long: FetchOption,
): Iterable<Windows> {
  const alone = coverItems.map((coverItem) => fewestWindows(coverItem.gaps, long.maxDays));
  yield coverItems.map((coverItem, index) => (coverItem.listed || coverItem.tracked ? [] : (alone[index] ?? [])));
  yield alone;
  const placed = (...byDay: readonly ByDay[]) => coverItems.map((coverItem) => windowsBeside(coverItem, byDay, long));
  const listed = coverItems.filter((coverItem) => coverItem.listed);
  const unlisted = coverItems.filter((coverItem) => !coverItem.listed && coverItem.tracked);
  const lists = whole === null ? noDays : inOneBatch(unlisted, whole, long);
  if (wide !== null) {
    yield placed(lists, inBatches(listed, wide, long));
    const crowd = overflowing(listed, wide, long);
    const apart = placed(lists);
    yield coverItems.map((coverItem, index) => (coverItem.listed && !crowd.has(coverItem) ? [] : (apart[index] ?? [])));
  }
  if (whole !== null) yield* withList(coverItems, { wide, whole, long }, lists);
}

type AllKinds = { readonly wide: FetchOption | null; readonly whole: FetchOption; readonly long: FetchOption };

/** Candidates that make more of the whole list than to hold what cannot be named, for which alone it is bought in `lists`. */
function* withList(coverItems: readonly CoverItem[], { wide, whole, long }: AllKinds, lists: ByDay): Iterable<Windows> {
  const placed = (...byDay: readonly ByDay[]) => coverItems.map((coverItem) => windowsBeside(coverItem, byDay, long));
  const listed = coverItems.filter((coverItem) => coverItem.listed);
  const tracked = coverItems.filter((coverItem) => coverItem.tracked);
  const named = listed.filter((coverItem) => !coverItem.tracked);
  yield placed(inOneBatch(tracked, whole, long), wide === null ? noDays : inBatches(named, wide, long));
  const [bought] = lists.values();
  if (bought !== undefined && wide !== null) {
    // a list that is bought for what cannot be named brings the others as well
    const along: ByDay = new Map(tracked.map(({ item }) => [item, bought]));
    const rest = listed.map((coverItem) =>
      coverItem.tracked ? { ...coverItem, gaps: without(coverItem.gaps, bought) } : coverItem,
    );
    yield placed(along, inBatches(rest, wide, long));
  }
}

/** The days on which an item goes by day (1), by item. */
type ByDay = ReadonlyMap<string, Uint8Array>;
const noDays: ByDay = new Map();

/** The days that the cheapest covers of batches buy, each batch of items with like gaps. */
function inBatches(coverItems: readonly CoverItem[], wide: FetchOption, long: FetchOption): ByDay {
  const sorted = coverItems.length > wide.maxItems ? likeTogether(coverItems) : coverItems;
  const byDay = new Map<string, Uint8Array>();
  for (let from = 0; from < sorted.length; from += wide.maxItems)
    for (const [item, bought] of inOneBatch(sorted.slice(from, from + wide.maxItems), wide, long))
      byDay.set(item, bought);
  return byDay;
}

function inOneBatch(coverItems: readonly CoverItem[], byDay: FetchOption, long: FetchOption): ByDay {
  const rows = coverItems.map((coverItem) => coverItem.gaps);
  const prices: BatchPrices = { day: optionCost(byDay), window: optionCost(long), windowDays: long.maxDays };
  const { bought } = coverBatch(rows, rows[0]?.length ?? 0, prices);
  return new Map(coverItems.map(({ item }) => [item, bought]));
}

/**
 * The windows for the days on which an item does not go by day, drawn out to the last missing day that they may hold: what a window
 * holds for nothing needs no place in a day's call.
 */
function windowsBeside({ item, gaps }: CoverItem, byDay: readonly ByDay[], { maxDays }: FetchOption): readonly Span[] {
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
function likeTogether(coverItems: readonly CoverItem[]): readonly CoverItem[] {
  const keyed = coverItems.map((coverItem) => ({ coverItem, key: Buffer.from(coverItem.gaps).toString("latin1") }));
  return keyed
    .sort((a, b) => (a.key === b.key ? byName(a.coverItem, b.coverItem) : a.key > b.key ? -1 : 1))
    .map(({ coverItem }) => coverItem);
}

function byName(a: CoverItem, b: CoverItem): number {
  return a.item < b.item ? -1 : 1;
}
