import { optionCost, type FetchOption } from "../../core/fetch-option.ts";
import { outside, type CoverItem, type OptionsByKind, type Windows } from "./cover-items.ts";

/** One call of a day, or several if its fetch option takes several: the option, the items, and the day by index. */
export type DayCall = { readonly option: FetchOption; readonly items: readonly string[]; readonly day: number };

/** The price of windows together with the cheapest calls by day for the rest. */
export function priceOfWindows(
  coverItems: readonly CoverItem[],
  windows: Windows,
  fetchOptions: OptionsByKind,
): number {
  const days = coverItems[0]?.gaps.length ?? 0;
  const counts = { listed: new Int32Array(days), both: new Int32Array(days), tracked: new Int32Array(days) };
  let price = 0;
  for (const [index, coverItem] of coverItems.entries()) {
    const spans = windows[index] ?? [];
    price += spans.length * (fetchOptions.byHistory === null ? 0 : optionCost(fetchOptions.byHistory));
    const left = outside(coverItem.gaps, spans);
    const count = counts[!coverItem.tracked ? "listed" : coverItem.listed ? "both" : "tracked"];
    for (let day = 0; day < days; day += 1) count[day] = (count[day] ?? 0) + (left[day] ?? 0);
  }
  for (let day = 0; day < days; day += 1) price += choose(countsOn(counts, day), fetchOptions).price;
  return price;
}

/** The cheapest calls for the cells outside the windows, day by day: given the windows, no other calls of a day cost less. */
export function dayCalls(
  coverItems: readonly CoverItem[],
  windows: Windows,
  fetchOptions: OptionsByKind,
): readonly DayCall[] {
  const days = coverItems[0]?.gaps.length ?? 0;
  const riding: CoverItem[][] = Array.from({ length: days }, () => []);
  for (const [index, coverItem] of coverItems.entries()) {
    const left = outside(coverItem.gaps, windows[index] ?? []);
    for (let day = 0; day < days; day += 1) if (left[day] === 1) riding[day]?.push(coverItem);
  }
  const calls: DayCall[] = [];
  let before: { readonly present: readonly CoverItem[]; readonly lists: readonly List[] } = { present: [], lists: [] };
  for (const [day, present] of riding.entries()) {
    // days often lack the same items: their calls share the lists
    const lists = areSame(present, before.present) ? before.lists : listsOf(present, fetchOptions);
    for (const { option, items } of lists) calls.push({ option, items, day });
    before = { present, lists };
  }
  return calls;
}

type List = Pick<DayCall, "option" | "items">;

function listsOf(present: readonly CoverItem[], fetchOptions: OptionsByKind): readonly List[] {
  const { byDay, wholeList } = fetchOptions;
  const lists: List[] = [];
  const all = wholeList !== null && choose(countOf(present), fetchOptions).withList;
  if (all)
    lists.push({
      option: wholeList,
      items: present.filter((coverItem) => coverItem.tracked).map((coverItem) => coverItem.item),
    });
  const named = all ? present.filter((coverItem) => !coverItem.tracked) : present;
  if (byDay !== null)
    for (let from = 0; from < named.length; from += byDay.maxItems)
      lists.push({ option: byDay, items: named.slice(from, from + byDay.maxItems).map((coverItem) => coverItem.item) });
  return lists;
}

function areSame(a: readonly CoverItem[], b: readonly CoverItem[]): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index += 1) if (a[index] !== b[index]) return false;
  return true;
}

/** How many cover items of a day can only be named, can go either way, or need the whole list. */
type Counts = { readonly listed: number; readonly both: number; readonly tracked: number };

function countsOn(counts: Record<keyof Counts, Int32Array>, day: number): Counts {
  return { listed: counts.listed[day] ?? 0, both: counts.both[day] ?? 0, tracked: counts.tracked[day] ?? 0 };
}

function countOf(coverItems: readonly CoverItem[]): Counts {
  const tracked = coverItems.filter((coverItem) => coverItem.tracked);
  const both = tracked.filter((coverItem) => coverItem.listed).length;
  return { listed: coverItems.length - tracked.length, both, tracked: tracked.length - both };
}

/** Whether the whole list is part of the cheapest calls of a day, and what they cost. */
function choose(
  { listed, both, tracked }: Counts,
  { byDay, wholeList }: OptionsByKind,
): { withList: boolean; price: number } {
  if (listed + both + tracked === 0) return { withList: false, price: 0 };
  const named = (count: number) =>
    count === 0 ? 0 : byDay === null ? Number.POSITIVE_INFINITY : optionCost(byDay) * Math.ceil(count / byDay.maxItems);
  const without = tracked > 0 ? Number.POSITIVE_INFINITY : named(listed + both);
  const withAll = wholeList === null ? Number.POSITIVE_INFINITY : optionCost(wholeList) + named(listed);
  return withAll < without ? { withList: true, price: withAll } : { withList: false, price: without };
}
