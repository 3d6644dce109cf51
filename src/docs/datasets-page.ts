import { describeDataset } from "../cli/describe.ts";
import { exampleWords, nightCosts, nightSum, nightFigure } from "../cli/night.ts";
import { datasets } from "../datasets/shared/all.ts";
import { pageText, markdownTable } from "./page.ts";
import { unstoredFields } from "./unstored-fields.ts";

/** The page of datasets: what each costs per night, where its rows are and when it is fetched. */
export async function datasetsPage(): Promise<string> {
  const costs = await nightCosts();
  const on = datasets.filter((dataset) => dataset.on).map(({ name }) => name);
  return pageText({
    file: "datasets.md",
    title: "Datasets",
    about: [
      "A dataset is a kind of data with its own tables. Cheap datasets are on by default, expensive ones are off. `config/storehouse.yaml` switches them on and off and limits them ([configuration](configuration.md)); `--dataset NAME` loads a dataset that is off. `npx storehouse datasets` prints this table for your settings.",
      `A night costs **${nightFigure(nightSum(costs, on))} credits** with the datasets that are on by default. The figures are for ${exampleWords}. They are averages per night once history is loaded, with default settings, documented prices and one page per answer. \`npx storehouse plan\` prices your own account. [Costs](reference/costs.md) shows a month for three sizes of account.`,
    ],
    body: [
      markdownTable(
        ["dataset", "default", "credits a night", "tables", "requested", "why"],
        datasets
          .map(describeDataset)
          .map((dataset) => [
            `\`${dataset.name}\``,
            dataset.on ? "on" : "off",
            nightFigure(costs.get(dataset.name) ?? 0),
            dataset.tables.map((name) => `\`${name}\``).join(", "),
            dataset.requested,
            dataset.why,
          ]),
      ),
      "## Notes",
      notes.map((note) => `- ${note}`).join("\n"),
      "## Fields without a column",
      "Every other field of an answer is in a column, or in the column `extra` of its row.",
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
  "**Reviews** have one row per review, as last reported. One call fetches all countries of an app; `most_pages` limits the pages for an app with very many reviews.",
  "**Search-ads reports** are fetched by day, 27 days in one call (`by_day: auto`). If the rows of that answer name no day, the same sync fetches each day separately; `plan` and the first sync announce this as *up to ... credits*. From then on, each night requests the days since the start of the last whole week (8 to 14 calls per organisation and level), and one call for each of the four or five earlier weeks that are still restated. Other days are requested again only if the sums of their week have changed, and `plan` shows that. If nothing has changed, this costs about 300 credits a night instead of 620; if everything has changed, it takes at most five calls more than requesting every day.",
  "**The account's own sales, retention and search ads** are requested only rarely while nothing is connected. An app that the account tracks counts as connected unless the account's list says otherwise, and any app does if figures of the last five weeks were loaded. With `source: config` only figures show it: the first plan requests whole periods of four weeks, and once it has found figures, each night requests the newest days.",
  "**Answers that end early**: if an answer says nothing about the last days of its window, these days become a separate slice, which is queued immediately and costs one more request. Days that two answers leave out are empty. The newest days may only be late: they count as empty and are fetched again on the following days. If days are requested in packs, they are fetched again with the next pack if its call has room for them. In datasets where days without rows are normal (releases, reviews, ranks), only a longer gap is requested once more.",
  "**Answers about a period** keep `period_start` and `period_end` and are never spread over days. Their windows follow a fixed grid, so that a later run requests the same windows.",
];
