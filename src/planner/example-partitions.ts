import { z } from "zod";
import type { DatasetSettings } from "../config/settings.ts";
import { day } from "../core/day.ts";
import type { Portfolio } from "../core/portfolio.ts";
import type { Timing } from "../core/timing.ts";
import { datasets } from "../datasets/shared/all.ts";
import type { Dataset, Partition } from "../datasets/shared/define-dataset.ts";
import { examplePortfolio } from "./example-portfolio.ts";
import { partitionsOf } from "./plan-chunks.ts";

/** Countries of the small account for which examples are made. */
export const exampleCountries = ["US", "JP"] as const;

/** Made once: reading the settings of all datasets needs it three times per dataset. */
let account: Portfolio | undefined;

/** What a dataset would request for a small synthetic account, to show the effect of its settings and options. */
export function examplePartitions(
  dataset: Dataset,
  { options, countries }: Pick<DatasetSettings, "options" | "countries"> = {},
): readonly Partition[] {
  account ??= examplePortfolio({ apps: 2, countries: exampleCountries, keywords: 1 }, datasets);
  return partitionsOf({
    dataset,
    portfolio: account,
    request: { datasets: [], bounds: {}, today: day("2026-06-15") },
    settings: { ...(options === undefined ? {} : { options }), ...(countries === undefined ? {} : { countries }) },
  });
}

/**
 * Partitions that its options could make: with the default options, and with all words of options that take several, combined with each
 * word of options that take one. An option with free text only narrows a call.
 */
export function possiblePartitions(dataset: Dataset): readonly Partition[] {
  let chosen: readonly Record<string, unknown>[] = [{}];
  for (const [name, schema] of Object.entries(dataset.options?.shape ?? {})) {
    const values = valuesOf(withoutDefault(schema));
    if (values.length > 0) chosen = chosen.flatMap((one) => values.map((value) => ({ ...one, [name]: value })));
  }
  return [{}, ...chosen].flatMap((options) => examplePartitions(dataset, { options }));
}

function valuesOf(type: unknown): readonly unknown[] {
  if (type instanceof z.ZodEnum) return type.options;
  return type instanceof z.ZodArray && type.element instanceof z.ZodEnum ? [type.element.options] : [];
}

function withoutDefault(schema: unknown): unknown {
  return schema instanceof z.ZodDefault ? schema.unwrap() : schema;
}

/** The timings of these partitions of a dataset; its own if there are none. */
export function timingsOf(dataset: Dataset, partitions: readonly Partition[]): readonly Timing[] {
  if (partitions.length === 0) return [dataset.timing];
  return [...new Set(partitions.map(({ timing }) => timing ?? dataset.timing))];
}
