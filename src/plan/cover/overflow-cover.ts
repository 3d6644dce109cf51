import { optionCost, type FetchOption } from "../../core/fetch-option.ts";
import { sumBy } from "../../core/sum.ts";
import { windowCount } from "./gap-grid.ts";
import { countByDay, type CoverItem } from "./cover-items.ts";

/**
 * Requests the items with most gaps separately and the others together, at the split that is cheapest over all batches: this finds the few
 * extra items that would add a call to every day. Returns the items to request separately.
 */
export function overflowing(
  coverItems: readonly CoverItem[],
  byDay: FetchOption,
  byHistory: FetchOption,
): ReadonlySet<CoverItem> {
  const byGaps = coverItems
    .map((coverItem) => ({ coverItem, gaps: countOf(coverItem.gaps) }))
    .sort((a, b) => b.gaps - a.gaps || (a.coverItem.item < b.coverItem.item ? -1 : 1));
  const left = countByDay(coverItems);
  let dayCalls = sumBy(left, (count) => Math.ceil(count / byDay.maxItems));
  let itemCalls = 0;
  let best = { price: dayCalls * optionCost(byDay), alone: 0 };
  for (const [index, { coverItem }] of byGaps.entries()) {
    itemCalls += windowCount(coverItem.gaps, byHistory.maxDays);
    // later items only add to this
    if (itemCalls * optionCost(byHistory) >= best.price) break;
    for (let day = 0; day < left.length; day += 1) {
      if (coverItem.gaps[day] !== 1) continue;
      const rest = (left[day] ?? 0) - 1;
      left[day] = rest;
      // the last call of the day held only this item
      if (rest % byDay.maxItems === 0) dayCalls -= 1;
    }
    const price = itemCalls * optionCost(byHistory) + dayCalls * optionCost(byDay);
    if (price < best.price) best = { price, alone: index + 1 };
  }
  return new Set(byGaps.slice(0, best.alone).map(({ coverItem }) => coverItem));
}

function countOf(gaps: Uint8Array): number {
  let count = 0;
  for (const gap of gaps) count += gap;
  return count;
}
