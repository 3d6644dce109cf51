import { fail } from "../core/errors.ts";
import type { Dataset } from "./define-dataset.ts";
import { keywordMetadata } from "./keyword-metadata.ts";
import { keywordRank } from "./keyword-rank.ts";
import { organicKeyword } from "./organic-keyword.ts";
import { topKeyword } from "./top-keyword.ts";
import { trackedApps } from "./tracked-app.ts";
import { trackedCountry } from "./tracked-country.ts";
import { trackedKeyword } from "./tracked-keyword.ts";

/** Every dataset; those that tell what is followed first, each after what it is planned from. */
export const datasets: readonly Dataset[] = [
  trackedApps,
  trackedCountry,
  trackedKeyword,
  keywordRank,
  keywordMetadata,
  topKeyword,
  organicKeyword,
];

/** The dataset of this name; throws a UsageError when there is none. */
export function datasetNamed(name: string): Dataset {
  const found = datasets.find((dataset) => dataset.name === name);
  if (found === undefined) throw fail("unknown_dataset", { dataset: name });
  return found;
}
