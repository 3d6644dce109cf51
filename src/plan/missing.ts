import { addDays, daysBetween, type Day } from "../core/day.ts";
import type { Covered } from "../core/slice.ts";
import type { Timing } from "../core/way.ts";
import type { Window } from "../core/window.ts";

type Series = Extract<Timing, { kind: "series" }>;

/** Days of one item that must be asked for: never asked before, or asked for while the source still restated them. */
export type MissingDays = { readonly fresh: readonly Day[]; readonly restated: readonly Day[] };

/** The days that a sync may ask for: cut where they are not published yet. Without a start as far back from the end as the dataset's history. */
export function askable(timing: Series, today: Day, bounds: Partial<Window>): Window {
  const settled = addDays(today, 1 - timing.settleDays);
  const end = bounds.end !== undefined && bounds.end < settled ? bounds.end : settled;
  return { start: bounds.start ?? addDays(end, -timing.historyDays), end };
}

/** Days before this one are final in an answer of `asOf`: the source had stopped restating them. */
function finalBefore(timing: Series, asOf: Day): Day {
  return addDays(asOf, 1 - timing.settleDays - timing.lookbackDays);
}

/**
 * The missing days of every item of one scope inside `window`. `items` null stands for the scope itself, under the name ''.
 * An empty answer about the newest day may have come before the day was out: it is final a day later than others.
 * An item that was refused by itself is left out while that is on record here: it would have every batch refused.
 * A failed day counts as asked for: `storehouse retry` asks again, so that a poisoned one does not cost credits every night.
 */
export function missingDays(options: {
  readonly timing: Series;
  readonly items: readonly string[] | null;
  readonly window: Window;
  readonly covered: readonly Covered[];
  readonly today: Day;
}): ReadonlyMap<string, MissingDays> {
  const { timing, window, covered, today } = options;
  const length = Math.max(0, daysBetween(window.start, window.end));
  const refused = new Set(
    covered.filter((slice) => slice.refused && slice.items?.length === 1).flatMap(({ items }) => items ?? []),
  );
  const wanted = (options.items ?? [""]).filter((item) => !refused.has(item));
  const marks = new Map(wanted.map((item) => [item, new Uint8Array(length)]));
  for (const slice of covered) {
    const from = Math.max(0, daysBetween(window.start, slice.window.start));
    const to = Math.min(length, daysBetween(window.start, slice.window.end));
    const final =
      slice.asOf >= today || isOpen(slice)
        ? to
        : daysBetween(window.start, finalBefore(timing, slice.asOf)) - (slice.state === "empty" ? 1 : 0);
    for (const item of slice.items ?? [""]) {
      const row = marks.get(item);
      if (row === undefined) continue;
      for (let index = from; index < to; index += 1)
        row[index] = Math.max(row[index] ?? 0, index < final ? asked : toRestate);
    }
  }
  const days = Array.from({ length }, (_, index) => addDays(window.start, index));
  return new Map(
    [...marks].map(([item, row]) => [
      item,
      {
        fresh: days.filter((_, index) => row[index] === 0),
        restated: days.filter((_, index) => row[index] === toRestate),
      },
    ]),
  );
}

const toRestate = 1;
const asked = 2;

/** True for a slice that waits or runs. */
export function isOpen(slice: Covered): boolean {
  return slice.state === "pending" || slice.state === "running" || slice.state === "deferred";
}
