import { describeDataset } from "../cli/describe.ts";
import { exampleWords, nightCosts, nightSum, nightWords } from "../cli/night.ts";
import { datasets } from "../datasets/shared/all.ts";
import { markdown } from "./markdown.ts";

/** README's table of datasets with what a night of each costs, and the sum of those that are on by default. */
export async function datasetTable(): Promise<string> {
  const costs = await nightCosts();
  const rows = datasets
    .map(describeDataset)
    .map(({ name, on, tables, rhythm, why }) => [
      `\`${name}\``,
      on ? "on" : "off",
      nightWords(costs.get(name) ?? 0),
      tables.map((table) => `\`${table}\``).join(", "),
      rhythm,
      why,
    ]);
  const on = datasets.filter((dataset) => dataset.on).map(({ name }) => name);
  return [
    markdown(["dataset", "default", "credits a night", "table", "asked for", "why"], rows),
    `A night costs **${nightWords(nightSum(costs, on))} credits** for all that is on by default. The figures are for ${exampleWords}: the mean of nights once history is loaded, at the settings that a dataset comes with, by the documented prices, with every answer on one page. \`storehouse plan\` prices your own account.`,
  ].join("\n\n");
}
