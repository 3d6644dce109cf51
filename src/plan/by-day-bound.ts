import { fare, type Way } from "../core/way.ts";
import { countByDay, type Rider } from "./rider.ts";

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
