import { carries, optionCost, type FetchOption } from "../../core/fetch-option.ts";
import { windowLength, type Window } from "../../core/window.ts";
import { dayCalls, priceOfWindows } from "./day-calls.ts";
import { fewestWindows, windowCount, windowOf, type GapGrid } from "./gap-grid.ts";
import { windowCandidates } from "./window-candidates.ts";
import {
  coverItemsOf,
  isBestByDay,
  optionsByKind,
  type CoverItem,
  type OptionsByKind,
  type Windows,
} from "./cover-items.ts";

/** One call of a cover, or several if its fetch option takes several: the option, the items (none if the scope is enough), and the days. */
export type Piece = { readonly option: FetchOption; readonly items: readonly string[]; readonly window: Window };

/**
 * The calls that together hold every missing cell, at the lowest price found. Fetch options are of three kinds: by history (one item, many
 * days), by day (up to n named items, one day) and whole list (all items that the account tracks, one day).
 *
 * Proven, with F the price found and B the lowest there is:
 * - One kind of fetch option alone: F = B. Long windows placed greedily are the fewest; a day's calls are as few as its items need.
 * - By history and by day, at most n items that a list can carry, all missing days of those within one window: F = B.
 * - By history and by day, any number of items and days, if each day lacks either few enough items for one call or exactly enough to fill
 *   its calls, and no item lacks so many days that a window would pay (`isBestByDay`; scattered gaps, whole histories of hundreds of
 *   keywords): F = B.
 * - Otherwise, at most n items over a longer time: F = B if the search drops no state (see searchDays), and always F <= 2 B. Against an
 *   integer program, 4 to 90 items over 60 to 365 days: F = B in 96 of 102 cases, at worst 1.03 B (8 items that lack a fifth of 120 days).
 * - Otherwise, with b batches of n items: F <= b B, or 2 b B over a longer time, since the division into batches is not searched.
 * - With the whole list too: if it can pay on no day (`isIdle`), it is left out, and the cases above apply. Otherwise the bound of the case
 *   above times 1 + b W / A, where W is the price of a call by day and A that of the whole list (1.03 for a hundred keywords of an iOS app,
 *   1.06 on Android). At worst a whole list is bought for items that a comma keeps out of lists, while the others are requested by name, as
 *   they would be without it.
 * - Always: given its windows, no other calls by day cost less, and F is never above the price of any single fetch option that can carry
 *   everything.
 */
export function cheapestCover(grid: GapGrid, fetchOptions: readonly FetchOption[]): readonly Piece[] {
  const kinds = optionsByKind(fetchOptions);
  const all = coverItemsOf(grid.rows, kinds);
  if (all.length === 0) return [];
  const idle = isIdle(all, kinds);
  const used = idle ? { ...kinds, wholeList: null } : kinds;
  const coverItems = idle ? coverItemsOf(grid.rows, used) : all;
  const windows = cheapestWindows(coverItems, used);
  const { calendar } = grid;
  const { byHistory } = used;
  const byItem = coverItems.flatMap(({ item }, index) =>
    byHistory === null
      ? []
      : (windows[index] ?? []).map((span) => ({
          option: byHistory,
          items: item === "" ? [] : [item],
          window: windowOf(calendar, span),
        })),
  );
  return [
    ...byItem,
    ...dayCalls(coverItems, windows, used).map(({ option, items, day }) => ({
      option,
      items,
      window: windowOf(calendar, { start: day, end: day + 1 }),
    })),
  ];
}

/** The price of the pieces together: one call for each window that fits their fetch option. */
export function coverPrice(pieces: readonly Piece[]): number {
  return pieces.reduce(
    (sum, { option, window }) =>
      sum + optionCost(option) * Math.max(1, Math.ceil(windowLength(window) / option.maxDays)),
    0,
  );
}

/** The price without the search: each item alone, by its cheapest fetch option. */
export function naivePrice(grid: GapGrid, fetchOptions: readonly FetchOption[]): number {
  let sum = 0;
  // items with equal gaps share an array
  let known: { readonly gaps: Uint8Array; readonly prices: readonly number[] } = { gaps: new Uint8Array(), prices: [] };
  for (const { item, gaps } of grid.rows) {
    if (known.gaps !== gaps)
      known = { gaps, prices: fetchOptions.map((option) => optionCost(option) * windowCount(gaps, option.maxDays)) };
    const { prices } = known;
    const paid = prices.filter((_, index) => carries(fetchOptions[index] as FetchOption, item));
    if (paid.length > 0) sum += Math.min(...paid);
  }
  return sum;
}

/** True if the whole list can pay on no day: naming its items, plus a window for each that cannot be named, costs no more. */
function isIdle(coverItems: readonly CoverItem[], { byHistory, byDay, wholeList }: OptionsByKind): boolean {
  if (wholeList === null) return false;
  const tracked = coverItems.filter((coverItem) => coverItem.tracked);
  const named = tracked.filter((coverItem) => coverItem.listed).length;
  const priceNamed = named === 0 || byDay === null ? 0 : optionCost(byDay) * Math.ceil(named / byDay.maxItems);
  const alone = tracked.length - named;
  const priceAlone = alone === 0 ? 0 : byHistory === null ? Number.POSITIVE_INFINITY : alone * optionCost(byHistory);
  return priceNamed + priceAlone <= optionCost(wholeList);
}

/** The candidate windows by history that are cheapest together with the calls by day for the remaining cells. */
function cheapestWindows(coverItems: readonly CoverItem[], fetchOptions: OptionsByKind): Windows {
  const { byHistory, byDay, wholeList } = fetchOptions;
  const listed = coverItems.filter((coverItem) => coverItem.listed);
  if (wholeList === null && byDay !== null && byHistory !== null && isBestByDay(listed, byDay, byHistory))
    return coverItems.map((coverItem) => (coverItem.listed ? [] : fewestWindows(coverItem.gaps, byHistory.maxDays)));
  let best: { readonly windows: Windows; readonly price: number } | null = null;
  for (const windows of windowCandidates(coverItems, fetchOptions)) {
    const price = priceOfWindows(coverItems, windows, fetchOptions);
    if (best === null || price < best.price) best = { windows, price };
  }
  return best?.windows ?? [];
}
