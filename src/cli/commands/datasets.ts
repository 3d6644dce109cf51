import type { Command } from "commander";
import { datasets } from "../../datasets/shared/all.ts";
import { describeDataset } from "../describe.ts";
import { loadConfig } from "../with-app.ts";
import { exampleWords, nightCosts, nightSum, nightFigure } from "../night.ts";
import { print, printJson } from "../output.ts";
import { optional, table } from "../table.ts";
import { isOn } from "../../config/settings.ts";

/** `storehouse datasets`: what can be loaded. */
export function defineDatasets(command: Command): void {
  command.option("--json", "as JSON").action(async (options: { json?: true }) => {
    const { settings } = loadConfig();
    const costs = await nightCosts();
    const described = datasets.map((dataset) => ({
      ...describeDataset(dataset),
      on: isOn(dataset, settings),
      creditsANight: costs.get(dataset.name) ?? 0,
    }));
    if (options.json) {
      printJson(described);
      return;
    }
    const rows = described.map((dataset) => [
      dataset.name,
      dataset.on ? "on" : "off",
      nightFigure(dataset.creditsANight),
      dataset.tables.join(", "),
      dataset.requested,
      dataset.why,
    ]);
    print(table(["dataset", "now", "credits a night", optional("tables"), "requested", "why"], rows));
    const on = described.filter((dataset) => dataset.on).map(({ name }) => name);
    print(`\nCredits are for ${exampleWords}, at default settings, once history is loaded:`);
    print(
      `${nightFigure(nightSum(costs, on))} a night for all datasets that are on. \`storehouse plan\` prices your own account.`,
    );
  });
}
