import type { Day } from "../core/day.ts";
import { addDays } from "../core/day.ts";
import { scopeKey, type Covered, type CreditClass, type Scope, type SliceDraft } from "../core/slice.ts";
import type { Timing, Way } from "../core/way.ts";
import { oneDay, windowLength, type Window } from "../core/window.ts";
import { cheapestCover, naivePrice, type Piece } from "./cheapest-cover.ts";
import { calendarOf, type Calendar } from "./gap-grid.ts";
import { askable, hasFailed, isOpen, missingCells, sorted, type Reprocess } from "./missing.ts";
import { unaskedCover, type KnownShapes } from "./unasked-cover.ts";

/** One partition of a dataset with the ways in which it can be fetched. */
export type PlanPartition = {
  readonly scope: Scope;
  /** What calls name by the batch; null where the scope says it all. */
  readonly items: readonly string[] | null;
  readonly fingerprint: string;
  /** True where something is known to be there: an empty answer is none. */
  readonly expected?: boolean;
  readonly ways: readonly Way[];
};

/** All that planning one dataset depends on: nothing else is read. */
export type PlanRequest = {
  readonly dataset: string;
  readonly timing: Timing;
  readonly partitions: readonly PlanPartition[];
  /** What was asked for before, oldest first, by `scopeKey`. */
  readonly covered: ReadonlyMap<string, readonly Covered[]>;
  readonly today: Day;
  /** Days asked for by hand; the dataset's own history where left out. */
  readonly bounds: Partial<Window>;
  /** Which cells that were asked for before are asked for again. */
  readonly reprocess: Reprocess;
};

/** The slices of one dataset, newest first, and what a program would pay that asks for one thing at a time. */
export type DatasetPlan = {
  readonly dataset: string;
  readonly slices: readonly SliceDraft[];
  readonly naiveCredits: number;
};

/**
 * Plans one dataset: the slices that are missing or stale, by the cheapest way. Pure; the order of partitions does not matter. Partitions
 * are planned one by one, so that any part of them can be planned alone.
 */
export function planDataset(request: PlanRequest): DatasetPlan {
  const { timing, today } = request;
  const calendar = timing.kind === "series" ? calendarOf(askable(timing, today, request.bounds)) : null;
  const shapes: KnownShapes = new Map();
  const parts = inOrder(request.partitions).map(({ partition, key }) => {
    const covered = request.covered.get(key) ?? [];
    return calendar === null
      ? planSnapshot(request, partition, covered)
      : planSeries(request, partition, covered, { calendar, shapes });
  });
  const slices = newestFirst(parts.flatMap((part) => part.slices));
  return { dataset: request.dataset, slices, naiveCredits: parts.reduce((sum, part) => sum + part.naiveCredits, 0) };
}

/** Partitions with the keys of their scopes, sorted by them. */
export function inOrder<P extends { readonly scope: Scope }>(
  partitions: readonly P[],
): readonly { readonly partition: P; readonly key: string }[] {
  return partitions
    .map((partition) => ({ partition, key: scopeKey(partition.scope) }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

/** Slices by the end of their windows, the last first; otherwise in the order given. */
function newestFirst(slices: SliceDraft[]): readonly SliceDraft[] {
  return slices.sort((a, b) => (a.window.end < b.window.end ? 1 : a.window.end > b.window.end ? -1 : 0));
}

type Part = Pick<DatasetPlan, "slices" | "naiveCredits">;

function planSnapshot(request: PlanRequest, partition: PlanPartition, covered: readonly Covered[]): Part {
  const way = partition.ways[0];
  if (way === undefined || !isDue(request, partition, covered)) return { slices: [], naiveCredits: 0 };
  const slice = draft(request, partition, { way, items: [], window: oneDay(request.today) }, "snapshot");
  return { slices: [slice], naiveCredits: slice.credits };
}

function isDue({ timing, today, reprocess }: PlanRequest, partition: PlanPartition, covered: readonly Covered[]) {
  const { fingerprint } = partition;
  if (timing.kind !== "snapshot") return false;
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

function planSeries(
  request: PlanRequest,
  partition: PlanPartition,
  covered: readonly Covered[],
  { calendar, shapes }: { readonly calendar: Calendar; readonly shapes: KnownShapes },
): Part {
  const { timing, today, reprocess } = request;
  if (timing.kind !== "series") return { slices: [], naiveCredits: 0 };
  const { ways, answered } = withoutUntracked(partition.ways, covered);
  const { items } = partition;
  const newest = addDays(today, -timing.settleDays);
  const first = (piece: Piece) => draft(request, partition, piece, piece.window.start >= newest ? "daily" : "backfill");
  if (items !== null && answered.length === 0 && reprocess !== "failed") {
    const { pieces, naiveCredits } = unaskedCover(sorted(items), ways, { calendar, shapes });
    return { slices: pieces.map(first), naiveCredits };
  }
  const { fresh, restated } = missingCells({ timing, items, calendar, covered: answered, today, reprocess });
  const slices = [
    ...cheapestCover(fresh, ways).map(first),
    ...cheapestCover(restated, ways).map((piece) => draft(request, partition, piece, "lookback")),
  ];
  return { slices, naiveCredits: naivePrice(fresh, ways) + naivePrice(restated, ways) };
}

/**
 * What the account's whole list did not bring was never asked for: its days are left to other ways. While that is on record the
 * items count as not tracked, or the same list would be paid for again and again.
 */
function withoutUntracked(
  ways: readonly Way[],
  covered: readonly Covered[],
): { ways: readonly Way[]; answered: readonly Covered[] } {
  const whole = new Set(ways.filter((way) => way.tracked !== undefined).map((way) => way.operation));
  const isBarren = (slice: Covered) => slice.state === "skipped" && whole.has(slice.operation);
  if (whole.size === 0 || !covered.some(isBarren)) return { ways, answered: covered };
  const gone = new Set(covered.filter(isBarren).flatMap(({ items }) => items ?? []));
  return {
    ways: ways.map((way) =>
      way.tracked === undefined
        ? way
        : { ...way, tracked: new Set([...way.tracked].filter((item) => !gone.has(item))) },
    ),
    answered: covered.filter((slice) => !isBarren(slice)),
  };
}

function draft(
  request: PlanRequest,
  partition: PlanPartition,
  piece: { way: Way; items: readonly string[]; window: Window },
  creditClass: CreditClass,
): SliceDraft {
  const requests = (piece.way.calls ?? 1) * Math.max(1, Math.ceil(windowLength(piece.window) / piece.way.maxDays));
  return {
    dataset: request.dataset,
    operation: piece.way.operation,
    scope: partition.scope,
    items: partition.items === null ? null : piece.items,
    window: piece.window,
    class: creditClass,
    requests,
    credits: requests * piece.way.credits,
    asOf: request.today,
    fingerprint: partition.fingerprint,
  };
}
