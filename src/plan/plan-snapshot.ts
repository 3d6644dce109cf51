import { addDays, earliest } from "../core/day.ts";
import { isSplit, type FetchOption } from "../core/fetch-option.ts";
import { neverRequested, type Covered, type SliceDraft } from "../core/slice.ts";
import type { Timing } from "../core/timing.ts";
import { oneDay } from "../core/window.ts";
import { batchesFor, draft, type PlanPart } from "./draft.ts";
import { hasFailed, waitsOrRuns } from "./missing.ts";
import type { PartitionPlanning, PlanPartition } from "./plan-request.ts";

type Snapshot = PartitionPlanning<Extract<Timing, { kind: "snapshot" }>>;

/** The calls that request the present state: of the whole partition or, if calls name items, of the items that are due. */
export function planSnapshot(planning: Snapshot): PlanPart {
  const { request, partition, covered, timing } = planning;
  const option = partition.fetchOptions[0];
  const known = partition.items === null ? null : coveredByItem(partition.items, covered);
  const due = known === null ? null : [...known.keys()].filter((item) => isItemDue(planning, known.get(item) ?? []));
  if (option === undefined || due?.length === 0) return { slices: [], naiveCredits: 0 };
  if (due === null && !isDue(planning, covered)) return { slices: [], naiveCredits: 0 };
  const window = oneDay(request.today);
  const lastDay = addDays(request.today, timing.refreshDays - 1);
  const batches = batchesFor(option, due);
  const slices = (known === null ? batches : withSoonest(batches, option, soonestDue(planning, known))).map(
    (items) => ({
      ...draft(request, partition, { option, items, window }, "snapshot"),
      lastDay,
      ...lastRequested(items === null || known === null ? [covered] : items.map((item) => known.get(item) ?? [])),
    }),
  );
  return { slices, naiveCredits: option.credits * (due?.length ?? 1) };
}

/** The oldest day on which an item was last requested, whether it failed or not; none if one was never requested. */
function lastRequested(known: readonly (readonly Covered[])[]): Pick<SliceDraft, "lastRequested"> {
  const days = known.map((own) => own.findLast(({ fingerprint }) => fingerprint !== neverRequested)?.asOf);
  return days.includes(undefined) ? {} : { lastRequested: earliest(days.flatMap((day) => day ?? [])) };
}

type ByItem = ReadonlyMap<string, readonly Covered[]>;

/** The earlier requests for each of these items, which are sorted. */
function coveredByItem(items: readonly string[], covered: readonly Covered[]): ByItem {
  const slices = new Map<string, Covered[]>([...new Set(items)].sort().map((item) => [item, []]));
  for (const slice of covered) for (const item of slice.items ?? []) slices.get(item)?.push(slice);
  return slices;
}

function isItemDue(planning: Snapshot, own: readonly Covered[]): boolean {
  return !isRefusedAlone(own) && isDue(planning, own);
}

/** True for an item that was refused alone: its whole batch would be refused. */
function isRefusedAlone(own: readonly Covered[]): boolean {
  return own.some((slice) => slice.refused && slice.items?.length === 1);
}

/** Answered items that are not due yet, the ones due soonest first. */
function soonestDue({ request, partition }: Snapshot, known: ByItem): readonly string[] {
  if (request.reprocess !== "missing") return [];
  const answered = [...known].flatMap(([item, own]) => {
    const newest = own.at(-1);
    if (newest === undefined || newest.fingerprint !== partition.fingerprint || newest.asOf >= request.today) return [];
    const isAnswer = newest.state === "loaded" || (newest.state === "empty" && partition.expected !== true);
    return isAnswer && !isRefusedAlone(own) ? [{ item, asOf: newest.asOf }] : [];
  });
  return answered.sort((a, b) => (a.asOf < b.asOf ? -1 : a.asOf > b.asOf ? 1 : 0)).map(({ item }) => item);
}

/**
 * Batches, the last one filled with other items if its call has room for them at the same price: items that were added on different days
 * are then requested together, no longer in separate calls.
 */
function withSoonest(
  batches: readonly (readonly string[])[],
  option: FetchOption,
  soonest: readonly string[],
): readonly (readonly string[])[] {
  const last = batches.at(-1);
  if (last === undefined || option.isPaged === true || last.some((item) => isSplit(option, item))) return batches;
  const due = new Set(batches.flat());
  const more = soonest.filter((item) => !due.has(item) && !isSplit(option, item));
  return [...batches.slice(0, -1), [...last, ...more.slice(0, option.maxItems - last.length)].sort()];
}

function isDue({ timing, request, partition }: Snapshot, known: readonly Covered[]): boolean {
  const covered = known.filter((slice) => slice.fingerprint !== neverRequested);
  const { today, reprocess } = request;
  const { fingerprint } = partition;
  const newest = covered.at(-1);
  if (reprocess === "failed") return newest !== undefined && hasFailed(newest);
  if (reprocess === "all") return newest === undefined || !(waitsOrRuns(newest) || newest.refused);
  // an empty answer is none only while its partition is as it was: a list that was empty then may have items now
  const isEarlierEmpty = (slice: Covered) => slice.state === "empty" && slice.fingerprint !== fingerprint;
  const isMiss = (slice: Covered) =>
    slice.state === "failed" || slice.state === "lost" || (isNoAnswer(slice, partition) && !isEarlierEmpty(slice));
  const holds = ({ asOf }: Covered, days: number) => asOf > addDays(today, -days);
  const last = covered.findLastIndex((slice) => !isMiss(slice));
  const answer = covered[last];
  if (answer?.fingerprint === fingerprint && (waitsOrRuns(answer) || holds(answer, timing.refreshDays))) return false;
  const misses = covered.slice(last + 1).filter((slice) => slice.fingerprint === fingerprint);
  const miss = misses.at(-1);
  if (miss === undefined) return true;
  // after an error that may pass the item is requested the next day, since its time runs out. Any other miss doubles the wait before the
  // next request, since each may be charged, even if data is known to exist
  const maybeCharged = misses.filter(({ isPassing = false }) => !isPassing).length;
  return !holds(miss, miss.isPassing === true ? 1 : Math.min(2 ** (maybeCharged - 1), timing.refreshDays));
}

/**
 * True for a slice that ended without an error and without data, so that it is valid only for a short while. A refusal is as valid as an
 * answer.
 */
export function isNoAnswer(
  { state, refused }: Pick<Covered, "state" | "refused">,
  { expected = false }: Pick<PlanPartition, "expected">,
): boolean {
  return (state === "skipped" && !refused) || (state === "empty" && expected);
}
