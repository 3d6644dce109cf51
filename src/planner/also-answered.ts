import { isOn, type Settings } from "../config/settings.ts";
import { addDays, type Day } from "../core/day.ts";
import type { Slice } from "../core/slice.ts";
import type { Window } from "../core/window.ts";
import { datasetNamed, datasets } from "../datasets/shared/all.ts";
import type { Dataset } from "../datasets/shared/define-dataset.ts";
import { requestable } from "../plan/missing.ts";
import { settingsOf, timingWith } from "./dataset-settings.ts";

/**
 * Another dataset that answers of a slice report as well, and the days that a sync may request of it and that are final; null where the
 * configuration does not want it.
 */
type AlsoWanted = (
  slice: Pick<Slice, "dataset" | "scope">,
  today: Day,
) => { readonly target: Dataset; readonly within: Window } | null;

/** The datasets that answers of others report as well, by these settings: an option of such a dataset says so, and both are on. */
export function reportedDatasets(settings: Settings): ReadonlySet<string> {
  return new Set(
    datasets.flatMap((source) => {
      if (source.alsoAnswers === undefined || !isOn(source, settings) || !reports(source, settings)) return [];
      return isOn(datasetNamed(source.alsoAnswers.dataset), settings) ? [source.alsoAnswers.dataset] : [];
    }),
  );
}

/** Whether the option of a dataset that loads what its answers report of another one is set. */
function reports({ name, alsoAnswers, options }: Dataset, settings: Settings): boolean {
  const own = options?.parse(settings.datasets[name]?.options ?? {}) ?? {};
  return alsoAnswers !== undefined && own[alsoAnswers.option] === true;
}

/** What of answers is loaded into tables of other datasets, by these settings: an option of the dataset says so, and the other one is on. */
export function alsoWanted(settings: Settings): AlsoWanted {
  return ({ dataset: name, scope }, today) => {
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
