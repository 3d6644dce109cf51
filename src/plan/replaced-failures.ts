import type { Day } from "../core/day.ts";
import type { Covered } from "../core/slice.ts";

type Requested = Pick<Covered, "items" | "window" | "state" | "refused">;

/**
 * Requested snapshots, oldest first, without failed ones that a newer slice replaces: the newer one shows the present state or, if it
 * failed too, is the one to retry. `ops.failed_slice` and `ops.coverage_daily` have the same rule in SQL.
 */
export function withoutReplaced<S extends Requested>(covered: readonly S[]): readonly S[] {
  const newerEnds = new Map<string, Day>();
  const kept: S[] = [];
  for (const slice of covered.toReversed()) {
    const { state, window } = slice;
    const items = slice.items ?? [""];
    const isReplaced = (item: string) => (newerEnds.get(item) ?? "") > window.start;
    const left = state === "failed" ? items.filter((item) => !isReplaced(item)) : items;
    if (left.length === items.length) kept.push(slice);
    else if (left.length > 0) kept.push({ ...slice, items: left });
    if (state !== "loaded" && state !== "empty" && state !== "failed" && !slice.refused) continue;
    for (const item of items) if (!isReplaced(item)) newerEnds.set(item, window.end);
  }
  return kept.toReversed();
}
