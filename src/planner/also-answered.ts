import { isOn, type Settings } from "../config/settings.ts";
import { addDays, type Day } from "../core/day.ts";
import type { Slice } from "../core/slice.ts";
import { datasetNamed, datasets } from "../datasets/shared/all.ts";
import type { Dataset } from "../datasets/shared/define-dataset.ts";
import { requestable } from "../plan/missing.ts";
import { settingsOf, timingWith } from "./dataset-settings.ts";

/**
 * The datasets that answers of other datasets report too, according to these settings: an option of the other dataset says so, and both are
 * on.
 */
export function reportedDatasets(settings: Settings): ReadonlySet<string> {
  return new Set(
    datasets.flatMap((source) => {
      if (source.alsoAnswers === undefined || !isOn(source, settings) || !reports(source, settings)) return [];
      return isOn(datasetNamed(source.alsoAnswers.dataset), settings) ? [source.alsoAnswers.dataset] : [];
    }),
  );
}

/** True if a dataset has the option set that loads the figures of another dataset from its answers. */
function reports({ name, alsoAnswers, options }: Dataset, settings: Settings): boolean {
  const own = options?.parse(settings.datasets[name]?.options ?? {}) ?? {};
  return alsoAnswers !== undefined && own[alsoAnswers.option] === true;
}

/**
 * Finds the other dataset that answers of a slice are loaded into too, and those of its days that a sync may request and that are final;
 * null unless an option of the dataset says so and the other one is on.
 */
export function alsoWanted(settings: Settings) {
  return ({ dataset: name, scope }: Pick<Slice, "dataset" | "scope">, today: Day) => {
    const source = datasetNamed(name);
    const { alsoAnswers } = source;
    if (alsoAnswers === undefined || !reports(source, settings)) return null;
    const target = datasetNamed(alsoAnswers.dataset);
    const { countries, ...rest } = settingsOf(target, settings);
    const isElsewhere = countries !== undefined && !countries.includes(scope["country"] ?? "");
    const timing = timingWith(target.timing, rest, today);
    if (!isOn(target, settings) || isElsewhere || timing.kind === "snapshot") return null;
    const { start, end } = requestable(timing, today, {});
    return { target, within: { start, end: addDays(end, -timing.lookbackDays) } };
  };
}
