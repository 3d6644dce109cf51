import { spanOf, windowCount } from "./gap-grid.ts";
import { searchDays, type BatchPrices } from "./day-search.ts";
import { cheapestVertexCover, mostDays } from "./vertex-cover.ts";

/** The days bought for the whole batch (1 if bought); every other missing cell is covered by windows of its item. */
export type BatchCover = { readonly bought: Uint8Array; readonly price: number };

/**
 * The cheapest cover found for the rows of one batch: items that one day call can carry together.
 *
 * If all missing days lie within one window it is exact: a minimum weighted vertex cover. Over a longer time the days are cut into
 * stretches of the length of a window, and each is solved exactly. Then windows are placed again, as few as the remaining days need, and
 * `searchDays` continues from the cheapest result. A window (of up to 30 days) of the best possible cover meets at most two stretches, so
 * even if that search falls short, the price is at most twice the best one. It is never above the price of days only or windows only.
 */
export function coverBatch(rows: readonly Uint8Array[], days: number, prices: BatchPrices): BatchCover {
  const span = spanOf(rows);
  if (span === null) return { bought: new Uint8Array(days), price: 0 };
  const length = Math.min(prices.windowDays, mostDays);
  const whole = span.last - span.first + 1;
  const candidates = [
    everyMissingDay(rows, days),
    new Uint8Array(days),
    stretchCover(rows, { days, start: span.first, length }, prices),
  ];
  // cutting from the newest day backwards is better if the oldest stretch is the incomplete one
  if (whole > length)
    candidates.push(
      stretchCover(rows, { days, start: span.last + 1 - Math.ceil(whole / length) * length, length }, prices),
    );
  let best: BatchCover | null = null;
  for (const bought of candidates) {
    const price = priceWith(rows, bought, { ...prices, atMost: best?.price ?? Number.POSITIVE_INFINITY });
    if (best === null || price < best.price) best = { bought, price };
  }
  const found = best?.bought ?? new Uint8Array(days);
  if (whole <= length) return { bought: found, price: best?.price ?? 0 };
  const bought = searchDays(rows, found, prices);
  return { bought, price: priceWith(rows, bought, { ...prices, atMost: Number.POSITIVE_INFINITY }) };
}

function everyMissingDay(rows: readonly Uint8Array[], days: number): Uint8Array {
  const bought = new Uint8Array(days);
  for (const row of rows) for (let day = 0; day < days; day += 1) if (row[day] === 1) bought[day] = 1;
  return bought;
}

type Stretches = { readonly days: number; readonly start: number; readonly length: number };

/** The days that the exact covers of the stretches of one cut buy. */
function stretchCover(
  rows: readonly Uint8Array[],
  { days, start, length }: Stretches,
  prices: BatchPrices,
): Uint8Array {
  const bought = new Uint8Array(days);
  for (let from = start; from < days; from += length) {
    const masks = masksOf(rows, from, length);
    if (masks.length === 0) continue;
    const cover = cheapestVertexCover(masks, { day: prices.day, item: prices.window });
    for (let bit = 0; bit < length; bit += 1) if ((cover.days & (1 << bit)) !== 0) bought[from + bit] = 1;
  }
  return bought;
}

/** The missing days of each row in one stretch as bits; rows that lack none there are left out. */
function masksOf(rows: readonly Uint8Array[], from: number, length: number): number[] {
  const masks: number[] = [];
  for (const row of rows) {
    const stop = Math.min(length, row.length - from);
    let mask = 0;
    for (let bit = Math.max(0, -from); bit < stop; bit += 1) if (row[from + bit] === 1) mask |= 1 << bit;
    if (mask !== 0) masks.push(mask);
  }
  return masks;
}

/** The price of the days bought plus the windows for the rest; gives up above `atMost`. */
function priceWith(
  rows: readonly Uint8Array[],
  bought: Uint8Array,
  { day, window, windowDays, atMost }: BatchPrices & { readonly atMost: number },
): number {
  let price = 0;
  for (const one of bought) price += one * day;
  for (const row of rows) {
    if (price > atMost) return price;
    price += windowCount(row, windowDays, bought) * window;
  }
  return price;
}
