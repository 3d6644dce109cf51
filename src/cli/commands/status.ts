import type { Command } from "commander";
import { readStatus, type Status } from "../../ledger/status.ts";
import { withWarehouse } from "../environment.ts";
import { countOf, print, printJson } from "../output.ts";
import { table } from "../table.ts";

/** `storehouse status`: where everything stands. */
export function defineStatus(command: Command): void {
  command.option("--json", "as JSON").action((options: { json?: true }) =>
    withWarehouse(async (app) => {
      const status = await readStatus(app.warehouse.db);
      if (options.json) printJson(status);
      else printStatus(status);
    }),
  );
}

const counts = ["pending", "running", "deferred", "loaded", "empty", "skipped", "failed", "rejects"] as const;

function printStatus({ datasets, lastRun, troubles }: Status): void {
  if (datasets.length === 0) {
    print("Nothing was requested yet: `storehouse plan` shows what a sync would take, `storehouse sync` fetches it.");
    return;
  }
  // what is nowhere takes no room: the table fits a terminal of 80 columns as long as little is wrong
  const columns = counts.filter((column) => column === "loaded" || datasets.some((dataset) => dataset[column] > 0));
  const rows = datasets.map((dataset) => [
    dataset.dataset,
    ...columns.map((column) => dataset[column]),
    dataset.firstDay,
    dataset.lastDay,
  ]);
  print(table(["dataset", ...columns, "from", "to"], rows));
  if (lastRun !== null) {
    const end =
      lastRun.endedAt === null ? "has not ended" : `ended ${lastRun.endedAt.toISOString()}: ${lastRun.outcome}`;
    print(
      `\nLast run: ${lastRun.kind} ${lastRun.runId}, started ${lastRun.startedAt.toISOString()}, ${end}; ${countOf(lastRun.plannedSlices, "slice")}, ${countOf(lastRun.plannedCredits, "credit")} planned.`,
    );
  }
  if (datasets.some(({ rejects }) => rejects > 0))
    print("\nRows that did not fit are in ops.reject, each with its reason; the rows beside them are loaded.");
  if (troubles.length === 0) return;
  print("");
  print(
    table(
      ["dataset", "state", "slices", "why"],
      troubles.map((trouble) => [trouble.dataset, trouble.state, trouble.slices, trouble.example]),
    ),
  );
}
