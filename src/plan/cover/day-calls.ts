import { fare, type Way } from "../../core/way.ts";
import { outside, type Rider, type Ways, type Windows } from "./carriers.ts";

/** One call of a day, or as many as its way takes: which way, which items, which day by index. */
export type DayCall = { readonly way: Way; readonly items: readonly string[]; readonly day: number };

/** What windows cost together with the cheapest calls of the days for what they leave. */
export function priceOfWindows(riders: readonly Rider[], windows: Windows, ways: Ways): number {
  const days = riders[0]?.gaps.length ?? 0;
  const counts = { listed: new Int32Array(days), both: new Int32Array(days), tracked: new Int32Array(days) };
  let price = 0;
  for (const [index, rider] of riders.entries()) {
    const spans = windows[index] ?? [];
    price += spans.length * (ways.long === null ? 0 : fare(ways.long));
    const left = outside(rider.gaps, spans);
    const count = counts[!rider.tracked ? "listed" : rider.listed ? "both" : "tracked"];
    for (let day = 0; day < days; day += 1) count[day] = (count[day] ?? 0) + (left[day] ?? 0);
  }
  for (let day = 0; day < days; day += 1) price += choose(countsOn(counts, day), ways).price;
  return price;
}

/** The cheapest calls for what windows leave, day by day: given the windows, no other calls of a day cost less. */
export function dayCalls(riders: readonly Rider[], windows: Windows, ways: Ways): readonly DayCall[] {
  const days = riders[0]?.gaps.length ?? 0;
  const riding: Rider[][] = Array.from({ length: days }, () => []);
  for (const [index, rider] of riders.entries()) {
    const left = outside(rider.gaps, windows[index] ?? []);
    for (let day = 0; day < days; day += 1) if (left[day] === 1) riding[day]?.push(rider);
  }
  const calls: DayCall[] = [];
  let before: { readonly present: readonly Rider[]; readonly lists: readonly List[] } = { present: [], lists: [] };
  for (const [day, present] of riding.entries()) {
    // days often lack the same items: their calls share the lists
    const lists = areSame(present, before.present) ? before.lists : listsOf(present, ways);
    for (const { way, items } of lists) calls.push({ way, items, day });
    before = { present, lists };
  }
  return calls;
}

type List = Pick<DayCall, "way" | "items">;

function listsOf(present: readonly Rider[], ways: Ways): readonly List[] {
  const { wide, whole } = ways;
  const lists: List[] = [];
  const all = whole !== null && choose(countOf(present), ways).whole;
  if (all) lists.push({ way: whole, items: present.filter((rider) => rider.tracked).map((rider) => rider.item) });
  const named = all ? present.filter((rider) => !rider.tracked) : present;
  if (wide !== null)
    for (let from = 0; from < named.length; from += wide.maxItems)
      lists.push({ way: wide, items: named.slice(from, from + wide.maxItems).map((rider) => rider.item) });
  return lists;
}

function areSame(a: readonly Rider[], b: readonly Rider[]): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index += 1) if (a[index] !== b[index]) return false;
  return true;
}

/** How many riders of a day can only be listed, can go both ways, can only go with the whole list. */
type Counts = { readonly listed: number; readonly both: number; readonly tracked: number };

function countsOn(counts: Record<keyof Counts, Int32Array>, day: number): Counts {
  return { listed: counts.listed[day] ?? 0, both: counts.both[day] ?? 0, tracked: counts.tracked[day] ?? 0 };
}

function countOf(riders: readonly Rider[]): Counts {
  const tracked = riders.filter((rider) => rider.tracked);
  const both = tracked.filter((rider) => rider.listed).length;
  return { listed: riders.length - tracked.length, both, tracked: tracked.length - both };
}

/** Whether the whole list is part of the cheapest calls of a day, and what they cost. */
function choose({ listed, both, tracked }: Counts, { wide, whole }: Ways): { whole: boolean; price: number } {
  if (listed + both + tracked === 0) return { whole: false, price: 0 };
  const named = (count: number) =>
    count === 0 ? 0 : wide === null ? Number.POSITIVE_INFINITY : fare(wide) * Math.ceil(count / wide.maxItems);
  const without = tracked > 0 ? Number.POSITIVE_INFINITY : named(listed + both);
  const withAll = whole === null ? Number.POSITIVE_INFINITY : fare(whole) + named(listed);
  return withAll < without ? { whole: true, price: withAll } : { whole: false, price: without };
}
