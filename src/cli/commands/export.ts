import { Option, type Command } from "commander";
import type { Day } from "../../core/day.ts";
import { noteTaskDone } from "../../ledger/findings.ts";
import { exportAsConfigured } from "../../export/export-as-configured.ts";
import type { FileFormat } from "../../export/manifest.ts";
import { boundsOf, collect, dayArgument, folderArgument } from "../arguments.ts";
import { withWarehouse } from "../environment.ts";
import { print, printJson, remark } from "../output.ts";
import { countOf } from "../../core/words.ts";
import { table } from "../table.ts";

type Options = {
  readonly table?: readonly string[];
  readonly out?: string;
  readonly from?: Day;
  readonly to?: Day;
  readonly format?: FileFormat;
  readonly json?: true;
};

/** `storehouse export`: tables as Parquet or CSV files, one per month. */
export function defineExport(command: Command): void {
  command
    .addOption(
      new Option(
        "--table <name>",
        "a table or view in core or mart, a view in ops, or a whole schema; may be repeated (default: export.tables)",
      ).argParser(collect),
    )
    .option("--out <place>", "a folder, or s3://bucket/prefix (default: export.to)", folderArgument)
    .option("--from <day>", "only the month of this day and later months", dayArgument)
    .option("--to <day>", "only the month of this day and earlier months", dayArgument)
    .addOption(new Option("--format <format>", "file format (default: export.format)").choices(["parquet", "csv"]))
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      "\nA file always holds a whole month. Months outside --from and --to stay as they were last exported. Each table's folder has a _manifest.json, which is written last.",
    )
    .action((options: Options) =>
      withWarehouse(async ({ warehouse, clock, config }) => {
        const done = await exportAsConfigured(warehouse, config, {
          tables: options.table,
          within: boundsOf(options),
          ...(options.out === undefined ? {} : { out: options.out }),
          ...(options.format === undefined ? {} : { format: options.format }),
          now: () => clock.now(),
          onTable: ({ table: name, written }) => {
            if (written > 0) remark(`${name}: ${countOf(written, "file")} written.`);
          },
        });
        const { json, ...chosen } = options;
        if (Object.keys(chosen).length === 0) await noteTaskDone(warehouse.db, "export", clock.now());
        if (json) return printJson(done);
        print(
          table(
            ["table", "written", "unchanged", "removed", "rows", "bytes"],
            done.map((one) => [one.table, one.written, one.unchanged, one.removed, one.rows, one.bytes]),
          ),
        );
        for (const { table: name, rows } of done) if (rows === 0) print(`${name} has no rows to export.`);
        for (const { table: name, again } of done)
          for (const month of again)
            print(
              `${name}: the file of ${month.slice(0, 7)} stays as it was exported before retention removed the month, and lacks rows that were loaded again since. If you move it away, the next export writes what Postgres has: other rows of the month are then only in the file that you moved.`,
            );
      }),
    );
}
