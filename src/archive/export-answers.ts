import { stat } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { fail, StorehouseError } from "../core/errors.ts";
import { makeFolder, putFile, readIfThere } from "../core/files.ts";
import type { Window } from "../core/window.ts";
import { landedSlices, type LandedSlice } from "../ledger/landed-slices.ts";
import type { Database } from "../postgres/database.ts";
import { landedPages } from "../raw/read-answers.ts";
import { isUnpaid, landedAnswer, type LandedAnswer } from "./stored-answer.ts";
import { answerPath, answerText, sha256 } from "./answer-file.ts";

/** What to export, and where to. `strike` removes the token from a body, in case it is there. */
export type AnswerExportRequest = {
  readonly datasets: readonly string[];
  readonly within: Partial<Window>;
  readonly out: string;
  readonly strike: (body: Buffer) => Buffer;
};

/** A loaded slice whose stored answer cannot be read completely, and why. */
export type UnreadAnswer = { readonly slice: string; readonly dataset: string; readonly problem: string };

/** Files written, files that existed already, and the answers that were not exported. */
export type Exported = { readonly written: number; readonly there: number; readonly leftOut: readonly UnreadAnswer[] };

/** The name of the manifest of an export, in its folder. */
export const answersManifestName = "manifest.json";

/** A manifest: SHA-256 by path. */
const Manifest = z.strictObject({
  format: z.literal("storehouse-manifest-1"),
  files: z.record(z.string(), z.string()),
});

/**
 * Writes the answers of loaded slices as files, each under a name that depends on its content, and a manifest of all files of the folder.
 * Existing files are not written again. An answer that is pruned meanwhile is no longer one of them.
 */
export async function exportRaw(db: Database, request: AnswerExportRequest): Promise<Exported> {
  // before anything is read: a folder that cannot be written fails at once
  await makeFolder(request.out);
  const before = await readManifest(request.out);
  const files = new Map(Object.entries(before));
  const leftOut: UnreadAnswer[] = [];
  const done = { written: 0, there: 0, leftOut };
  const add = async (slice: LandedSlice) => {
    const answer = await wholeAnswer(db, slice);
    if (answer instanceof StorehouseError) {
      leftOut.push({ slice: slice.sliceId, dataset: slice.dataset, problem: answer.problem });
      return;
    }
    if (answer === null) return;
    const text = answerText(
      slice,
      answer.pages.map((page) => ({ ...page, body: request.strike(page.body) })),
      isUnpaid(slice, answer),
    );
    const name = answerPath(slice, text);
    const isNew = await writeOnce(path.join(request.out, name), text);
    done[isNew ? "written" : "there"] += 1;
    files.set(name, sha256(text));
  };
  for (const dataset of request.datasets)
    await db.transaction().execute(async (transaction) => {
      for await (const slice of landedSlices(transaction, dataset, request.within, ["loaded", "empty"]))
        await add(slice);
    });
  await writeOnce(path.join(request.out, answersManifestName), manifestText(files));
  return done;
}

/**
 * SHA-256 by path of the files that a folder's manifest lists; none if it has no manifest. Throws a UsageError if the manifest is not one
 * of ours.
 */
export async function readManifest(folder: string): Promise<Readonly<Record<string, string>>> {
  const file = path.join(folder, answersManifestName);
  const text = await readIfThere(file);
  if (text === null) return {};
  try {
    return Manifest.parse(JSON.parse(text)).files;
  } catch (error) {
    throw fail("bad_argument", { problem: `${file} is not a manifest of an export` }, error);
  }
}

function manifestText(files: ReadonlyMap<string, string>): string {
  const lines = [...files].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, sum]) => `"${name}": "${sum}"`);
  return `{"format": "storehouse-manifest-1", "files": {\n${lines.join(",\n")}\n}}\n`;
}

/** The answer that a replay would read, or why it could not; null if its pages were pruned meanwhile. */
async function wholeAnswer(db: Database, slice: LandedSlice): Promise<LandedAnswer | StorehouseError | null> {
  try {
    const stored = await landedPages(db, slice.sliceId);
    return stored.size === 0 ? null : await landedAnswer(slice, stored);
  } catch (error) {
    if (error instanceof StorehouseError) return error;
    throw error;
  }
}

/** Writes a file unless it has the text already; a kill leaves no partial file under its name. */
async function writeOnce(file: string, text: string): Promise<boolean> {
  const size = await stat(file).then(
    (entry) => entry.size,
    () => -1,
  );
  if (size === Buffer.byteLength(text) && (await readIfThere(file)) === text) return false;
  await putFile(file, text);
  return true;
}
