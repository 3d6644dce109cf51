import { carries, fare, type Way } from "../../core/way.ts";
import type { GapRow, Span } from "./gap-grid.ts";

/** The ways of one partition by what they carry; null where it has none of the kind. */
export type Ways = {
  /** One item for many days. */
  readonly long: Way | null;
  /** Many named items for one day. */
  readonly wide: Way | null;
  /** All that the account tracks for one day, nothing named. */
  readonly whole: Way | null;
};

/** An item with its gaps and the day's ways that it may go by; by windows it may always go. */
export type Rider = GapRow & { readonly listed: boolean; readonly tracked: boolean };

/** The windows of each rider, in the order of the riders: what they do not hold goes by day. */
export type Windows = readonly (readonly Span[])[];

/** Sorts ways by what they carry; of several of a kind the first counts. */
export function waysOf(ways: readonly Way[]): Ways {
  const named = ways.filter((way) => way.tracked === undefined);
  return {
    long: named.find((way) => way.maxItems === 1) ?? null,
    wide: named.find((way) => way.maxItems > 1) ?? null,
    whole: ways.find((way) => way.tracked !== undefined) ?? null,
  };
}

/** Rows with what may carry them, in their order; those that nothing carries are left out. */
export function ridersOf(rows: readonly GapRow[], { long, wide, whole }: Ways): readonly Rider[] {
  return rows
    .map(({ item, gaps }) => ({
      item,
      gaps,
      listed: wide !== null && carries(wide, item),
      tracked: whole !== null && carries(whole, item),
    }))
    .filter(({ listed, tracked }) => listed || tracked || long !== null);
}

/** How many riders lack each day. */
export function countByDay(riders: readonly Rider[]): Int32Array {
  const counts = new Int32Array(riders[0]?.gaps.length ?? 0);
  for (const { gaps } of riders)
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
 * True when it is proven that nothing beats calls by day for all these riders. Each missing cell is given a share of a price, such that
 * the cells of no call, by day or by window, hold more than that call costs: whatever calls hold all cells then cost at least the sum of
 * the shares. Where that is what the days' calls cost, nothing is cheaper. False says nothing.
 *
 * A day that one call holds gives its whole price to items that have room; a day that takes several full calls the same share to each.
 * Room is what a window costs, less what two neighbouring stretches of its length hold already: no window meets more than two.
 */
export function isBestByDay(riders: readonly Rider[], wide: Way, long: Way): boolean {
  // in parts of `maxItems`, so that shares are whole numbers
  const [call, window] = [fare(wide) * wide.maxItems, fare(long) * wide.maxItems];
  const counts = countByDay(riders);
  const held = { last: new Float64Array(riders.length), now: new Float64Array(riders.length) };
  for (const [day, count] of counts.entries()) {
    if (day % long.maxDays === 0) [held.last, held.now] = [held.now, held.last.fill(0)];
    if (count > wide.maxItems && count % wide.maxItems !== 0) return false;
    const share = count > wide.maxItems ? fare(wide) : call;
    let wanted = count === 0 ? 0 : count > wide.maxItems ? share * count : call;
    for (let index = 0; index < riders.length && wanted > 0; index += 1) {
      if (riders[index]?.gaps[day] !== 1) continue;
      const now = held.now[index] ?? 0;
      const given = Math.min(share, wanted, window - (held.last[index] ?? 0) - now);
      held.now[index] = now + given;
      wanted -= given;
    }
    if (wanted > 0) return false;
  }
  return true;
}
