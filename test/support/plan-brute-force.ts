import { carries, optionCost, type FetchOption } from "../../src/core/fetch-option.ts";
import { fewestWindows } from "../../src/plan/cover/gap-grid.ts";

/** A small planning problem: gaps by item as bits of a number, few enough to try everything. */
export type SmallProblem = {
  readonly items: readonly { readonly item: string; readonly gaps: number }[];
  readonly days: number;
  readonly long: FetchOption;
  readonly wide: FetchOption | null;
  readonly whole: FetchOption | null;
};

/** The lowest price there is: every choice of cells that go by window is tried, and for each the cheapest calls of every day. */
export function bestPrice({ items, days, long, wide, whole }: SmallProblem): number {
  const choices = items.map(({ item, gaps }) => {
    const byName = wide !== null && carries(wide, item);
    const byList = whole !== null && carries(whole, item);
    return subsetsOf(gaps)
      .filter((byDay) => byDay === 0 || byName || byList)
      .map((byDay) => ({
        byDay,
        byName,
        byList,
        price: optionCost(long) * fewestWindows(bits(gaps & ~byDay, days), long.maxDays).length,
      }));
  });
  let best = Number.POSITIVE_INFINITY;
  const pick = (index: number, chosen: readonly Choice[], price: number): void => {
    if (price >= best) return;
    const next = choices[index];
    if (next === undefined) best = Math.min(best, price + priceOfDays(chosen, { days, wide, whole }));
    else for (const choice of next) pick(index + 1, [...chosen, choice], price + choice.price);
  };
  pick(0, [], 0);
  return best;
}

type Choice = { readonly byDay: number; readonly byName: boolean; readonly byList: boolean };

function priceOfDays(chosen: readonly Choice[], { days, wide, whole }: Pick<SmallProblem, "days" | "wide" | "whole">) {
  let sum = 0;
  for (let day = 0; day < days; day += 1) {
    const present = chosen.filter(({ byDay }) => ((byDay >> day) & 1) === 1);
    const prices = [false, true].map((list) => {
      if (list && whole === null) return Number.POSITIVE_INFINITY;
      const named = list ? present.filter(({ byList }) => !byList) : present;
      if (named.some(({ byName }) => !byName)) return Number.POSITIVE_INFINITY;
      const calls =
        wide === null || named.length === 0 ? 0 : optionCost(wide) * Math.ceil(named.length / wide.maxItems);
      return (list && whole !== null ? optionCost(whole) : 0) + calls;
    });
    sum += Math.min(...prices);
  }
  return sum;
}

function subsetsOf(mask: number): number[] {
  return Array.from({ length: mask + 1 }, (_, set) => set).filter((set) => (set & ~mask) === 0);
}

function bits(mask: number, days: number): Uint8Array {
  return Uint8Array.from({ length: days }, (_, day) => (mask >> day) & 1);
}
