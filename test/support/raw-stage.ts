import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import type { StorehouseError } from "../../src/core/errors.ts";
import { createTokenRemover } from "../../src/core/secret.ts";
import { datasets } from "../../src/datasets/shared/all.ts";
import { exportRaw, type Exported, type AnswerExportRequest } from "../../src/archive/export-answers.ts";
import { importFiles, type ImportedFiles, type ImportRequest } from "../../src/archive/import-files.ts";
import { createDimensions } from "../../src/load/dimensions.ts";
import { createPartitions } from "../../src/load/partitions.ts";
import type { Stage } from "./ingest-stage.ts";

/** Every dataset by name. */
export const allDatasets = datasets.map(({ name }) => name);

/** Exports everything from a stage, unless said otherwise. */
export async function exportFrom(
  stage: Stage,
  out: string,
  request: Partial<AnswerExportRequest> = {},
): Promise<Exported> {
  await using app = await stage.open();
  return await exportRaw(app.warehouse.db, {
    datasets: allDatasets,
    within: {},
    out,
    strike: createTokenRemover(""),
    ...request,
  });
}

/** Imports into a stage; `refused` are the messages of files that were refused. */
export async function importInto(
  stage: Stage,
  places: readonly string[],
  request: Partial<ImportRequest> = {},
): Promise<ImportedFiles & { readonly messages: readonly string[] }> {
  await using app = await stage.open();
  const { db } = app.warehouse;
  const errors: StorehouseError[] = [];
  const parts = { db, clock: app.clock, dimensions: createDimensions(db), partitions: createPartitions(db) };
  const done = await importFiles(parts, places, {
    account: "",
    dryRun: false,
    refused: (error) => errors.push(error),
    strike: createTokenRemover(""),
    ...request,
  });
  return { ...done, messages: errors.map(({ message }) => message) };
}

/** Every file of a folder, by path from there. */
export async function filesOf(root: string): Promise<Record<string, string>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  const texts = await Promise.all(
    files.map(async (file) => [path.relative(root, file), await readFile(file, "utf8")] as const),
  );
  return Object.fromEntries(texts.sort(([a], [b]) => (a < b ? -1 : 1)));
}
