import type { Command } from "commander";
import { operations } from "../../api/operations/all.ts";
import { describeOperation } from "../describe.ts";
import { loadConfig } from "../with-app.ts";
import { print, printJson } from "../output.ts";
import { optional, table } from "../table.ts";

/** `storehouse operations`: the endpoints of the API that Storehouse uses. */
export function defineOperations(command: Command): void {
  command.option("--json", "as JSON").action((options: { json?: true }) => {
    const described = operations.map((operation) =>
      describeOperation(operation, loadConfig().settings.api.store_words),
    );
    if (options.json) {
      printJson(described);
      return;
    }
    const rows = described.map((operation) => [
      operation.id,
      operation.cost,
      operation.longestRangeDays,
      operation.itemLimit?.items,
      `${operation.method} ${operation.path}`,
      operation.parameters.map(({ name, required }) => (required ? name : `[${name}]`)).join(" "),
    ]);
    print(table(["operation", "credits", "days", "items", "method and path", optional("parameters")], rows));
  });
}
