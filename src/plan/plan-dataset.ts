import type { Day } from "../core/day.ts";
import { addDays } from "../core/day.ts";
import { scopeKey, type Covered, type CreditClass, type Scope, type SliceDraft } from "../core/slice.ts";
import type { Timing, Way } from "../core/way.ts";
import { oneDay, windowLength, type Window } from "../core/window.ts";
import { cheapestCover, naivePrice, type Missing } from "./cheapest-cover.ts";
import { askable, isOpen, missingDays } from "./missing.ts";

/** One partition of a dataset with the ways in which it can be fetched. */
export type PlanPartition = {
  readonly scope: Scope;
  /** What calls name by the batch; null where the scope says it all. */
  readonly items: readonly string[] | null;
  readonly fingerprint: string;
  readonly ways: readonly Way[];
};

/** All that planning one dataset depends on: nothing else is read. */
export type PlanRequest = {
  readonly dataset: string;
  readonly timing: Timing;
  readonly partitions: readonly PlanPartition[];
  /** What was asked for before, by `scopeKey`. */
  readonly covered: ReadonlyMap<string, readonly Covered[]>;
  readonly today: Day;
  /** Days asked for by hand; the dataset's own history where left out. */
  readonly bounds: Partial<Window>;
};

/** The slices of one dataset, newest first, and what a program would pay that asks for one thing at a time. */
export type DatasetPlan = {
  readonly dataset: string;
  readonly slices: readonly SliceDraft[];
  readonly naiveCredits: number;
};

/** Plans one dataset: the slices that are missing or stale, by the cheapest way. Pure; the order of partitions does not matter. */
export function planDataset(request: PlanRequest): DatasetPlan {
  const parts = request.partitions
    .map((partition) => ({ partition, key: scopeKey(partition.scope) }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ partition, key }) => {
      const covered = request.covered.get(key) ?? [];
      return request.timing.kind === "snapshot"
        ? planSnapshot(request, partition, covered)
        : planSeries(request, partition, covered);
    });
  const slices = parts
    .flatMap((part) => part.slices)
    .sort((a, b) => (a.window.end < b.window.end ? 1 : a.window.end > b.window.end ? -1 : 0));
  return { dataset: request.dataset, slices, naiveCredits: parts.reduce((sum, part) => sum + part.naiveCredits, 0) };
}

type Part = Pick<DatasetPlan, "slices" | "naiveCredits">;

function planSnapshot(request: PlanRequest, partition: PlanPartition, covered: readonly Covered[]): Part {
  if (request.timing.kind !== "snapshot") return { slices: [], naiveCredits: 0 };
  const { today, timing } = request;
  const oldest = addDays(today, -timing.refreshDays);
  // an answer that failed is no answer, but it is not asked for twice on one day either
  const latest = covered.findLast((slice) => slice.state !== "failed");
  const held =
    (latest?.fingerprint === partition.fingerprint && (isOpen(latest) || latest.asOf > oldest)) ||
    covered.some(
      (slice) => slice.state === "failed" && slice.fingerprint === partition.fingerprint && slice.asOf >= today,
    );
  const way = partition.ways[0];
  if (held || way === undefined) return { slices: [], naiveCredits: 0 };
  const slice = draft(request, partition, { way, items: [], window: oneDay(today) }, "snapshot");
  return { slices: [slice], naiveCredits: slice.credits };
}

function planSeries(request: PlanRequest, partition: PlanPartition, covered: readonly Covered[]): Part {
  const { timing, today } = request;
  if (timing.kind !== "series") return { slices: [], naiveCredits: 0 };
  const window = askable(timing, today, request.bounds);
  const missing = missingDays({ timing, items: partition.items, window, covered, today });
  const fresh: Missing = new Map([...missing].map(([item, days]) => [item, days.fresh]));
  const restated: Missing = new Map([...missing].map(([item, days]) => [item, days.restated]));
  const newest = oneDay(addDays(today, -timing.settleDays));
  const slices = [
    ...cheapestCover(fresh, partition.ways).map((piece) =>
      draft(request, partition, piece, piece.window.start >= newest.start ? "daily" : "backfill"),
    ),
    ...cheapestCover(restated, partition.ways).map((piece) => draft(request, partition, piece, "lookback")),
  ];
  return { slices, naiveCredits: naivePrice(fresh, partition.ways) + naivePrice(restated, partition.ways) };
}

function draft(
  request: PlanRequest,
  partition: PlanPartition,
  piece: { way: Way; items: readonly string[]; window: Window },
  creditClass: CreditClass,
): SliceDraft {
  const requests = Math.max(1, Math.ceil(windowLength(piece.window) / piece.way.maxDays));
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
