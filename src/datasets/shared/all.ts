import { readdirSync } from "node:fs";
import { didYouMean } from "../../core/did-you-mean.ts";
import { fail } from "../../core/errors.ts";
import type { Slice } from "../../core/slice.ts";
import { isDataset, planningSourcesOf, stages, type Dataset } from "./define-dataset.ts";

/**
 * Every dataset in planning order: by stage, then after the datasets that provide its planning sources, then by name. A dataset is found by
 * its file in `src/datasets`; there is no list. No dataset's file may import this one, which waits for all of them.
 */
export const datasets: readonly Dataset[] = inPlanningOrder(await inFolder(new URL("../", import.meta.url)));

async function inFolder(folder: URL): Promise<readonly Dataset[]> {
  const files = readdirSync(folder).filter((name) => name.endsWith(".ts"));
  const modules: readonly object[] = await Promise.all(files.map((file) => import(new URL(file, folder).href)));
  return modules.flatMap((exported) => Object.values(exported).filter(isDataset));
}

/** Datasets by stage, then after those of the same stage that provide their planning sources, then by name. */
export function inPlanningOrder(all: readonly Dataset[]): readonly Dataset[] {
  const byName = all.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const ordered = new Set<Dataset>();
  const visited = new Set<Dataset>();
  const visit = (dataset: Dataset): void => {
    if (visited.has(dataset)) return;
    visited.add(dataset);
    for (const one of byName) if (provides(one, dataset)) visit(one);
    ordered.add(dataset);
  };
  for (const stage of stages) for (const dataset of byName) if (dataset.stage === stage) visit(dataset);
  return [...ordered];
}

function provides(dataset: Dataset, { stage, plannedFrom = [] }: Dataset): boolean {
  return dataset.stage === stage && planningSourcesOf(dataset).some(({ name }) => plannedFrom.includes(name));
}

/** The dataset of this name; throws `unknown_dataset` with the nearest name if there is none. */
export function datasetNamed(name: string): Dataset {
  const found = datasets.find((dataset) => dataset.name === name);
  if (found === undefined)
    throw fail("unknown_dataset", {
      dataset: name,
      near: didYouMean(
        name,
        datasets.map((one) => one.name),
      ),
    });
  return found;
}

/** The options of each dataset by name; null if it has none. */
export const datasetOptions: Readonly<Record<string, Dataset["options"]>> = Object.fromEntries(
  datasets.map(({ name, options }) => [name, options]),
);

/** True for a slice that a plan could also request by another operation; false if a call is for no slice. */
export function isAvoidable(slice: Pick<Slice, "dataset" | "scope" | "operation"> | undefined): boolean {
  const able = slice === undefined ? [] : datasetNamed(slice.dataset).operationsFor(slice.scope);
  return able.length > 1 && able.some(({ id }) => id === slice?.operation);
}
