import type { DatasetSettings } from "../config/settings.ts";
import { addMonths, day, daysBetween } from "../core/day.ts";
import { datasetNamed } from "../datasets/shared/all.ts";
import { canLearn } from "./lookback.ts";
import { isKeptByMonth } from "./dataset-settings.ts";
import { isPaged, type Dataset, type Partition } from "../datasets/shared/define-dataset.ts";
import { fetchOptionFor } from "../datasets/shared/fetch-option-for.ts";
import { exampleCountries, examplePartitions, timingsOf } from "./example-partitions.ts";

/** Settings that would not affect a dataset, each with the reason: a person who sets one expects an effect. */
export type Unusable = Partial<Record<keyof DatasetSettings, string>>;

/** The settings of a dataset that cannot be used with its options, judged by what it would request for a synthetic account. */
export function unusableSettings(name: string, { options, ...given }: DatasetSettings): Unusable {
  const dataset = datasetNamed(name);
  const partitions = examplePartitions(dataset, { options });
  // its planning source may be too special for a synthetic one
  const whom = partitions.length === 0 ? {} : whomUnusable(dataset, partitions, options);
  return {
    ...whom,
    ...whenUnusable(dataset, partitions),
    ...(canLearn(dataset) ? {} : { lookback: "its figures are not compared from night to night" }),
    ...(isPaged(dataset) ? {} : { most_pages: "its answers have no pages" }),
    ...(isKeptByMonth(dataset) ? {} : { partitions: notByMonth }),
    ...keepUnusable(dataset, given),
  };
}

const notByMonth = "its rows are not in monthly partitions";

function keepUnusable(dataset: Dataset, { keep_months: keepMonths, ...given }: DatasetSettings): Unusable {
  if (keepMonths === undefined) return {};
  if (!isKeptByMonth(dataset)) return { keep_months: notByMonth };
  const kept = fewestDays(keepMonths);
  const reason = `keep_months: ${keepMonths} keeps as few as ${kept} days`;
  const isLonger = (days: number | undefined) => days !== undefined && days > kept;
  return {
    ...(isLonger(given.history_days) ? { history_days: reason } : {}),
    ...(isLonger(given.lookback_days) ? { lookback_days: reason } : {}),
    // stored rows would be dropped before they are requested again
    ...(isLonger(given.refresh_days) ? { refresh_days: reason } : {}),
  };
}

/** The minimum number of days in this many whole months, starting with any month, in years without a leap day. */
function fewestDays(months: number): number {
  const starts = Array.from({ length: 12 }, (_, index) => addMonths(day("2097-01-01"), index));
  return Math.min(...starts.map((start) => daysBetween(start, addMonths(start, months))));
}

function whomUnusable(
  dataset: Dataset,
  partitions: readonly Partition[],
  options: DatasetSettings["options"],
): Unusable {
  const whom = (some: readonly Partition[]) => JSON.stringify(some.map(({ scope, items }) => [scope, items]));
  const isNarrowed = exampleCountries.some(
    (one) => whom(examplePartitions(dataset, { options, countries: [one] })) !== whom(partitions),
  );
  const hasDevice = partitions.some(({ scope }) => scope["device"] !== undefined);
  return {
    ...(isNarrowed ? {} : { countries: "its requests are the same for all countries" }),
    ...(hasDevice ? {} : { devices: "its requests are the same for all devices" }),
  };
}

function whenUnusable(dataset: Dataset, partitions: readonly Partition[]): Unusable {
  const kinds = new Set(timingsOf(dataset, partitions).map(({ kind }) => kind));
  const isOnlyNow = kinds.size === 1 && kinds.has("snapshot");
  if (isOnlyNow) {
    const reason = "an answer is for the day of its request; refresh_days sets how often it is requested";
    return {
      start: reason,
      history_days: reason,
      settle_days: reason,
      lookback_days: reason,
      pack_days: reason,
      longest_window: reason,
    };
  }
  const refresh = kinds.has("snapshot")
    ? {}
    : { refresh_days: "it requests past days; lookback_days sets which are requested again" };
  if (!kinds.has("series")) {
    const reason = "it requests whole periods of a fixed calendar";
    return { ...refresh, pack_days: reason, longest_window: reason };
  }
  return spansDays(dataset, partitions) ? refresh : { ...refresh, longest_window: "each of its calls is for one day" };
}

/** True if some call of the dataset may be about several days. */
function spansDays(dataset: Dataset, partitions: readonly Partition[]): boolean {
  return partitions.some((partition) =>
    dataset
      .operationsFor(partition.scope)
      .some((operation) => fetchOptionFor(dataset, operation, partition, new Map()).maxDays > 1),
  );
}
