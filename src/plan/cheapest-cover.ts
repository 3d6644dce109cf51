import type { Day } from "../core/day.ts";
import { carries, type Way } from "../core/way.ts";
import { daysBetween } from "../core/day.ts";
import { oneDay, stretches, type Window } from "../core/window.ts";

/** One call of a cover: which way, which items (none where the scope says it all), which days. */
export type Piece = { readonly way: Way; readonly items: readonly string[]; readonly window: Window };

/** Missing days by item. */
export type Missing = ReadonlyMap<string, readonly Day[]>;

/**
 * The calls that together hold every missing cell, at the lowest price found.
 *
 * With one way there is no choice. With a way that takes many items for one day and a way that takes one item for many days,
 * each batch of items is split: the items with most gaps go one by one, the others together by day, at the split that is cheapest.
 */
export function cheapestCover(missing: Missing, ways: readonly Way[]): readonly Piece[] {
  const wanted = [...missing].filter(([, days]) => days.length > 0).sort(([a], [b]) => (a < b ? -1 : 1));
  const long = ways.find((way) => way.maxItems === 1);
  const wide = ways.find((way) => way.maxItems > 1);
  if (wide === undefined)
    return long === undefined ? [] : wanted.flatMap(([item, days]) => itemByItem(item, days, long));
  const listed = wanted.filter(([item]) => carries(wide, item));
  const alone = wanted.filter(([item]) => !carries(wide, item));
  if (long === undefined) return batches(listed, wide.maxItems).flatMap((batch) => dayByDay(batch, wide));
  return [
    ...alone.flatMap(([item, days]) => itemByItem(item, days, long)),
    ...batches(listed, wide.maxItems).flatMap((batch) => cheapestSplit(batch, wide, long)),
  ];
}

/** What the pieces cost together. */
export function priceOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, piece) => sum + piece.way.credits, 0);
}

/** What a program would pay that asks for one item at a time, each by the cheaper way. */
export function naivePrice(missing: Missing, ways: readonly Way[]): number {
  const prices = [...missing].map(([item, days]) =>
    Math.min(...ways.filter((way) => carries(way, item)).map((way) => way.credits * cut(days, way.maxDays).length)),
  );
  return prices.filter(Number.isFinite).reduce((sum, price) => sum + price, 0);
}

type Entry = readonly [item: string, days: readonly Day[]];

/** Tries every number of items that go one by one, those with most gaps first, and keeps the cheapest. */
function cheapestSplit(batch: readonly Entry[], wide: Way, long: Way): readonly Piece[] {
  const byGaps = [...batch].sort(([a, x], [b, y]) => y.length - x.length || (a < b ? -1 : 1));
  let best: { price: number; alone: number } = { price: Number.POSITIVE_INFINITY, alone: 0 };
  for (let alone = 0; alone <= byGaps.length; alone += 1) {
    const calls = byGaps.slice(0, alone).reduce((sum, [, days]) => sum + cut(days, long.maxDays).length, 0);
    const days = new Set(byGaps.slice(alone).flatMap(([, missing]) => missing)).size;
    const price = calls * long.credits + days * wide.credits;
    if (price < best.price) best = { price, alone };
  }
  const together = byGaps.slice(best.alone).sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    ...byGaps.slice(0, best.alone).flatMap(([item, days]) => itemByItem(item, days, long)),
    ...dayByDay(together, wide),
  ];
}

function itemByItem(item: string, days: readonly Day[], way: Way): readonly Piece[] {
  return cut(days, way.maxDays).map((window) => ({ way, items: item === "" ? [] : [item], window }));
}

function dayByDay(batch: readonly Entry[], way: Way): readonly Piece[] {
  const byDay = new Map<Day, string[]>();
  for (const [item, days] of batch) {
    for (const day of days) byDay.set(day, [...(byDay.get(day) ?? []), item]);
  }
  return [...byDay].map(([day, items]) => ({ way, items, window: oneDay(day) }));
}

/** The fewest windows of at most `longest` days that hold all the days: each starts at the first day not held yet. */
function cut(days: readonly Day[], longest: number): readonly Window[] {
  const windows: Window[] = [];
  let held: Day[] = [];
  const close = () => {
    const whole = stretches(held);
    const [first, last] = [whole[0], whole.at(-1)];
    if (first !== undefined && last !== undefined) windows.push({ start: first.start, end: last.end });
    held = [];
  };
  for (const day of [...days].sort()) {
    const first = held[0];
    if (first !== undefined && daysBetween(first, day) >= longest) close();
    held.push(day);
  }
  close();
  return windows;
}

function batches<T>(all: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
}
