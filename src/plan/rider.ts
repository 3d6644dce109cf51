import { carries, type Way } from "../core/way.ts";
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
