import { addDays } from "../core/day.ts";
import { neverRequested, type Covered } from "../core/slice.ts";
import type { Timing } from "../core/timing.ts";
import { oneDay } from "../core/window.ts";
import { batchesFor, draft, type Part } from "./draft.ts";
import { hasFailed, isOpen } from "./missing.ts";
import type { PartitionPlanning, PlanPartition } from "./plan-request.ts";

type Snapshot = PartitionPlanning<Extract<Timing, { kind: "snapshot" }>>;

/** The calls that request what holds now: of the whole partition or, where calls name items, of those that are due. */
export function planSnapshot(planning: Snapshot): Part {
  const { request, partition, covered, timing } = planning;
  const option = partition.fetchOptions[0];
  const due = option === undefined ? [] : dueItems(planning);
  if (option === undefined || due?.length === 0) return { slices: [], naiveCredits: 0 };
  if (due === null && !isDue(planning, covered)) return { slices: [], naiveCredits: 0 };
  const window = oneDay(request.today);
  const lastDay = addDays(request.today, timing.refreshDays - 1);
  const slices = batchesFor(option, due).map((items) => ({
    ...draft(request, partition, { option, items, window }, "snapshot"),
    lastDay,
  }));
  return { slices, naiveCredits: option.credits * (due?.length ?? 1) };
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
    // refused alone: it would have its whole batch refused
    return !own.some((slice) => slice.refused && slice.items?.length === 1) && isDue(planning, own);
  });
}

function isDue({ timing, request, partition }: Snapshot, known: readonly Covered[]): boolean {
  const covered = known.filter((slice) => slice.fingerprint !== neverRequested);
  const { today, reprocess } = request;
  const { fingerprint } = partition;
  const newest = covered.at(-1);
  if (reprocess === "failed") return newest !== undefined && hasFailed(newest);
  if (reprocess === "all") return newest === undefined || !(isOpen(newest) || newest.refused);
  const isMiss = (slice: Covered) => slice.state === "failed" || slice.state === "lost" || isNoAnswer(slice, partition);
  const holds = ({ asOf }: Covered, days: number) => asOf > addDays(today, -days);
  const last = covered.findLastIndex((slice) => !isMiss(slice));
  const answer = covered[last];
  if (answer?.fingerprint === fingerprint && (isOpen(answer) || holds(answer, timing.refreshDays))) return false;
  const misses = covered.slice(last + 1).filter((slice) => slice.fingerprint === fingerprint);
  const miss = misses.at(-1);
  if (miss === undefined) return true;
  // what failed with an error that may pass is requested the next day: its time runs out. Else each such miss makes the next request wait
  // twice as long, as each may be charged, also where something is known to be there
  const dear = misses.filter(({ isPassing = false }) => !isPassing).length;
  return !holds(miss, miss.isPassing === true ? 1 : Math.min(2 ** (dear - 1), timing.refreshDays));
}

/** True for a slice that ended well and without what was requested, so that it holds for a short while. A refusal holds like an answer. */
export function isNoAnswer(
  { state, refused }: Pick<Covered, "state" | "refused">,
  { expected = false }: Pick<PlanPartition, "expected">,
): boolean {
  return (state === "skipped" && !refused) || (state === "empty" && expected);
}
