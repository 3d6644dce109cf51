import { carries, optionCost, type FetchOption } from "../../core/fetch-option.ts";
import type { GapRow, Span } from "./gap-grid.ts";

/** The fetch options of one partition by what they carry; null if it has none of the kind. */
export type OptionsByKind = {
  /** One item for many days. */
  readonly byHistory: FetchOption | null;
  /** Many named items for one day. */
  readonly byDay: FetchOption | null;
  /** All items that the account tracks, for one day; none is named. */
  readonly wholeList: FetchOption | null;
};

/** An item with its gaps, and which fetch options by day can carry it; windows can carry every item. */
export type CoverItem = GapRow & { readonly listed: boolean; readonly tracked: boolean };

/** The windows of each cover item, in the order of the cover items; calls by day hold the rest. */
export type Windows = readonly (readonly Span[])[];

/** Sorts fetch options by what they carry; the first of each kind counts. */
export function optionsByKind(fetchOptions: readonly FetchOption[]): OptionsByKind {
  const named = fetchOptions.filter((option) => option.tracked === undefined);
  return {
    byHistory: named.find((option) => option.maxItems === 1) ?? null,
    byDay: named.find((option) => option.maxItems > 1) ?? null,
    wholeList: fetchOptions.find((option) => option.tracked !== undefined) ?? null,
  };
}

/** Rows with the options that may carry them, in their order. Rows that nothing carries are left out. */
export function coverItemsOf(
  rows: readonly GapRow[],
  { byHistory, byDay, wholeList }: OptionsByKind,
): readonly CoverItem[] {
  return rows
    .map(({ item, gaps }) => ({
      item,
      gaps,
      listed: byDay !== null && carries(byDay, item),
      tracked: wholeList !== null && carries(wholeList, item),
    }))
    .filter(({ listed, tracked }) => listed || tracked || byHistory !== null);
}

/** How many cover items lack each day. */
export function countByDay(coverItems: readonly CoverItem[]): Int32Array {
  const counts = new Int32Array(coverItems[0]?.gaps.length ?? 0);
  for (const { gaps } of coverItems)
    for (let day = 0; day < gaps.length; day += 1) if (gaps[day] === 1) counts[day] = (counts[day] ?? 0) + 1;
  return counts;
}

/** Gaps without those that windows hold. */
export function outside(gaps: Uint8Array, windows: readonly Span[]): Uint8Array {
  if (windows.length === 0) return gaps;
  const left = gaps.slice();
  for (const { start, end } of windows) left.fill(0, start, end);
  return left;
}

/**
 * True when it is proven that nothing beats calls by day for all these cover items. Each missing cell gets a share of a price such that the
 * shares of the cells in any call, by day or by window, never add up to more than that call costs. Then all calls that together hold all
 * cells cost at least the sum of the shares. If that sum is the price of the calls by day, nothing is cheaper. False proves nothing.
 *
 * A day that takes one call gives its whole price to items that have room; a day that takes several full calls gives each item the same
 * share. Room is the price of a window, less what two neighbouring stretches of its length hold already: no window meets more than two.
 */
export function isBestByDay(coverItems: readonly CoverItem[], byDay: FetchOption, byHistory: FetchOption): boolean {
  // in parts of `maxItems`, so that shares are whole numbers
  const [call, window] = [optionCost(byDay) * byDay.maxItems, optionCost(byHistory) * byDay.maxItems];
  const counts = countByDay(coverItems);
  const held = { last: new Float64Array(coverItems.length), now: new Float64Array(coverItems.length) };
  for (const [day, count] of counts.entries()) {
    if (day % byHistory.maxDays === 0) [held.last, held.now] = [held.now, held.last.fill(0)];
    if (count > byDay.maxItems && count % byDay.maxItems !== 0) return false;
    const share = count > byDay.maxItems ? optionCost(byDay) : call;
    let wanted = count === 0 ? 0 : count > byDay.maxItems ? share * count : call;
    for (let index = 0; index < coverItems.length && wanted > 0; index += 1) {
      if (coverItems[index]?.gaps[day] !== 1) continue;
      const now = held.now[index] ?? 0;
      const given = Math.min(share, wanted, window - (held.last[index] ?? 0) - now);
      held.now[index] = now + given;
      wanted -= given;
    }
    if (wanted > 0) return false;
  }
  return true;
}
