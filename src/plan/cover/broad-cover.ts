import type { FetchOption } from "../../core/fetch-option.ts";
import type { Piece } from "./cheapest-cover.ts";
import { batchesFor } from "../draft.ts";
import { fewestWindows, windowOf, type GapGrid } from "./gap-grid.ts";

/** True for a fetch option whose calls name many items over many days. */
export function isBroad(option: FetchOption): boolean {
  return option.maxItems > 1 && option.maxDays > 1 && option.tracked === undefined;
}

/**
 * The calls of one broad fetch option that hold every missing cell: the fewest windows over all items together, each with the items that
 * lack one of its days. An item may be requested for days that it has already: that costs nothing, while a second call would.
 */
export function broadCover({ calendar, rows }: GapGrid, option: FetchOption): readonly Piece[] {
  const any = new Uint8Array(calendar.days);
  for (const { gaps } of rows) for (let day = 0; day < any.length; day += 1) if (gaps[day] === 1) any[day] = 1;
  return fewestWindows(any, option.maxDays).flatMap((span) => {
    const lacking = rows.filter(({ gaps }) => gaps.subarray(span.start, span.end).includes(1)).map(({ item }) => item);
    return batchesFor(option, lacking).map((items) => ({ option, items, window: windowOf(calendar, span) }));
  });
}
