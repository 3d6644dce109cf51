import { Option, type Command } from "commander";
import { noteTaskDone } from "../../ledger/findings.ts";
import { openClickHouse } from "../../publish/clickhouse.ts";
import { publish } from "../../publish/publish.ts";
import type { Published } from "../../publish/publish-table.ts";
import { collect } from "../arguments.ts";
import { withWarehouse } from "../environment.ts";
import { print, printJson, remark } from "../output.ts";
import { countOf } from "../../core/words.ts";
import { table } from "../table.ts";

type Options = { readonly table?: readonly string[]; readonly json?: true };

/** `storehouse publish`: tables and marts into a ClickHouse. */
export function definePublish(command: Command): void {
  command
    .addOption(
      new Option(
        "--table <name>",
        "only this table, this mart with the tables it reads, or this schema; may be repeated",
      ).argParser(collect),
    )
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      "\nCLICKHOUSE_URL names the ClickHouse server. A month whose rows changed is loaded separately, compared with Postgres by its sums, and swapped in whole. Marts are views in its dialect, or tables where docs/clickhouse.md says so.\nExit codes: 0 done or nothing to do, 1 some rows have a value that is out of ClickHouse's range (null there), 2 usage.",
    )
    .action((options: Options) =>
      withWarehouse(async ({ warehouse, clock, config }) => {
        await using clickHouse = openClickHouse(config);
        const only = options.table;
        const done = await publish(warehouse, clickHouse, {
          now: () => clock.now(),
          ...(only === undefined ? {} : { only }),
          onLost: (found) => remark(lostOf(found)),
          onTable: (one) => {
            if (one.swapped > 0) remark(`${one.table}: ${countOf(one.swapped, "month")} published.`);
            if (one.rowsOutOfRange > 0) remark(outOfRangeOf(one));
          },
        });
        if (only === undefined) await noteTaskDone(warehouse.db, "publish", clock.now());
        if (done.tables.some(({ rowsOutOfRange }) => rowsOutOfRange > 0)) process.exitCode = 1;
        if (options.json) return printJson(done);
        const rows = done.tables.map((one) => [one.table, one.swapped, one.unchanged, one.removed, one.rows]);
        print(table(["table", "months swapped", "unchanged", "removed", "rows"], rows));
        if (done.views.length > 0) print(`${countOf(done.views.length, "mart")} as views: ${done.views.join(", ")}.`);
      }),
    );
}

function lostOf({ table: name, lost }: Pick<Published, "table" | "lost">): string {
  const were = lost.length === 1 ? "was" : "were";
  return `${name}: ${lost.join(", ")} ${were} dropped in ClickHouse, and retention removed rows of it from Postgres: these are in neither until they are loaded again (docs/backfills.md).`;
}

function outOfRangeOf({ table: name, rowsOutOfRange, outOfRange }: Published): string {
  const values = outOfRange.map(({ column, row }) => `  ${column} of ${row}`);
  return [
    `${name}: ${countOf(rowsOutOfRange, "row")} with a value out of ClickHouse's range; there it is null, or the nearest value in range, and retention keeps the month in Postgres:`,
    ...values,
  ].join("\n");
}
