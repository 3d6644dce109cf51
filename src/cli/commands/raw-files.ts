import { accountOf } from "../../config/config-of-account.ts";
import { tokensIn } from "../../config/secrets.ts";
import path from "node:path";
import type { Command } from "commander";
import { exportRaw, type UnreadAnswer } from "../../archive/export-answers.ts";
import { type ImportedFiles, importFiles } from "../../archive/import-files.ts";
import type { Day } from "../../core/day.ts";
import { createTokenRemover } from "../../core/secret.ts";
import { datasetNamed, datasets } from "../../datasets/shared/all.ts";
import { createDimensions } from "../../load/dimensions.ts";
import { createPartitions } from "../../load/partitions.ts";
import { tablesByDay } from "../../planner/dataset-settings.ts";
import { boundsOf, dayArgument, folderArgument, onlyDatasets } from "../arguments.ts";
import { withApp } from "../with-app.ts";
import { print, printJson, remark } from "../output.ts";
import { count, countOf } from "../../core/words.ts";

type ExportOptions = {
  readonly out: string;
  readonly dataset: readonly string[];
  readonly from?: Day;
  readonly to?: Day;
  readonly json?: true;
};

/** `storehouse raw export`: answers of loaded slices as files. */
export function addRawExport(raw: Command): void {
  raw
    .command("export")
    .description("write the answers of loaded slices as files that `storehouse raw import` loads elsewhere")
    .requiredOption("--out <folder>", "folder to write to; files that exist are not written again", folderArgument)
    .addOption(onlyDatasets())
    .option("--from <day>", "only windows that reach this day or later", dayArgument)
    .option("--to <day>", "only windows that start on this day or earlier", dayArgument)
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      "\nExit codes: 0 all exported, 1 some stored answers cannot be read completely and are not exported, 2 usage.",
    )
    .action((options: ExportOptions) =>
      withApp(async ({ warehouse: { db }, config }) => {
        const wanted = options.dataset.length > 0 ? options.dataset.map(datasetNamed) : datasets;
        const done = await exportRaw(db, {
          datasets: [...new Set(wanted.map(({ name }) => name))],
          within: boundsOf(options),
          out: path.resolve(options.out),
          strike: createTokenRemover(...tokensIn(config.environment)),
        });
        if (options.json) printJson(done);
        else {
          const left = done.leftOut.length > 0 ? `, ${count(done.leftOut.length)} not exported` : "";
          print(`${countOf(done.written, "answer")} written, ${count(done.there)} already there${left}.`);
        }
        remarkLeftOut(done.leftOut);
        if (done.leftOut.length > 0) process.exitCode = 1;
      }),
    );
}

/** Answers that are named one by one: a damaged disk may affect thousands. */
const mostNamed = 10;

function remarkLeftOut(leftOut: readonly UnreadAnswer[]): void {
  for (const { slice, dataset, problem } of leftOut.slice(0, mostNamed))
    remark(`slice ${slice} of ${dataset} is not exported: ${problem}`);
  if (leftOut.length > mostNamed)
    remark(`${count(leftOut.length - mostNamed)} more are not exported; --json lists all.`);
}

type ImportOptions = { readonly dryRun?: true; readonly json?: true };

/** `storehouse raw import`: load answers from files. */
export function addRawImport(raw: Command): void {
  raw
    .command("import")
    .description("load answers from files, as if they had just been fetched; sends no request and spends nothing")
    .argument("<places...>", "files, or folders with .json files in them")
    .option("--dry-run", "only check the files and report what would be loaded")
    .option("--json", "as JSON")
    .addHelpText(
      "after",
      "\nA dry run does not find out which lists of the portfolio would be held.\nExit codes: 0 everything was accepted, 1 some files were refused, held or not applied, or some rows rejected, and the rest is loaded, 2 usage.",
    )
    .action((places: string[], options: ImportOptions) =>
      withApp(async ({ warehouse: { db }, clock, config }) => {
        const partitions = createPartitions(db, tablesByDay(config.settings));
        const parts = { db, clock, dimensions: createDimensions(db), partitions };
        const done = await importFiles(parts, places, {
          account: accountOf(config.settings),
          dryRun: options.dryRun === true,
          refused: (error) => remark(error.message),
          strike: createTokenRemover(...tokensIn(config.environment)),
        });
        if (options.json) printJson(done);
        else print(summary(done, options.dryRun === true));
        for (const { file, rejects } of done.withRejects) remark(`${file}: ${rejectWords(rejects, options.dryRun)}`);
        if (done.refused + done.held + done.contradicted + done.rejects > 0) process.exitCode = 1;
      }),
    );
}

function summary(
  { loaded, rows, rejects, restored, known, held, contradicted, refused }: ImportedFiles,
  dryRun: boolean,
): string {
  const facts = [
    dryRun
      ? `${countOf(loaded, "answer")} would be loaded`
      : `${countOf(loaded, "answer")} loaded with ${countOf(rows, "row")}`,
    `${count(known)} already known`,
  ];
  if (restored > 0) facts.push(`${count(restored)} stored again for slices that had lost theirs`);
  if (held > 0) facts.push(`${count(held)} held (\`storehouse held\` shows what they leave out)`);
  if (contradicted > 0)
    facts.push(`${count(contradicted)} not applied: most of the portfolio is left out, and a newer answer has it`);
  if (refused > 0) facts.push(`${countOf(refused, "file")} refused`);
  return `${facts.join(", ")}.${rejects > 0 ? ` ${rejectWords(rejects, dryRun)}.` : ""}`;
}

function rejectWords(rejects: number, dryRun = false): string {
  return dryRun
    ? countOf(rejects, "row would be rejected", "rows would be rejected")
    : `${countOf(rejects, "row was rejected", "rows were rejected")}: see ops.reject`;
}
