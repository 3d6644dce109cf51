import { addDays } from "../core/day.ts";
import type { Covered } from "../core/slice.ts";
import { oneDay, type Window } from "../core/window.ts";
import { calendarOf, windowOf, type GapGrid } from "./cover/gap-grid.ts";
import { requestable, waitsOrRuns, missingCells } from "./missing.ts";
import { missingPeriods } from "./plan-periods.ts";
import type { PlanPartition, PlanRequest } from "./plan-request.ts";

/** Items (null if the scope is enough) and their days. */
export type Cells = { readonly items: readonly string[] | null; readonly window: Window };

/** What the stale cells of one partition are computed from. */
type StaleOptions = {
  readonly request: Pick<PlanRequest, "timing" | "today" | "bounds">;
  readonly partition: Pick<PlanPartition, "items" | "timing" | "fingerprint">;
  /** What was requested before, oldest first. */
  readonly covered: readonly Covered[];
};

/**
 * The stale cells of a partition: answered, and to be requested again. These are days and whole periods that were requested while the
 * source still restated them, or whose empty answer has expired, and the newest snapshot of an item if it is past its `refreshDays` or was
 * requested under another fingerprint. Only days that a sync would request are included, and only answered cells. `ops.slice_finality` has
 * the same rules in SQL, except that it does not see a fingerprint that changed without a command.
 */
export function staleCells({ request, partition, covered }: StaleOptions): readonly Cells[] {
  const { today, bounds } = request;
  const timing = partition.timing ?? request.timing;
  if (timing.kind === "snapshot") return staleSnapshots(timing.refreshDays, { request, partition, covered });
  const { items } = partition;
  if (timing.kind === "series") {
    const calendar = calendarOf(requestable(timing, today, bounds));
    return stretchesOf(
      missingCells({ timing, items, calendar, covered, today, reprocess: "missing" }).restated,
      items === null,
    );
  }
  return missingPeriods({ request: { today, bounds, reprocess: "missing" }, partition, covered, timing }).flatMap(
    ({ window, restated: { rows } }) =>
      rows.length === 0 ? [] : [{ items: items === null ? null : rows.map(({ item }) => item), window }],
  );
}

function stretchesOf({ calendar, rows }: GapGrid, isWhole: boolean): readonly Cells[] {
  return rows.flatMap(({ item, gaps }) => {
    const cells: Cells[] = [];
    for (let start = gaps.indexOf(1); start >= 0;) {
      const stop = gaps.indexOf(0, start);
      const end = stop < 0 ? gaps.length : stop;
      cells.push({ items: isWhole ? null : [item], window: windowOf(calendar, { start, end }) });
      start = gaps.indexOf(1, end);
    }
    return cells;
  });
}

function staleSnapshots(refreshDays: number, { request, partition, covered }: StaleOptions): readonly Cells[] {
  const newest = new Map<string, Covered>();
  const refused = new Set<string>();
  for (const slice of covered) {
    if (slice.refused && slice.items?.length === 1) for (const item of slice.items) refused.add(item);
    // a miss leaves the earlier answer valid; a refusal is as valid as an answer
    if (slice.state === "failed" || slice.state === "lost" || (slice.state === "skipped" && !slice.refused)) continue;
    for (const item of slice.items ?? [""]) newest.set(item, slice);
  }
  return (partition.items ?? [""]).flatMap((item) => {
    const answer = newest.get(item);
    if (answer === undefined || answer.refused || refused.has(item) || waitsOrRuns(answer)) return [];
    const isYoung = answer.asOf > addDays(request.today, -refreshDays) && answer.fingerprint === partition.fingerprint;
    return isYoung ? [] : [{ items: partition.items === null ? null : [item], window: oneDay(answer.window.start) }];
  });
}
