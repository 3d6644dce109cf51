import type { Day } from "../core/day.ts";
import { carries, type Way } from "../core/way.ts";
import type { Window } from "../core/window.ts";
import { coverBatch } from "./batch-cover.ts";
import { fewestWindows, gridOf, windowOf, type GapGrid, type GapRow } from "./gap-grid.ts";

/** One call of a cover: which way, which items (none where the scope says it all), which days. */
export type Piece = { readonly way: Way; readonly items: readonly string[]; readonly window: Window };

/** Missing days by item. */
export type Missing = ReadonlyMap<string, readonly Day[]>;

/**
 * The calls that together hold every missing cell, at the lowest price found.
 *
 * With one way there is no choice. With a way that takes up to n items for one day and a way that takes one item for many days the
 * price is the lowest there is when n items suffice and their missing days lie within one window. Beyond that two things are not
 * proven best: where windows begin (at most twice the best price, see coverBatch) and which items share a batch of n (at most as
 * many times the best price as there are batches). It is never above what either way alone would cost.
 */
export function cheapestCover(missing: Missing, ways: readonly Way[]): readonly Piece[] {
  const grid = gridOf(missing);
  const long = ways.find((way) => way.maxItems === 1);
  const wide = ways.find((way) => way.maxItems > 1);
  if (grid === null) return [];
  if (wide === undefined) return long === undefined ? [] : itemByItem(grid, grid.rows, long);
  const listed = grid.rows.filter(({ item }) => carries(wide, item));
  if (long === undefined) return dayByDay(grid, listed, wide);
  const alone = grid.rows.filter(({ item }) => !carries(wide, item));
  const both = { wide, long };
  const covers = [batchwise(grid, listed, both), overflowwise(grid, listed, both), itemByItem(grid, listed, long)];
  return [...itemByItem(grid, alone, long), ...cheapestOf(covers)];
}

/** What the pieces cost together. */
export function priceOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, piece) => sum + piece.way.credits, 0);
}

/** What a program would pay that asks for one item at a time, each by the cheaper way. */
export function naivePrice(missing: Missing, ways: readonly Way[]): number {
  const grid = gridOf(missing);
  if (grid === null) return 0;
  const prices = grid.rows.map(({ item, gaps }) =>
    Math.min(
      ...ways.filter((way) => carries(way, item)).map((way) => way.credits * fewestWindows(gaps, way.maxDays).length),
    ),
  );
  return prices.filter(Number.isFinite).reduce((sum, price) => sum + price, 0);
}

type Both = { readonly wide: Way; readonly long: Way };

/** Batch by batch the cheapest days to buy for all, windows for what is left, and the calls of each day packed anew over all batches. */
function batchwise(grid: GapGrid, rows: readonly GapRow[], { wide, long }: Both): readonly Piece[] {
  const prices = { day: wide.credits, window: long.credits, windowDays: long.maxDays };
  const split = batches(likeTogether(rows), wide.maxItems).flatMap((batch) => {
    const gaps = batch.map((row) => row.gaps);
    const { bought } = coverBatch(gaps, grid.days, prices);
    return batch.map((row) => ({
      ...row,
      windows: widest(fewestWindows(notIn(row.gaps, bought), long.maxDays), row.gaps, long),
    }));
  });
  const sorted = split.sort(byName);
  const byItem = sorted.flatMap(({ item, windows }) =>
    windows.map(({ start, end }) => ({ way: long, items: [item], window: windowOf(grid, start, end) })),
  );
  // a window may hold bought days as well: those need no place in the day's call
  const byDay = sorted.map(({ item, gaps, windows }) => ({ item, gaps: outside(gaps, windows) }));
  return [...byItem, ...dayByDay(grid, byDay, wide)];
}

/**
 * The items with most gaps one by one, the others together, at the split that is cheapest over all batches: finds the few items too
 * many that would cost every day another call.
 */
function overflowwise(grid: GapGrid, rows: readonly GapRow[], { wide, long }: Both): readonly Piece[] {
  const byGaps = rows
    .map((row) => ({ row, gaps: countOf(row.gaps), windows: fewestWindows(row.gaps, long.maxDays).length }))
    .sort((a, b) => b.gaps - a.gaps || byName(a.row, b.row));
  const left = new Int32Array(grid.days);
  for (const { gaps } of rows)
    for (let day = 0; day < grid.days; day += 1) left[day] = (left[day] ?? 0) + (gaps[day] ?? 0);
  let dayCalls = left.reduce((sum, count) => sum + Math.ceil(count / wide.maxItems), 0);
  let itemCalls = 0;
  let best = { price: dayCalls * wide.credits, alone: 0 };
  for (const [index, { row, windows }] of byGaps.entries()) {
    itemCalls += windows;
    for (let day = row.gaps.indexOf(1); day >= 0; day = row.gaps.indexOf(1, day + 1)) {
      left[day] = (left[day] ?? 0) - 1;
      // the last call of the day held this item alone
      if ((left[day] ?? 0) % wide.maxItems === 0) dayCalls -= 1;
    }
    const price = itemCalls * long.credits + dayCalls * wide.credits;
    if (price < best.price) best = { price, alone: index + 1 };
  }
  const alone = new Set(byGaps.slice(0, best.alone).map(({ row }) => row));
  return [
    ...itemByItem(
      grid,
      rows.filter((row) => alone.has(row)),
      long,
    ),
    ...dayByDay(
      grid,
      rows.filter((row) => !alone.has(row)),
      wide,
    ),
  ];
}

type Span = { readonly start: number; readonly end: number };

/** Windows drawn out to the last missing day that they may hold: what a window holds for nothing need not be in a day's call. */
function widest(windows: readonly Span[], gaps: Uint8Array, { maxDays }: Way): readonly Span[] {
  return windows.map(({ start }) => ({ start, end: gaps.subarray(0, start + maxDays).lastIndexOf(1) + 1 }));
}

/** Items with like gaps next to one another, so that a batch can share its days. */
function likeTogether(rows: readonly GapRow[]): readonly GapRow[] {
  const keyed = rows.map((row) => ({ row, key: Buffer.from(row.gaps).toString("latin1") }));
  return keyed.sort((a, b) => (a.key === b.key ? byName(a.row, b.row) : a.key > b.key ? -1 : 1)).map(({ row }) => row);
}

function notIn(gaps: Uint8Array, bought: Uint8Array): Uint8Array {
  return gaps.map((gap, day) => (bought[day] === 1 ? 0 : gap));
}

function outside(gaps: Uint8Array, windows: readonly Span[]): Uint8Array {
  const left = gaps.slice();
  for (const { start, end } of windows) left.fill(0, start, end);
  return left;
}

function countOf(gaps: Uint8Array): number {
  return gaps.reduce((sum, gap) => sum + gap, 0);
}

function itemByItem(grid: GapGrid, rows: readonly GapRow[], way: Way): readonly Piece[] {
  return rows.flatMap(({ item, gaps }) =>
    fewestWindows(gaps, way.maxDays).map(({ start, end }) => ({
      way,
      items: item === "" ? [] : [item],
      window: windowOf(grid, start, end),
    })),
  );
}

/** One call a day for up to `maxItems` of the items that lack the day. */
function dayByDay(grid: GapGrid, rows: readonly GapRow[], way: Way): readonly Piece[] {
  return Array.from({ length: grid.days }, (_, day) => day).flatMap((day) => {
    const items = rows.filter(({ gaps }) => gaps[day] === 1).map(({ item }) => item);
    return batches(items, way.maxItems).map((batch) => ({ way, items: batch, window: windowOf(grid, day, day + 1) }));
  });
}

function cheapestOf(covers: readonly (readonly Piece[])[]): readonly Piece[] {
  return covers.reduce((best, next) => (priceOf(next) < priceOf(best) ? next : best));
}

function byName(a: GapRow, b: GapRow): number {
  return a.item < b.item ? -1 : 1;
}

function batches<T>(all: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
}
