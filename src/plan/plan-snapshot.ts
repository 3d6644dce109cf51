import { addDays } from "../core/day.ts";
import type { Covered } from "../core/slice.ts";
import type { Timing } from "../core/way.ts";
import { oneDay } from "../core/window.ts";
import { batchesFor, draft, type Part } from "./draft.ts";
import { hasFailed, isOpen } from "./missing.ts";
import type { PartitionPlanning, PlanPartition } from "./plan-dataset.ts";

type Snapshot = PartitionPlanning<Extract<Timing, { kind: "snapshot" }>>;

/** The calls that ask for what holds now: of the whole partition or, where calls name items, of those that are due. */
export function planSnapshot(planning: Snapshot): Part {
  const { request, partition, covered } = planning;
  const way = partition.ways[0];
  const due = way === undefined ? [] : dueItems(planning);
  if (way === undefined || due?.length === 0) return { slices: [], naiveCredits: 0 };
  if (due === null && !isDue(planning, covered)) return { slices: [], naiveCredits: 0 };
  const window = oneDay(request.today);
  const slices = batchesFor(way, due).map((items) => draft(request, partition, { way, items, window }, "snapshot"));
  return { slices, naiveCredits: way.credits * (due?.length ?? 1) };
}

/** The items that are due, sorted; null where the partition has none. */
function dueItems(planning: Snapshot): readonly string[] | null {
  const { partition, covered } = planning;
  if (partition.items === null) return null;
  const slices = new Map<string, Covered[]>();
  for (const slice of covered)
    for (const item of slice.items ?? []) {
      const known = slices.get(item);
      if (known === undefined) slices.set(item, [slice]);
      else known.push(slice);
    }
  return [...new Set(partition.items)].sort().filter((item) => {
    const own = slices.get(item) ?? [];
    // refused by itself: it would have its whole batch refused
    return !own.some((slice) => slice.refused && slice.items?.length === 1) && isDue(planning, own);
  });
}

function isDue({ timing, request, partition }: Snapshot, covered: readonly Covered[]): boolean {
  const { today, reprocess } = request;
  const { fingerprint } = partition;
  const newest = covered.at(-1);
  if (reprocess === "failed") return newest !== undefined && hasFailed(newest);
  if (reprocess === "all") return newest === undefined || !(isOpen(newest) || newest.refused);
  // an answer that failed is no answer, but it is not asked for twice on one day either
  const latest = covered.findLast((slice) => slice.state !== "failed");
  const oldest = addDays(today, latest !== undefined && isNoAnswer(latest, partition) ? -1 : -timing.refreshDays);
  const held = latest?.fingerprint === fingerprint && (isOpen(latest) || latest.asOf > oldest);
  return !(
    held ||
    covered.some((slice) => slice.state === "failed" && slice.fingerprint === fingerprint && slice.asOf >= today)
  );
}

/** True for a slice that ended well and without what was asked for, so that it holds for a day only. A refusal holds like an answer. */
export function isNoAnswer(
  { state, refused }: Pick<Covered, "state" | "refused">,
  { expected = false }: Pick<PlanPartition, "expected">,
): boolean {
  return (state === "skipped" && !refused) || (state === "empty" && expected);
}
