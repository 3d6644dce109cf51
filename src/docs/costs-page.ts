import { datasets } from "../datasets/shared/all.ts";
import { accountSizes, appDatasets, searchAdsDatasets, sizeWords, sumWords, type AccountCost } from "./costs.ts";
import { pageText, markdownTable } from "./page.ts";

/** The page of costs: what each dataset costs for the three sizes of account. */
export function costsPage(costs: readonly AccountCost[]): string {
  const off = datasets.filter(({ on }) => !on).map(({ name }) => name);
  return pageText({
    file: "reference/costs.md",
    title: "Costs",
    about: [
      "Credits for three sizes of account. Half of the apps are in each store; each app is tracked in all of the countries, with its own keywords in each country. *First* is the first sync with its default history. *Month* is the 30 nights after that. The figures come from the planner, at default settings and documented prices, with one page per answer. `npx storehouse plan` prices your own account, and `npx storehouse schedule` prices its next nights.",
    ],
    body: [
      "## On by default",
      costTable(costs, [
        ...appDatasets.map((name) => rowOf(costs, `\`${name}\``, [name])),
        rowOf(costs, "**all of these**", appDatasets),
        ...searchAdsDatasets.map((name) => rowOf(costs, `\`${name}\`, where search ads are connected`, [name])),
        rowOf(costs, "**with search ads**", [...appDatasets, ...searchAdsDatasets]),
      ]),
      "## Off by default",
      costTable(
        costs,
        off.map((name) => rowOf(costs, `\`${name}\``, [name])),
      ),
    ],
  });
}

/** The costs in README: an account of each size, and what connected search ads add. */
export function costSummary(costs: readonly AccountCost[]): string {
  const rows = accountSizes.map((size, index) => {
    const cost = costs[index] ?? new Map();
    return [sizeWords(size), sumWords(cost, "first", appDatasets), sumWords(cost, "month", appDatasets)];
  });
  const added = (kind: "first" | "month") => sumWords(costs[0] ?? new Map(), kind, searchAdsDatasets);
  return [
    `A connected search-ads account adds ${added("first")} to the first sync and ${added("month")} a month to each of these sizes.`,
    markdownTable(["account", "credits for the first sync", "credits per month"], rows),
  ].join("\n\n");
}

function costTable(costs: readonly AccountCost[], rows: readonly (readonly string[])[]): string {
  const headings = costs.flatMap((_, index) => {
    const size = accountSizes[index];
    return size === undefined ? [] : [`${sizeWords(size)}: first`, "month"];
  });
  return markdownTable(["dataset", ...headings], rows);
}

function rowOf(costs: readonly AccountCost[], label: string, names: readonly string[]): readonly string[] {
  return [label, ...costs.flatMap((cost) => [sumWords(cost, "first", names), sumWords(cost, "month", names)])];
}
