import type { Command } from "commander";
import { operations } from "../../api/operations/all.ts";
import { describeOperation } from "../describe.ts";
import { loadConfig } from "../environment.ts";
import { print, printJson } from "../output.ts";
import { table } from "../table.ts";

/** `storehouse operations`: the endpoints of the API that Storehouse speaks. */
export function addOperations(program: Command): void {
  program
    .command("operations")
    .description("list the operations of the API: method, path, parameters, cost, limits")
    .option("--json", "as JSON")
    .action((options: { json?: true }) => {
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
      print(table(["operation", "credits", "days", "items", "method and path", "parameters"], rows));
    });
}
