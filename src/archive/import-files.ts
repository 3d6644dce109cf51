import { isUtf8 } from "node:buffer";
import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { fail, type StorehouseError } from "../core/errors.ts";
import type { LoadParts } from "../ingest/prepare-slice.ts";
import { closeRun, openRun } from "../ledger/runs.ts";
import { sha256 } from "./answer-file.ts";
import { type FileAnswer, checkAnswer } from "./check-answer.ts";
import { manifestName, readManifest, unreadable } from "./export-answers.ts";
import { importAnswer, type Imported, wouldDo } from "./import-answer.ts";
import { InvalidFile } from "./slice-of-file.ts";

/** Files by outcome, rows loaded, and invalid rows, which are in ops.reject, together and by file. */
export type ImportedFiles = {
  readonly loaded: number;
  readonly rows: number;
  readonly rejects: number;
  readonly withRejects: readonly { readonly file: string; readonly rejects: number }[];
  readonly restored: number;
  readonly known: number;
  readonly refused: number;
};

/**
 * How to import. `refused` is called for each invalid file; the others are imported. `strike` takes the token out of a
 * body, should the service have echoed it.
 */
export type ImportRequest = {
  readonly dryRun: boolean;
  readonly refused: (error: StorehouseError) => void;
  readonly strike: (body: Buffer) => Buffer;
};

/**
 * Loads files in the order in which their answers were received, as a run of its own. Files are read twice, once to put them in
 * order, so that memory stays flat however many there are. A dry run only checks.
 */
export async function importFiles(
  parts: LoadParts,
  places: readonly string[],
  request: ImportRequest,
): Promise<ImportedFiles> {
  const withRejects: { file: string; rejects: number }[] = [];
  const done = { loaded: 0, rows: 0, rejects: 0, withRejects, restored: 0, known: 0, refused: 0 };
  const refuse = (file: string, problem: string) => {
    done.refused += 1;
    request.refused(fail("bad_answer_file", { file, problem }));
  };
  const fitting: { found: FoundFile; dataset: string; at: number }[] = [];
  for (const found of await filesToImport(places)) {
    const answer = await answerIn(parts, found, request);
    if (typeof answer === "string") refuse(found.file, answer);
    else fitting.push({ found, dataset: answer.dataset.name, at: answer.fetched.fetchedAt });
  }
  const run = lazyRun(parts, [...new Set(fitting.map(({ dataset }) => dataset))].sort());
  for (const { found } of fitting.sort((a, b) => a.at - b.at)) {
    const answer = await answerIn(parts, found, request);
    const imported = typeof answer === "string" ? answer : await importOne(parts, answer, request.dryRun, run.id);
    if (typeof imported === "string") refuse(found.file, imported);
    else {
      done[imported.did] += 1;
      done.rows += imported.rows;
      done.rejects += imported.rejects;
      if (imported.rejects > 0) withRejects.push({ file: found.file, rejects: imported.rejects });
    }
  }
  await run.close(done.refused > 0 ? "failed" : "loaded");
  return done;
}

async function answerIn(parts: LoadParts, found: FoundFile, { strike }: ImportRequest): Promise<FileAnswer | string> {
  const file = await readFound(found);
  if (typeof file === "string") return file;
  return checkAnswer(file.text, { writtenAt: file.writtenAt, now: parts.clock.now(), strike }).catch(problemOf);
}

async function importOne(
  parts: LoadParts,
  answer: FileAnswer,
  dryRun: boolean,
  run: () => Promise<string>,
): Promise<Imported | string> {
  if (dryRun) {
    const did = await wouldDo(parts.db, answer);
    return { did, rows: 0, rejects: did === "loaded" ? answer.rejects : 0 };
  }
  return importAnswer(parts, answer, run).catch(problemOf);
}

function problemOf(error: unknown): string {
  if (error instanceof InvalidFile) return error.message;
  throw error;
}

/** A run that is opened when something is loaded, so that an import without anything new writes nothing. */
function lazyRun({ db, clock }: LoadParts, datasets: readonly string[]) {
  let opened: string | null = null;
  return {
    id: async () =>
      (opened ??= await openRun(
        db,
        { kind: "import", workerId: null, asOf: clock.today(), datasets, maxCredits: null },
        clock.now(),
      )),
    close: async (outcome: "loaded" | "failed") => {
      if (opened !== null) await closeRun(db, opened, outcome, clock.now());
    },
  };
}

/** A file that may hold an answer, and the sum that the manifest of its folder names for it. */
type FoundFile = { readonly file: string; readonly sum: string | null };

/**
 * The files to import: each as it is named, of a folder every .json file in it and below, and those that its manifest lists. In order
 * of their paths.
 */
async function filesToImport(places: readonly string[]): Promise<readonly FoundFile[]> {
  const found = new Map<string, string | null>();
  for (const place of places) {
    const entry = await stat(place).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw unreadable(place, error);
      throw fail("bad_argument", { path: place, problem: "there is no such file or folder" });
    });
    if (!entry.isDirectory()) found.set(place, found.get(place) ?? null);
    else for (const [file, sum] of await filesIn(place)) found.set(file, sum);
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([file, sum]) => ({ file, sum }));
}

async function filesIn(folder: string): Promise<ReadonlyMap<string, string | null>> {
  const listed = await readManifest(folder);
  const found = await readdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw unreadable(error.path ?? folder, error);
  });
  const names = found.filter((name) => name.endsWith(".json") && path.basename(name) !== manifestName);
  const files = new Map(names.map((name): [string, string | null] => [path.join(folder, name), null]));
  for (const [name, sum] of Object.entries(listed)) files.set(path.join(folder, name), sum);
  if (files.size === 0) throw fail("bad_argument", { problem: `no .json file with an answer in ${folder}` });
  return files;
}

/** The text of a file and when it was written (epoch-ms), or what is wrong with it. It is read twice, which a pipe cannot be. */
async function readFound({ file, sum }: FoundFile): Promise<{ text: string; writtenAt: number } | string> {
  try {
    const entry = await stat(file);
    if (!entry.isFile()) return "it is a pipe, a device or a folder: write the answer into a file";
    const bytes = await readFile(file);
    // what replaces such bytes would be taken for characters of the answer
    if (!isUtf8(bytes)) return "it is not UTF-8 text: save it as such";
    const text = bytes.toString("utf8");
    if (sum !== null && sha256(text) !== sum) return "it is not what the manifest of its folder says";
    return { text, writtenAt: entry.mtimeMs };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" ? "the manifest names it, and it is not there" : `it cannot be read (${code})`;
  }
}
