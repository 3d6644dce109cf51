import type { Command } from "commander";
import { datasets } from "../../datasets/all.ts";
import { describeDataset, timingWords } from "../describe.ts";
import { loadConfig } from "../environment.ts";
import { print, printJson } from "../output.ts";
import { table } from "../table.ts";

/** `storehouse datasets`: what can be loaded. */
export function addDatasets(program: Command): void {
  program
    .command("datasets")
    .description("list the datasets: table, when they are asked for, on or off and why")
    .option("--json", "as JSON")
    .action((options: { json?: true }) => {
      const { settings } = loadConfig();
      const described = datasets.map((dataset) => ({
        ...describeDataset(dataset),
        on: settings.datasets[dataset.name]?.on ?? dataset.on,
      }));
      if (options.json) printJson(described);
      else {
        const rows = described.map((dataset) => [
          dataset.name,
          dataset.on ? "on" : "off",
          dataset.tables.join(", "),
          timingWords(dataset.timing),
          dataset.why,
        ]);
        print(table(["dataset", "default", "tables", "asked for", "why"], rows));
      }
    });
}
