import type { Operation } from "../api/define-operation.ts";
import type { DatasetSettings } from "../config/settings.ts";
import type { FetchOption, Pages } from "../core/fetch-option.ts";
import type { Portfolio } from "../core/portfolio.ts";
import { gathered, readAhead } from "../core/read-ahead.ts";
import { scopeKey, type Covered } from "../core/slice.ts";
import type { Timing } from "../core/timing.ts";
import { isPaged, type Dataset, type Partition } from "../datasets/shared/define-dataset.ts";
import { fetchOptionFor } from "../datasets/shared/fetch-option-for.ts";
import { mostPagesOf, withMostPages } from "../datasets/shared/scope-limits.ts";
import type { CoverageReader, LastPages } from "../ledger/coverage.ts";
import type { Reprocess } from "../plan/missing.ts";
import { inOrder, planDataset } from "../plan/plan-dataset.ts";
import type { DatasetPlan, PlanPartition } from "../plan/plan-request.ts";
import { inGroups } from "../core/partition-group.ts";
import { isWanted, type SyncRequest } from "./request.ts";
import { timingWith } from "./dataset-settings.ts";
import { learnedTiming } from "./lookback.ts";

/** All that planning one dataset starts from. */
export type DatasetPlanning = {
  readonly dataset: Dataset;
  readonly request: SyncRequest;
  readonly portfolio: Portfolio;
  /** Credits an operation was charged last, by its id. */
  readonly learned: ReadonlyMap<string, number>;
  readonly settings: DatasetSettings;
  /** The learned days of lookback; left out if the fixed ones apply. */
  readonly lookbackDays?: number | undefined;
};

/** Some partitions of one dataset: what was requested before, by `scopeKey`, and what must be requested now. */
export type PlannedChunk = {
  readonly partitions: readonly Partition[];
  readonly covered: ReadonlyMap<string, readonly Covered[]>;
  readonly plan: DatasetPlan;
  /** When a partition is worth a request, with the changes of the configuration. */
  readonly timingOf: (partition: Partition) => Timing;
};

/**
 * The plan of one dataset, some partitions at a time in the order of their scopes: coverage, and the page counts of the last answers, are
 * read only for these, so that memory does not grow with the account. No part depends on another. `planned`: which part of a partition is
 * planned, given what was requested before; all of it if left out.
 */
export async function* planInChunks(
  coverage: CoverageReader,
  planning: DatasetPlanning,
  planned: (partition: Partition, covered: readonly Covered[]) => Partition = (partition) => partition,
): AsyncGenerator<PlannedChunk> {
  const { dataset, request, settings } = planning;
  const timingOf = (partition: Partition) => partitionTiming(partition, planning);
  const read = async (chunks: readonly (readonly Partition[])[]) => {
    const scopes = chunks.flat().map(({ scope }) => scope);
    const covered = await coverage.read(scopes);
    const last: LastPages = (isPaged(dataset) ? await coverage.lastPages?.(scopes) : undefined) ?? new Map();
    return { chunks, covered, last };
  };
  const together = gathered(chunksOf(partitionsOf(planning)), {
    most: coverage.scopesAtOnce ?? 1,
    weigh: ({ length }) => length,
  });
  // while one part is planned and written the database reads the next
  for await (const { chunks, covered, last } of readAhead(together, read))
    for (const chunk of chunks) {
      const partitions = chunk.map((partition) => planned(partition, covered.get(scopeKey(partition.scope)) ?? []));
      const plan = planDataset({
        dataset: dataset.name,
        timing: timingWith(dataset.timing, settings, request.today),
        partitions: partitions.map((partition) => planPartition(partition, planning, last)),
        covered,
        today: request.today,
        bounds: request.bounds,
        reprocess: reprocessOf(planning),
      });
      yield { partitions, covered, plan, timingOf };
    }
}

/** Which cells a plan requests again. Requesting the portfolio again for each plan of the market would only cost credits. */
export function reprocessOf({ dataset, request }: Pick<DatasetPlanning, "dataset" | "request">): Reprocess {
  return dataset.stage === "market" ? (request.reprocess ?? "missing") : "missing";
}

/** The partitions that configuration and request leave, in the order of their scopes. */
export function partitionsOf({
  dataset,
  request,
  portfolio,
  settings,
}: Omit<DatasetPlanning, "learned">): readonly Partition[] {
  const { countries, devices, options } = settings;
  const mostPages = isPaged(dataset) ? (settings.most_pages ?? dataset.mostPages) : undefined;
  const isChosen = inGroups(dataset.name, request.only?.groups ?? []);
  const within = (chosen: readonly string[] | undefined, value: string | undefined) =>
    chosen === undefined || value === undefined || chosen.includes(value);
  const kept = dataset
    .partitions(inCountries(portfolio, countries), options)
    .filter(({ scope }) => within(countries, scope["country"]) && within(devices, scope["device"]))
    .filter(({ scope }) => isChosen(scope))
    .map((partition) => ({ ...partition, scope: withMostPages(partition.scope, mostPages) }))
    .filter(({ scope }) => request.only === undefined || isWanted(scope, dataset, request.only));
  return inOrder(kept).map(({ partition }) => partition);
}

/** A portfolio without the countries that a dataset is not requested for; a batch of items may name countries that no scope names. */
function inCountries(portfolio: Portfolio, countries: readonly string[] | undefined): Portfolio {
  if (countries === undefined) return portfolio;
  const apps = portfolio.apps.map((app) => ({
    ...app,
    countries: app.countries.filter(({ country }) => countries.includes(country)),
  }));
  return { ...portfolio, apps };
}

/** A chunk has at most this many items, or partitions: its coverage and plan take some ten megabytes. */
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

/** When a partition is worth a request: with the changes of the configuration and the learned lookback. */
function partitionTiming(
  { scope, timing }: Partition,
  { dataset, request: { today }, settings, lookbackDays }: DatasetPlanning,
): Timing {
  return learnedTiming(
    timingWith(timing ?? dataset.timing, settings, today),
    { dataset: dataset.name, lookbackDays, today },
    scope,
  );
}

function planPartition(partition: Partition, planning: DatasetPlanning, last: LastPages): PlanPartition {
  const { dataset } = planning;
  const pages = last.size === 0 ? undefined : last.get(scopeKey(partition.scope));
  return {
    scope: partition.scope,
    items: partition.items,
    fingerprint: partition.fingerprint ?? "",
    expected: partition.expected ?? false,
    timing: partitionTiming(partition, planning),
    fetchOptions: dataset
      .operationsFor(partition.scope)
      .map((operation) => optionFor(planning, partition, operation, pages)),
  };
}

/** What a call of an operation can fetch for a partition, with the page count of its last answers. */
export function optionFor(
  { dataset, learned, settings }: Pick<DatasetPlanning, "dataset" | "learned" | "settings">,
  partition: Pick<Partition, "scope" | "tracked">,
  operation: Operation,
  lastPages: ReadonlyMap<string, Pages> | undefined,
): FetchOption {
  const longest = settings.longest_window ?? dataset.longestWindow ?? Number.POSITIVE_INFINITY;
  const option = fetchOptionFor(dataset, operation, partition, learned);
  const pages = lastPages?.get(operation.id);
  const known = pages === undefined ? {} : { pages: { ...pages, most: mostPagesOf(partition) } };
  return { ...option, maxDays: Math.min(option.maxDays, longest), isPaged: isPaged(dataset), ...known };
}
