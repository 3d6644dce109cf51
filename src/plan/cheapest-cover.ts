import { addDays, type Day } from "../core/day.ts";
import { carries, type Way } from "../core/way.ts";
import { oneDay, type Window } from "../core/window.ts";

/** One call of a cover: which way, which items (none where the scope says it all), which days. */
export type Piece = { readonly way: Way; readonly items: readonly string[]; readonly window: Window };

/** Missing days by item. */
export type Missing = ReadonlyMap<string, readonly Day[]>;

/**
 * The calls that together hold every missing cell, at the lowest price found.
 *
 * With one way there is no choice. With a way that takes many items for one day and a way that takes one item for many days, the
 * items with most gaps go one by one and the others together by day, at the split that is cheapest: of one split of all items and
 * one for each batch, whichever costs less.
 */
export function cheapestCover(missing: Missing, ways: readonly Way[]): readonly Piece[] {
  const wanted = [...missing].filter(([, days]) => days.length > 0).sort(([a], [b]) => (a < b ? -1 : 1));
  const long = ways.find((way) => way.maxItems === 1);
  const wide = ways.find((way) => way.maxItems > 1);
  if (wide === undefined) return long === undefined ? [] : itemByItem(wanted, long);
  const listed = wanted.filter(([item]) => carries(wide, item));
  if (long === undefined) return dayByDay(listed, wide);
  const alone = wanted.filter(([item]) => !carries(wide, item));
  const apart = batches(listed, wide.maxItems).flatMap((batch) => cheapestSplit(batch, wide, long));
  const whole = cheapestSplit(listed, wide, long);
  return [...itemByItem(alone, long), ...(priceOf(whole) < priceOf(apart) ? whole : apart)];
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
function cheapestSplit(entries: readonly Entry[], wide: Way, long: Way): readonly Piece[] {
  const byGaps = [...entries].sort(([a, x], [b, y]) => y.length - x.length || (a < b ? -1 : 1));
  const left = new Map<Day, number>();
  for (const [, days] of entries) for (const day of days) left.set(day, (left.get(day) ?? 0) + 1);
  let dayCalls = left.values().reduce((sum, count) => sum + Math.ceil(count / wide.maxItems), 0);
  let itemCalls = 0;
  let best = { price: dayCalls * wide.credits, alone: 0 };
  for (const [index, [, days]] of byGaps.entries()) {
    itemCalls += cut(days, long.maxDays).length;
    for (const day of days) {
      const count = (left.get(day) ?? 0) - 1;
      left.set(day, count);
      // the last call of the day held this item alone
      if (count % wide.maxItems === 0) dayCalls -= 1;
    }
    const price = itemCalls * long.credits + dayCalls * wide.credits;
    if (price < best.price) best = { price, alone: index + 1 };
  }
  const together = byGaps.slice(best.alone).sort(([a], [b]) => (a < b ? -1 : 1));
  return [...itemByItem(byGaps.slice(0, best.alone), long), ...dayByDay(together, wide)];
}

function itemByItem(entries: readonly Entry[], way: Way): readonly Piece[] {
  return entries.flatMap(([item, days]) =>
    cut(days, way.maxDays).map((window) => ({ way, items: item === "" ? [] : [item], window })),
  );
}

function dayByDay(entries: readonly Entry[], way: Way): readonly Piece[] {
  const byDay = new Map<Day, string[]>();
  for (const [item, days] of entries) {
    for (const day of days) {
      const items = byDay.get(day);
      if (items === undefined) byDay.set(day, [item]);
      else items.push(item);
    }
  }
  return [...byDay].flatMap(([day, all]) =>
    batches(all, way.maxItems).map((items) => ({ way, items, window: oneDay(day) })),
  );
}

/** The fewest windows of at most `longest` days that hold all the days: each starts at the first day not held yet. */
function cut(days: readonly Day[], longest: number): readonly Window[] {
  const windows: Window[] = [];
  let held: { first: Day; last: Day; limit: Day } | null = null;
  for (const day of [...days].sort()) {
    if (held !== null && day < held.limit) held.last = day;
    else {
      if (held !== null) windows.push({ start: held.first, end: addDays(held.last, 1) });
      held = { first: day, last: day, limit: addDays(day, longest) };
    }
  }
  return held === null ? windows : [...windows, { start: held.first, end: addDays(held.last, 1) }];
}

function batches<T>(all: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
}
