import { fare, type Way } from "../../core/way.ts";
import { windowCount } from "./gap-grid.ts";
import { countByDay, type Rider } from "./carriers.ts";

/**
 * The items with most gaps one by one, the others together, at the split that is cheapest over all batches: finds the few items too
 * many that would cost every day another call. Returns those that go alone.
 */
export function overflowing(riders: readonly Rider[], wide: Way, long: Way): ReadonlySet<Rider> {
  const byGaps = riders
    .map((rider) => ({ rider, gaps: countOf(rider.gaps) }))
    .sort((a, b) => b.gaps - a.gaps || (a.rider.item < b.rider.item ? -1 : 1));
  const left = countByDay(riders);
  let dayCalls = left.reduce((sum, count) => sum + Math.ceil(count / wide.maxItems), 0);
  let itemCalls = 0;
  let best = { price: dayCalls * fare(wide), alone: 0 };
  for (const [index, { rider }] of byGaps.entries()) {
    itemCalls += windowCount(rider.gaps, long.maxDays);
    // what is still to come only adds to this
    if (itemCalls * fare(long) >= best.price) break;
    for (let day = 0; day < left.length; day += 1) {
      if (rider.gaps[day] !== 1) continue;
      const rest = (left[day] ?? 0) - 1;
      left[day] = rest;
      // the last call of the day held this item alone
      if (rest % wide.maxItems === 0) dayCalls -= 1;
    }
    const price = itemCalls * fare(long) + dayCalls * fare(wide);
    if (price < best.price) best = { price, alone: index + 1 };
  }
  return new Set(byGaps.slice(0, best.alone).map(({ rider }) => rider));
}

function countOf(gaps: Uint8Array): number {
  let count = 0;
  for (const gap of gaps) count += gap;
  return count;
}
