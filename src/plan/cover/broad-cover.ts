import type { Way } from "../../core/way.ts";
import type { Piece } from "./cheapest-cover.ts";
import { batchesFor } from "../draft.ts";
import { fewestWindows, windowOf, type GapGrid } from "./gap-grid.ts";

/** True for a way of which one call names many items over many days. */
export function isBroad(way: Way): boolean {
  return way.maxItems > 1 && way.maxDays > 1 && way.tracked === undefined;
}

/**
 * The calls of one broad way that hold every missing cell: the fewest windows over all items together, each with the items that lack
 * a day of it. An item may be asked for days that it has: that costs nothing, a second call would.
 */
export function broadCover({ calendar, rows }: GapGrid, way: Way): readonly Piece[] {
  const any = new Uint8Array(calendar.days);
  for (const { gaps } of rows) for (let day = 0; day < any.length; day += 1) if (gaps[day] === 1) any[day] = 1;
  return fewestWindows(any, way.maxDays).flatMap((span) => {
    const lacking = rows.filter(({ gaps }) => gaps.subarray(span.start, span.end).includes(1)).map(({ item }) => item);
    return batchesFor(way, lacking).map((items) => ({ way, items, window: windowOf(calendar, span) }));
  });
}
