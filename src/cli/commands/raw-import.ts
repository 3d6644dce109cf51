import type { Command } from "commander";
import { strikerOf } from "../../core/secret.ts";
import { importFiles, type ImportedFiles } from "../../ingest/raw-import-files.ts";
import { createDimensions } from "../../warehouse/dimensions.ts";
import { createPartitions } from "../../warehouse/partitions.ts";
import { withApp } from "../environment.ts";
import { count, countOf, print, printJson, remark } from "../output.ts";

type Options = { readonly dryRun?: true; readonly json?: true };

/** `storehouse raw import`: load answers from files. */
export function addRawImport(raw: Command): void {
  raw
    .command("import")
    .description("load answers from files, as if they had just been fetched; asks the API nothing and spends nothing")
    .argument("<places...>", "files, or folders with .json files in them")
    .option("--dry-run", "only check the files and say what would be loaded")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      "\nExit codes: 0 all files fit whole, 1 some files were refused or some rows did not fit and the others are loaded, 2 usage.",
    )
    .action((places: string[], options: Options) =>
      withApp(async ({ warehouse: { db }, clock, config }) => {
        const parts = { db, clock, dimensions: createDimensions(db), partitions: createPartitions(db) };
        const done = await importFiles(parts, places, {
          dryRun: options.dryRun === true,
          refused: (error) => remark(error.message),
          strike: strikerOf(config.environment.API_TOKEN ?? ""),
        });
        if (options.json) printJson(done);
        else print(summary(done, options.dryRun === true));
        for (const { file, rejects } of done.withRejects) remark(`${file}: ${unfitWords(rejects, options.dryRun)}`);
        if (done.refused + done.rejects > 0) process.exitCode = 1;
      }),
    );
}

function summary({ loaded, rows, rejects, restored, known, refused }: ImportedFiles, dryRun: boolean): string {
  const facts = [
    dryRun
      ? `${countOf(loaded, "answer")} would be loaded`
      : `${countOf(loaded, "answer")} loaded with ${countOf(rows, "row")}`,
    `${count(known)} known already`,
  ];
  if (restored > 0) facts.push(`${count(restored)} stored again for slices that had lost theirs`);
  if (refused > 0) facts.push(`${countOf(refused, "file")} refused`);
  return `${facts.join(", ")}.${rejects > 0 ? ` ${unfitWords(rejects, dryRun)}.` : ""}`;
}

function unfitWords(rejects: number, dryRun = false): string {
  return dryRun ? `${countOf(rejects, "row")} would not fit` : `${countOf(rejects, "row")} did not fit: see ops.reject`;
}
