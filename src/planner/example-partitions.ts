import type { DatasetSettings } from "../config/settings.ts";
import { day } from "../core/day.ts";
import type { Timing } from "../core/timing.ts";
import { datasets } from "../datasets/shared/all.ts";
import type { Dataset, Partition } from "../datasets/shared/define-dataset.ts";
import { examplePortfolio } from "./example-portfolio.ts";
import { partitionsOf } from "./plan-chunks.ts";

/** Countries of the small account for which examples are made. */
export const exampleCountries = ["US", "JP"] as const;

/** What a dataset would request for a small made-up account: what its settings and options do shows there. */
export function examplePartitions(
  dataset: Dataset,
  { options, countries }: Pick<DatasetSettings, "options" | "countries"> = {},
): readonly Partition[] {
  return partitionsOf({
    dataset,
    portfolio: examplePortfolio({ apps: 2, countries: exampleCountries, keywords: 1 }, datasets),
    request: { datasets: [], bounds: {}, today: day("2026-06-15") },
    settings: { ...(options === undefined ? {} : { options }), ...(countries === undefined ? {} : { countries }) },
  });
}

/** The timings by which these partitions of a dataset go; its own where there are none. */
export function timingsOf(dataset: Dataset, partitions: readonly Partition[]): readonly Timing[] {
  if (partitions.length === 0) return [dataset.timing];
  return [...new Set(partitions.map(({ timing }) => timing ?? dataset.timing))];
}
