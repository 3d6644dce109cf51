import { addDays } from "../core/day.ts";
import { periodOf, periodsTouching, type Grid } from "../core/period.ts";
import type { SliceDraft } from "../core/slice.ts";
import type { Timing } from "../core/timing.ts";
import { isSameWindow, type Window } from "../core/window.ts";
import { batchesFor, draft, type PlanPart } from "./draft.ts";
import { calendarOf } from "./cover/gap-grid.ts";
import { requestable, missingCells, settledEnd, type MissingCells } from "./missing.ts";
import type { PartitionPlanning, PlanPartition, PlanRequest } from "./plan-request.ts";

type Period = Extract<Timing, { kind: "period" }>;

/**
 * The calls for whole periods that were never requested, or that were requested while the source still restated them: one per period and
 * batch. A slice over other days, of another grid for instance, says nothing about a period.
 */
export function planPeriods({ request, partition, covered, timing }: PartitionPlanning<Period>): PlanPart {
  const option = partition.fetchOptions[0];
  if (option === undefined) return { slices: [], naiveCredits: 0 };
  const settled = settledEnd(timing, request.today);
  const latest = periodOf(timing.grid, addDays(settled, -1));
  // of the newest period that is over
  const newestEnd = latest.end <= settled ? latest.end : latest.start;
  const slices: SliceDraft[] = [];
  let items = 0;
  for (const { window, fresh, restated } of missingPeriods({ request, partition, covered, timing })) {
    const again = restated.rows.map(({ item }) => item);
    const first = fresh.rows.map(({ item }) => item).filter((item) => !again.includes(item));
    for (const [wanted, creditClass] of [
      [first, window.end === newestEnd ? "daily" : "history"],
      [again, "lookback"],
    ] as const) {
      if (wanted.length === 0) continue;
      items += wanted.length;
      for (const batch of batchesFor(option, partition.items === null ? null : wanted))
        slices.push(draft(request, partition, { option, items: batch, window, requests: 1 }, creditClass));
    }
  }
  return { slices, naiveCredits: option.credits * items };
}

/** The periods that are over and published and share a day with the requestable days, each with its missing items. */
export function missingPeriods({
  request: { today, bounds, reprocess },
  partition: { items },
  covered,
  timing,
}: Wanted): readonly (MissingCells & { readonly window: Window })[] {
  const settled = settledEnd(timing, today);
  return periodsTouching(timing.grid, requestable(timing, today, bounds))
    .filter(({ end }) => end <= settled)
    .map((window) => {
      const own = covered.filter((slice) => slice.refused || isSameWindow(slice.window, window));
      const calendar = calendarOf(window);
      return { window, ...missingCells({ timing, items, calendar, covered: own, today, reprocess }) };
    });
}

/** What missing periods are computed from. */
type Wanted = Pick<PartitionPlanning<Period>, "covered" | "timing"> & {
  readonly request: Pick<PlanRequest, "today" | "bounds" | "reprocess">;
  readonly partition: Pick<PlanPartition, "items">;
};

/** The days whose slices show what these periods lack. */
export function periodReach(grid: Grid, { start, end }: Window): Window {
  const touched = periodsTouching(grid, { start, end });
  return { start: touched[0]?.start ?? start, end: touched.at(-1)?.end ?? end };
}
