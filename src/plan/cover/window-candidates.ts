import { optionCost, type FetchOption } from "../../core/fetch-option.ts";
import { coverBatch } from "./batch-cover.ts";
import type { BatchPrices } from "./day-search.ts";
import { fewestWindows, type Span } from "./gap-grid.ts";
import { overflowing } from "./overflow-cover.ts";
import type { CoverItem, OptionsByKind, Windows } from "./cover-items.ts";

/** Placements of windows that are worth comparing; `cheapestCover` says which bound each of them proves. */
export function* windowCandidates(coverItems: readonly CoverItem[], fetchOptions: OptionsByKind): Iterable<Windows> {
  const { byHistory } = fetchOptions;
  if (byHistory === null) yield coverItems.map(() => []);
  else yield* beside(coverItems, fetchOptions, byHistory);
}

function* beside(
  coverItems: readonly CoverItem[],
  { byDay, wholeList }: OptionsByKind,
  byHistory: FetchOption,
): Iterable<Windows> {
  const alone = coverItems.map((coverItem) => fewestWindows(coverItem.gaps, byHistory.maxDays));
  yield coverItems.map((coverItem, index) => (coverItem.listed || coverItem.tracked ? [] : (alone[index] ?? [])));
  yield alone;
  const placed = (...bought: readonly ByDay[]) =>
    coverItems.map((coverItem) => windowsOutsideDays(coverItem, bought, byHistory));
  const listed = coverItems.filter((coverItem) => coverItem.listed);
  const unlisted = coverItems.filter((coverItem) => !coverItem.listed && coverItem.tracked);
  const lists = wholeList === null ? noDays : inOneBatch(unlisted, wholeList, byHistory);
  if (byDay !== null) {
    yield placed(lists, inBatches(listed, byDay, byHistory));
    const crowd = overflowing(listed, byDay, byHistory);
    const apart = placed(lists);
    yield coverItems.map((coverItem, index) => (coverItem.listed && !crowd.has(coverItem) ? [] : (apart[index] ?? [])));
  }
  if (wholeList !== null) yield* withList(coverItems, { byDay, wholeList, byHistory }, lists);
}

type AllKinds = {
  readonly byDay: FetchOption | null;
  readonly wholeList: FetchOption;
  readonly byHistory: FetchOption;
};

/** Candidates that use the whole list for more items than those that cannot be named; `lists` buys it only for these. */
function* withList(
  coverItems: readonly CoverItem[],
  { byDay, wholeList, byHistory }: AllKinds,
  lists: ByDay,
): Iterable<Windows> {
  const placed = (...bought: readonly ByDay[]) =>
    coverItems.map((coverItem) => windowsOutsideDays(coverItem, bought, byHistory));
  const listed = coverItems.filter((coverItem) => coverItem.listed);
  const tracked = coverItems.filter((coverItem) => coverItem.tracked);
  const named = listed.filter((coverItem) => !coverItem.tracked);
  yield placed(inOneBatch(tracked, wholeList, byHistory), byDay === null ? noDays : inBatches(named, byDay, byHistory));
  const [bought] = lists.values();
  if (bought !== undefined && byDay !== null) {
    // a list that is bought for items that cannot be named brings the others too
    const along: ByDay = new Map(tracked.map(({ item }) => [item, bought]));
    const rest = listed.map((coverItem) =>
      coverItem.tracked ? { ...coverItem, gaps: without(coverItem.gaps, bought) } : coverItem,
    );
    yield placed(along, inBatches(rest, byDay, byHistory));
  }
}

/** The days on which calls by day hold an item (1), by item. */
type ByDay = ReadonlyMap<string, Uint8Array>;
const noDays: ByDay = new Map();

/** The days that the cheapest covers of batches buy, each batch of items with similar gaps. */
function inBatches(coverItems: readonly CoverItem[], byDay: FetchOption, byHistory: FetchOption): ByDay {
  const sorted = coverItems.length > byDay.maxItems ? sortBySimilarGaps(coverItems) : coverItems;
  const days = new Map<string, Uint8Array>();
  for (let from = 0; from < sorted.length; from += byDay.maxItems)
    for (const [item, bought] of inOneBatch(sorted.slice(from, from + byDay.maxItems), byDay, byHistory))
      days.set(item, bought);
  return days;
}

function inOneBatch(coverItems: readonly CoverItem[], byDay: FetchOption, byHistory: FetchOption): ByDay {
  const rows = coverItems.map((coverItem) => coverItem.gaps);
  const prices: BatchPrices = { day: optionCost(byDay), window: optionCost(byHistory), windowDays: byHistory.maxDays };
  const { bought } = coverBatch(rows, rows[0]?.length ?? 0, prices);
  return new Map(coverItems.map(({ item }) => [item, bought]));
}

/**
 * The windows for the days on which no call by day holds an item, extended to the last missing day that they may hold: cells that a window
 * holds anyway need no place in a call by day.
 */
function windowsOutsideDays(
  { item, gaps }: CoverItem,
  byDay: readonly ByDay[],
  { maxDays }: FetchOption,
): readonly Span[] {
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

/** Sorts items with similar gaps next to one another, so that a batch can share its days. */
function sortBySimilarGaps(coverItems: readonly CoverItem[]): readonly CoverItem[] {
  const keyed = coverItems.map((coverItem) => ({ coverItem, key: Buffer.from(coverItem.gaps).toString("latin1") }));
  return keyed
    .sort((a, b) => (a.key === b.key ? byName(a.coverItem, b.coverItem) : a.key > b.key ? -1 : 1))
    .map(({ coverItem }) => coverItem);
}

function byName(a: CoverItem, b: CoverItem): number {
  return a.item < b.item ? -1 : 1;
}
