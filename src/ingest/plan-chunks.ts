import { wayOf } from "../api/ways.ts";
import type { DatasetSettings } from "../config/settings.ts";
import { addDays } from "../core/day.ts";
import type { Portfolio } from "../core/portfolio.ts";
import type { Timing, Way } from "../core/way.ts";
import type { Window } from "../core/window.ts";
import type { Dataset, Partition } from "../datasets/define-dataset.ts";
import { coverageReader, type CoverageReader } from "../ledger/coverage.ts";
import { askable } from "../plan/missing.ts";
import { inOrder, planDataset, type DatasetPlan, type PlanPartition } from "../plan/plan-dataset.ts";
import type { Database } from "../warehouse/database.ts";
import { isWanted } from "./only.ts";
import type { SyncRequest } from "./planning.ts";

/** All that planning one dataset starts from. */
export type DatasetPlanning = {
  readonly dataset: Dataset;
  readonly request: SyncRequest;
  readonly portfolio: Portfolio;
  /** Credits an operation was charged last, by its id. */
  readonly learned: ReadonlyMap<string, number>;
  readonly settings: DatasetSettings;
};

/**
 * The plan of one dataset, some partitions at a time in the order of their scopes: coverage is read for these alone, so that memory
 * does not grow with the account. No part depends on another.
 */
export async function* planInChunks(coverage: CoverageReader, planning: DatasetPlanning): AsyncGenerator<DatasetPlan> {
  const { dataset, request, settings } = planning;
  const timing = timingOf(dataset.timing, settings);
  for (const partitions of chunksOf(partitionsOf(planning))) {
    yield planDataset({
      dataset: dataset.name,
      timing,
      partitions: partitions.map((partition) => planPartition(partition, planning)),
      covered: await coverage.read(partitions.map(({ scope }) => scope)),
      today: request.today,
      bounds: request.bounds,
      // to read what is followed once more for each look at the market would only cost
      reprocess: dataset.stage === "market" ? (request.reprocess ?? "missing") : "missing",
    });
  }
}

/** What a plan of a dataset needs to know of what was asked for before. */
export function coverageFor(
  db: Database,
  { dataset, request, settings }: Pick<DatasetPlanning, "dataset" | "request" | "settings">,
): CoverageReader {
  return coverageReader(db, dataset.name, reachOf(timingOf(dataset.timing, settings), request));
}

/** The partitions that configuration and request leave, in the order of their scopes. */
export function partitionsOf({
  dataset,
  request,
  portfolio,
  settings,
}: Omit<DatasetPlanning, "learned">): readonly Partition[] {
  const { countries } = settings;
  const kept = dataset
    .partitions(portfolio)
    .filter(
      ({ scope }) => countries === undefined || scope["country"] === undefined || countries.includes(scope["country"]),
    )
    .filter(({ scope }) => request.only === undefined || isWanted(scope, dataset.stage, request.only));
  return inOrder(kept).map(({ partition }) => partition);
}

/** A chunk has at most so many items, or partitions: coverage and plan of one take some ten megabytes. */
const mostItems = 8_000;
const mostPartitions = 500;

function* chunksOf(partitions: readonly Partition[]): Iterable<readonly Partition[]> {
  let chunk: Partition[] = [];
  let items = 0;
  for (const partition of partitions) {
    chunk.push(partition);
    items += partition.items?.length ?? 0;
    if (items < mostItems && chunk.length < mostPartitions) continue;
    yield chunk;
    chunk = [];
    items = 0;
  }
  if (chunk.length > 0) yield chunk;
}

function planPartition(partition: Partition, { dataset, learned }: DatasetPlanning): PlanPartition {
  return {
    scope: partition.scope,
    items: partition.items,
    fingerprint: partition.fingerprint ?? "",
    expected: partition.expected ?? false,
    ways: dataset.operationsFor(partition.scope).map((operation): Way => {
      const way = wayOf(operation, learned);
      return dataset.wholeList?.operation === operation
        ? {
            ...way,
            maxItems: Number.POSITIVE_INFINITY,
            tracked: new Set(partition.tracked),
            calls: dataset.wholeList.calls(partition.scope),
          }
        : way;
    }),
  };
}

/** Of how far back the ledger matters: a plan need not read every slice ever made. */
function reachOf(timing: Timing, { today, bounds }: SyncRequest): Partial<Window> {
  return timing.kind === "series"
    ? askable(timing, today, bounds)
    : { start: addDays(today, -timing.refreshDays - openFor) };
}

/** Days after which an open snapshot slice is as good as forgotten. */
const openFor = 30;

/** A dataset's timing with what the configuration changes. */
function timingOf(timing: Timing, settings: DatasetSettings): Timing {
  if (timing.kind === "snapshot") return timing;
  return {
    ...timing,
    settleDays: settings.settle_days ?? timing.settleDays,
    lookbackDays: settings.lookback_days ?? timing.lookbackDays,
    historyDays: settings.history_days ?? timing.historyDays,
  };
}
