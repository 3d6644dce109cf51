import { type Command } from "commander";
import type { Settings } from "../../config/settings.ts";
import { isCovered, limitWords, type CreditBudget } from "../../core/credit-budget.ts";
import { budgetsOf } from "../../config/credit-budgets.ts";
import { fail } from "../../core/errors.ts";
import { datasetPrices, type DatasetPrice } from "../../planner/portfolio-price.ts";
import { countArgument, several } from "../arguments.ts";
import { nightFigure } from "../night.ts";
import { print, printJson } from "../output.ts";
import { countOf } from "../../core/words.ts";
import { roughApps, type RoughSize, whyTooLarge } from "../setup.ts";
import { nightsAMonth } from "../step-price.ts";
import { table } from "../table.ts";
import { loadConfig } from "../with-app.ts";
import { sumBy } from "../../core/sum.ts";

type Options = RoughSize & { readonly dataset: readonly string[]; readonly json?: true };

/** `storehouse estimate`: what an account of a given size would cost, before there is one. */
export function defineEstimate(command: Command): void {
  command
    .requiredOption("--apps <number>", "apps, half of each store", countArgument)
    .requiredOption("--countries <number>", "countries of each app", countArgument)
    .requiredOption("--keywords <number>", "keywords of each app and country", countArgument)
    .addOption(several("--dataset <name>", "this dataset and those it is planned from", "those that are on"))
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      "\nPriced by the planner with the settings of this folder, at documented prices and one page per answer. Needs no account and no database.",
    )
    .action(async ({ dataset, json, ...size }: Options) => {
      const problem = whyTooLarge(size);
      if (problem !== null) throw fail("bad_argument", { problem });
      const estimate = await estimateOf(size, dataset);
      if (json) printJson({ ...size, ...estimate });
      else printEstimate(size, estimate);
    });
}

type Line = DatasetPrice & { readonly month: number };
type Estimate = {
  readonly datasets: readonly Line[];
  readonly total: Omit<Line, "dataset">;
  /** Budgets that are smaller than the price of their nights. */
  readonly tooSmall: readonly SmallBudget[];
};
type SmallBudget = CreditBudget & { readonly needed: number };

async function estimateOf(size: RoughSize, names: readonly string[]): Promise<Estimate> {
  const { settings } = loadConfig();
  const prices = await datasetPrices({ apps: roughApps(size), settings, datasets: names });
  const datasets = prices.map((price) => ({ ...price, month: nightsAMonth * price.night }));
  const total = {
    first: sumBy(datasets, ({ first }) => first),
    night: sumBy(datasets, ({ night }) => night),
    connectedFirst: sumBy(datasets, ({ connectedFirst }) => connectedFirst),
    connected: sumBy(datasets, ({ connected }) => connected),
    month: sumBy(datasets, ({ month }) => month),
  };
  return { datasets, total, tooSmall: tooSmall(settings, datasets) };
}

/** Budgets that are smaller than the cost of their datasets. Those of app groups are left out: their apps are not known yet. */
function tooSmall(settings: Settings, lines: readonly Line[]): readonly SmallBudget[] {
  return budgetsOf(settings).flatMap((budget) => {
    const own = lines.filter(({ dataset }) => isCovered({ dataset, app: null }, budget));
    const needed = Math.round(sumBy(own, ({ night, month }) => (budget.period === "day" ? night : month)));
    return needed > budget.credits ? [{ ...budget, needed }] : [];
  });
}

function printEstimate(
  { apps, countries, keywords }: RoughSize,
  { datasets, total, tooSmall: budgets }: Estimate,
): void {
  const words = [
    `${countOf(apps, "app")} (half of each store)`,
    countOf(countries, "country", "countries"),
    `${countOf(keywords, "keyword")} per app and country`,
  ];
  print(`${words.join(", ")}:\n`);
  const cells = ({ first, night, month }: Omit<Line, "dataset">) => [
    Math.round(first),
    nightFigure(night),
    Math.round(month),
  ];
  const shown = datasets.filter(({ first, night }) => first + night > 0).sort((a, b) => b.month - a.month);
  const rows = [...shown.map((line) => [line.dataset, ...cells(line)]), ["total", ...cells(total)]];
  print(table(["dataset", "first sync", "credits a night", "30 nights"], rows));
  for (const { needed, ...budget } of budgets)
    print(
      `\nThe budget ${limitWords(budget)} is too small: its datasets need about ${countOf(needed, "credit")} a ${budget.period}. The rest is deferred, except for what would be lost for good.`,
    );
  if (Math.round(total.connected) > 0)
    print(
      `\nEach connected search-ads account adds about ${countOf(Math.round(total.connectedFirst), "credit")} to the first sync, then ${countOf(Math.round(total.connected), "credit")} a night, ${countOf(Math.round(nightsAMonth * total.connected), "credit")} in 30 nights, more if its reports have several pages.`,
    );
}
