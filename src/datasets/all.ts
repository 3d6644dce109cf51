import { fail } from "../core/errors.ts";
import { appChange } from "./app-change.ts";
import { appHistory } from "./app-history.ts";
import { appMatch } from "./app-match.ts";
import { appRating } from "./app-rating.ts";
import { appVersion } from "./app-version.ts";
import { categoryRank } from "./category-rank.ts";
import type { Dataset } from "./define-dataset.ts";
import { keywordMetadata } from "./keyword-metadata.ts";
import { keywordRank } from "./keyword-rank.ts";
import { monthlyEstimate } from "./monthly-estimate.ts";
import { organicKeyword } from "./organic-keyword.ts";
import { topKeyword } from "./top-keyword.ts";
import { trackedApps } from "./tracked-app.ts";
import { trackedCountry } from "./tracked-country.ts";
import { trackedKeyword } from "./tracked-keyword.ts";
import { visibility } from "./visibility.ts";

/** Every dataset; those that tell what is followed first, each after what it is planned from. */
export const datasets: readonly Dataset[] = [
  trackedApps,
  trackedCountry,
  trackedKeyword,
  appVersion,
  keywordRank,
  keywordMetadata,
  topKeyword,
  organicKeyword,
  appHistory,
  appRating,
  appChange,
  categoryRank,
  visibility,
  appMatch,
  monthlyEstimate,
];

/** The dataset of this name; throws a UsageError when there is none. */
export function datasetNamed(name: string): Dataset {
  const found = datasets.find((dataset) => dataset.name === name);
  if (found === undefined) throw fail("unknown_dataset", { dataset: name });
  return found;
}

/** What is special to each dataset, by its name. */
export const datasetOptions: Readonly<Record<string, Dataset["options"]>> = Object.fromEntries(
  datasets.map(({ name, options }) => [name, options]),
);
