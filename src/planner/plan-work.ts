import type { Settings } from "../config/settings.ts";
import { datasetNamed } from "../datasets/shared/all.ts";
import { isPaged } from "../datasets/shared/define-dataset.ts";
import type { OpenWork } from "../ledger/open-slices.ts";
import { planTotals } from "./plan-tally.ts";

/**
 * Work by dataset and class, added up over everything else that its lines distinguish. The lines are those of a plan, or open slices by
 * app.
 */
export function workOf(lines: readonly OpenWork[]): readonly OpenWork[] {
  return [...Map.groupBy(lines, (line) => `${line.dataset}\n${line.class}`).values()].flatMap((same) =>
    same.slice(0, 1).map(({ dataset, class: name }) => ({ dataset, class: name, ...planTotals(same) })),
  );
}

/** The datasets of some work whose answers have pages: their number is known only when the first is read. */
export function datasetsAtLeast(work: readonly Pick<OpenWork, "dataset">[], { datasets }: Settings): readonly string[] {
  return [...new Set(work.map(({ dataset }) => dataset))].filter((name) => {
    const dataset = datasetNamed(name);
    return isPaged(dataset) && (datasets[name]?.most_pages ?? dataset.mostPages) !== 1;
  });
}
