import { describeDataset } from "../cli/describe.ts";
import { exampleWords, nightCosts, nightSum, nightFigure } from "../cli/night.ts";
import { datasets } from "../datasets/shared/all.ts";
import { pageText, markdownTable } from "./page.ts";
import { unstoredFields } from "./unstored-fields.ts";

/** The page of datasets: what each costs a night, where its rows are and when it is fetched. */
export async function datasetsPage(): Promise<string> {
  const costs = await nightCosts();
  const on = datasets.filter((dataset) => dataset.on).map(({ name }) => name);
  return pageText({
    file: "datasets.md",
    title: "Datasets",
    about: [
      "A dataset is something worth a table. Cheap datasets are on by default, dear ones are off. `config/storehouse.yaml` switches them on and off and narrows them ([configuration](configuration.md)); `--dataset NAME` loads one that is off. `npx storehouse datasets` prints this table for your settings.",
      `A night costs **${nightFigure(nightSum(costs, on))} credits** for all that is on by default. The figures are for ${exampleWords}. They are the mean of nights once history is loaded, at default settings and documented prices, with one page an answer. \`npx storehouse plan\` prices your own account. [Costs](reference/costs.md) has a month for three sizes of account.`,
    ],
    body: [
      markdownTable(
        ["dataset", "default", "credits a night", "table", "fetched", "why"],
        datasets
          .map(describeDataset)
          .map((dataset) => [
            `\`${dataset.name}\``,
            dataset.on ? "on" : "off",
            nightFigure(costs.get(dataset.name) ?? 0),
            dataset.tables.map((name) => `\`${name}\``).join(", "),
            dataset.rhythm,
            dataset.why,
          ]),
      ),
      "## Notes",
      notes.map((note) => `- ${note}`).join("\n"),
      "## Fields without a column",
      "Every other field of every answer is in a column, or in the column `extra` of its row.",
      markdownTable(
        ["operation", "field", "why"],
        unstoredFields.map(({ operations, fields, why }) => [
          operations.map((id) => `\`${id}\``).join(", "),
          fields === undefined ? "all" : fields.map((field) => `\`${field}\``).join(", "),
          why,
        ]),
      ),
    ],
  });
}

const notes = [
  "**Reviews** are one row a review as last reported. One call fetches all countries of an app; `most_pages` limits an app with very many reviews.",
  "**Search-ads reports** come by day, in one call of 27 days (`by_day: auto`). Where that answer names no day, the same sync fetches each day separately, which `plan` and the first sync announce as *up to ... credits*. From then on a night requests the days since the start of the last whole week, 8 to 14 calls an organisation and level, and one call for each of the four or five weeks before that are still restated; other days are requested again only where the sums of their week have changed; `plan` says so. That is about 300 credits a night instead of 620 where nothing moved, and at most five calls more than every day where everything did.",
  "**The account's own sales, retention and search ads** are fetched seldom while nothing is connected.",
  "**Answers that end early**: days at the end of a window of which the answer says nothing become a slice of their own, queued at once, at the price of one more request. Days that two answers leave out are empty. The newest days may only be late: they count as empty and are fetched again on the next days, those of a pack with the next pack where its call has room for them. Where days without rows are ordinary (releases, reviews, ranks), only a longer silence is requested once more.",
  "**Answers about a period** keep `period_start` and `period_end` and are never spread over days. Their windows follow a fixed grid, so that a later run requests the same ones.",
];
