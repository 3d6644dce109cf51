import { addDays, day, type Day } from "../core/day.ts";
import { carries } from "../core/fetch-option.ts";
import type { Portfolio } from "../core/portfolio.ts";
import { scopeKey, type Scope, type SliceDraft } from "../core/slice.ts";
import type { DatasetSettings } from "../config/settings.ts";
import type { Timing } from "../core/timing.ts";
import { sumBy } from "../core/sum.ts";
import type { Dataset, Partition } from "../datasets/shared/define-dataset.ts";
import { fetchOptionFor } from "../datasets/shared/fetch-option-for.ts";
import type { CoverageReader } from "../ledger/coverage.ts";
import { countAsLoaded, withLoaded, type CountedAsLoaded } from "./counted-as-loaded.ts";
import { timingWith } from "./dataset-settings.ts";
import { partitionsOf, planInChunks, type DatasetPlanning } from "./plan-chunks.ts";

/** Nights are counted after this one; they include the end of a month and no leap day. */
const nightBefore = day("2026-06-15");
/** At least this many nights are counted. */
const fewestNights = 30;
/** A timing that repeats after more nights than this is counted only in part. */
const mostNights = 90;

/** Credits that a dataset takes: once for its history, then each night. */
export type ExpectedCredits = { readonly history: number; readonly night: number };

/** Settings of the dataset (its defaults if left out), the day of the first load, and the minimum number of nights. */
export type PricingOptions = {
  readonly settings?: DatasetSettings;
  readonly before?: Day;
  readonly nights?: number;
};

/** What a dataset costs per night in credits once its history is loaded. See `expectedCredits`. */
export async function nightCost(dataset: Dataset, portfolio: Portfolio): Promise<number> {
  return (await expectedCredits(dataset, portfolio)).night;
}

/**
 * What a dataset costs in credits: on the first night, which loads its history, and on each night after that. The latter is the mean of
 * consecutive nights, enough for all of its timings to repeat, planned by the real planner. It assumes that every answer has rows, does not
 * change, and has one page.
 */
export async function expectedCredits(
  dataset: Dataset,
  portfolio: Portfolio,
  { settings = {}, before = nightBefore, nights: wanted = fewestNights }: PricingOptions = {},
): Promise<ExpectedCredits> {
  const planningOn = (of: Dataset, today: Day): DatasetPlanning => ({
    dataset: of,
    portfolio,
    request: { datasets: [], bounds: {}, today },
    learned: new Map(),
    settings,
  });
  const kinds = kindsOf(dataset, partitionsOf(planningOn(dataset, before)));
  const partitions = kinds.flatMap((alike) => alike.slice(0, 1));
  const counts = new Map(kinds.map((alike, index) => [keyOf(partitions[index]), alike.length]));
  const sampled: Dataset = { ...dataset, partitions: () => partitions };
  const timings = [dataset.timing, ...partitions.flatMap(({ timing }) => timing ?? [])];
  const nights = nightsFor(
    timings.map((timing) => timingWith(timing, settings)),
    wanted,
  );
  const loaded: CountedAsLoaded = new Map();
  const coverage = withLoaded(nothingRequested, loaded);
  const planNight = async (night: number): Promise<number> => {
    const slices: SliceDraft[] = [];
    const planning = planningOn(sampled, addDays(before, night));
    for await (const { plan } of planInChunks(coverage, planning)) slices.push(...plan.slices);
    countAsLoaded(loaded, slices);
    return sumBy(slices, (slice) => slice.credits * (counts.get(scopeKey(slice.scope)) ?? 0));
  };
  const history = await planNight(0);
  let credits = 0;
  for (let night = 1; night <= nights; night += 1) credits += await planNight(night);
  return { history, night: credits / nights };
}

/** Partitions by cost: those of one kind differ only in their subject, so one of them represents all. */
function kindsOf(dataset: Dataset, all: readonly Partition[]): readonly (readonly Partition[])[] {
  return [...Map.groupBy(all, (partition) => kindOf(dataset, partition)).values()];
}

function kindOf(dataset: Dataset, partition: Partition): string {
  const operations = dataset.operationsFor(partition.scope);
  // there are many partitions of a keyword each, and they differ in nothing else
  if (dataset.wholeList === undefined && partition.items === null && partition.timing === undefined)
    return operations.map(({ id }) => id).join();
  const fetchOptions = operations
    .map((operation) => fetchOptionFor(dataset, operation, partition, new Map()))
    .map((option) => ({
      ...option,
      tracked: option.tracked?.size ?? null,
      carried: partition.items?.filter((item) => carries(option, item)).length ?? null,
    }));
  return JSON.stringify([fetchOptions, partition.items?.length ?? null, partition.timing ?? null]);
}

function keyOf(partition: { readonly scope: Scope } | undefined): string {
  return partition === undefined ? "" : scopeKey(partition.scope);
}

/** The coverage of a ledger without requests. */
const nothingRequested: CoverageReader = { read: () => Promise.resolve(new Map()) };

/** The number of nights after which all timings have repeated a whole number of times. */
function nightsFor(timings: readonly Timing[], fewest: number): number {
  const common = timings.map(daysOf).reduce(leastCommonMultiple, 1);
  return common > mostNights ? mostNights : common * Math.ceil(fewest / common);
}

/** Days until a timing requests the same again. A month counts as thirty days; what is requested only once never repeats. */
function daysOf(timing: Timing): number {
  if (timing.kind === "snapshot") return timing.refreshDays > mostNights ? 1 : timing.refreshDays;
  const packed = timing.packDays ?? 1;
  if (timing.kind === "series") return packed;
  return leastCommonMultiple(packed, "days" in timing.grid ? timing.grid.days : fewestNights);
}

function leastCommonMultiple(a: number, b: number): number {
  const divisor = (x: number, y: number): number => (y === 0 ? x : divisor(y, x % y));
  return (a * b) / divisor(a, b);
}
