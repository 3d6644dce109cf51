import { setImmediate as nextTurn } from "node:timers/promises";
import { fail, type StorehouseError } from "../core/errors.ts";
import { gathered, readAhead } from "../core/read-ahead.ts";
import { scopeKey } from "../core/slice.ts";
import { sumBy } from "../core/sum.ts";
import { datasets } from "../datasets/shared/all.ts";
import type { LoadParts } from "../ingest/prepare-slice.ts";
import { closeRun, openRun, type RunStart } from "../ledger/runs.ts";
import type { AnswerFile } from "./answer-file.ts";
import { type FileAnswer, checkAnswer } from "./check-answer.ts";
import { filesToImport, type FoundFile, readFound } from "./found-files.ts";
import { importAnswers, type Imported, previewImports } from "./import-answer.ts";
import { InvalidFile } from "./slice-of-file.ts";

/** Files by outcome (`held`: stored, and applied once a person agrees or a later answer is the same; `contradicted`: stored, and never applied), rows loaded, and invalid rows (which are in ops.reject), in total and by file. */
export type ImportedFiles = {
  readonly loaded: number;
  readonly rows: number;
  readonly rejects: number;
  readonly withRejects: readonly { readonly file: string; readonly rejects: number }[];
  readonly restored: number;
  readonly known: number;
  readonly held: number;
  readonly contradicted: number;
  readonly refused: number;
};

/**
 * How to import. `account` is the account of the process and of the run. `refused` is called for each invalid file; the others are
 * imported. `strike` removes the token from a body, in case the service echoed it.
 */
export type ImportRequest = {
  readonly account: string;
  readonly dryRun: boolean;
  readonly refused: (error: StorehouseError) => void;
  readonly strike: (body: Buffer) => Buffer;
};

/**
 * Loads files in the order in which their answers were received, as a separate run. Files are read twice, the first time to sort them, so
 * that memory does not grow with their number. A dry run only checks.
 */
export async function importFiles(
  parts: LoadParts,
  places: readonly string[],
  request: ImportRequest,
): Promise<ImportedFiles> {
  const withRejects: { file: string; rejects: number }[] = [];
  const done = {
    loaded: 0,
    rows: 0,
    rejects: 0,
    withRejects,
    restored: 0,
    known: 0,
    held: 0,
    contradicted: 0,
    refused: 0,
  };
  const refuse = (file: string, problem: string) => {
    done.refused += 1;
    request.refused(fail("bad_answer_file", { file, problem }));
  };
  const count = (file: string, end: Imported | InvalidFile) => {
    if (end instanceof InvalidFile) return refuse(file, end.message);
    done[end.did] += 1;
    done.rows += end.rows;
    done.rejects += end.rejects;
    if (end.rejects > 0) withRejects.push({ file, rejects: end.rejects });
  };
  const placed = await inOrder(places, refuse);
  const run = lazyRun(parts, { account: request.account, datasets: datasetsOf(placed) });
  const ordered = placed.map(({ found }) => found);
  const read = (files: readonly FoundFile[]) => readGroup(parts, files, request);
  // while the database writes some files, the next ones are read
  for await (const group of readAhead(gathered(ordered, { most: readAtOnce, weigh: () => 1 }), read)) {
    for (const { file, problem } of group.refused) refuse(file, problem);
    for await (const files of gathered(group.fitting, { most: mostBytes, weigh: bytesOf, mayJoin: isAboutOther })) {
      const imported = await importGroup(parts, files, request.dryRun, run.id);
      for (const [place, end] of imported.entries()) count(files[place]?.file ?? "", end);
    }
  }
  await run.close(done.refused > 0 ? "failed" : "loaded");
  return done;
}

/** A file and its place in the order in which the answers were received; the dataset that it names, if it names one. */
type PlacedFile = { readonly found: FoundFile; readonly at: number; readonly dataset: string };

/** The files at these places in the order in which their answers were received, without those that `refuse` is called for. */
async function inOrder(
  places: readonly string[],
  refuse: (file: string, problem: string) => void,
): Promise<readonly PlacedFile[]> {
  const placed: PlacedFile[] = [];
  for (const found of await filesToImport(places)) {
    await nextTurn();
    const file = readFound(found, { checked: false });
    if (typeof file === "string") refuse(found.file, file);
    else placed.push({ found, ...orderOf(file) });
  }
  return placed.sort((a, b) => a.at - b.at);
}

/** Files that are read together, and bytes of their answers that are written together. */
const readAtOnce = 100;
const mostBytes = 16 * 2 ** 20;

/** When the last page of a file was received, if it says so; everything else is checked when it is loaded. */
function orderOf({ text, writtenAt }: { text: string; writtenAt: number }): Omit<PlacedFile, "found"> {
  try {
    const { dataset, fetched_at: own, pages } = headOf(text) ?? (JSON.parse(text) as Partial<AnswerFile>);
    const at = Date.parse(String(pages?.at(-1)?.fetched_at ?? own));
    return { at: Number.isNaN(at) ? writtenAt : at, dataset: String(dataset) };
  } catch {
    return { at: writtenAt, dataset: "" };
  }
}

/** The fields of a file before its body, as an export writes them; null if they do not say when the answer was received. */
function headOf(text: string): Partial<AnswerFile> | null {
  // JSON strings contain no line breaks: everything up to here belongs to the file itself, not to the answer
  const end = text.indexOf(',\n"body');
  if (end < 0) return null;
  try {
    const head = JSON.parse(`${text.slice(0, end)}}`) as Partial<AnswerFile>;
    return head.fetched_at === undefined || head.pages !== undefined ? null : head;
  } catch {
    return null;
  }
}

/** The datasets of the files, without unknown names. */
function datasetsOf(files: readonly PlacedFile[]): readonly string[] {
  const named = new Set(files.map(({ dataset }) => dataset));
  return datasets.flatMap(({ name }) => (named.has(name) ? [name] : [])).sort();
}

/** An answer, the file that it is in, and what it is about. */
type FittingFile = { readonly file: string; readonly answer: FileAnswer; readonly about: string };

async function readGroup(parts: LoadParts, files: readonly FoundFile[], { strike }: ImportRequest) {
  const fitting: FittingFile[] = [];
  const refused: { file: string; problem: string }[] = [];
  for (const found of files) {
    // lets replies of the database to concurrent writes be handled in between
    await nextTurn();
    const { file } = found;
    const read = readFound(found, { checked: true });
    const answer =
      typeof read === "string"
        ? read
        : await checkAnswer(read.text, { writtenAt: read.writtenAt, now: parts.clock.now(), strike }).catch(problemOf);
    if (typeof answer === "string") refused.push({ file, problem: answer });
    else fitting.push({ file, answer, about: aboutOf(answer) });
  }
  return { fitting, refused };
}

function bytesOf({ answer }: FittingFile): number {
  return sumBy(answer.pages, ({ body }) => body.length);
}

/** False if a file of the group answers the same, or another day of the same list: each must see the changes of the other. */
function isAboutOther(group: readonly FittingFile[], { about }: FittingFile): boolean {
  return group.every((other) => other.about !== about);
}

function aboutOf({ dataset, draft: { scope, items, window } }: FileAnswer): string {
  // whether a list of the portfolio is held depends on the members that the list before it left
  const day = dataset.stage === "portfolio" ? null : window.start;
  return JSON.stringify([dataset.name, scopeKey(scope), items, day]);
}

async function importGroup(
  parts: LoadParts,
  files: readonly FittingFile[],
  dryRun: boolean,
  run: () => Promise<string>,
): Promise<readonly (Imported | InvalidFile)[]> {
  const answers = files.map(({ answer }) => answer);
  if (!dryRun) return importAnswers(parts, answers, run);
  const ends = await previewImports(parts.db, answers);
  return ends.map((did, place) => ({
    did,
    rows: 0,
    rejects: did === "loaded" ? (answers[place]?.rows.invalid.length ?? 0) : 0,
  }));
}

function problemOf(error: unknown): string {
  if (error instanceof InvalidFile) return error.message;
  throw error;
}

/** A run that is opened when something is loaded, so that an import of known answers writes nothing. */
function lazyRun({ db, clock }: LoadParts, about: Pick<RunStart, "account" | "datasets">) {
  let opened: string | null = null;
  return {
    id: async () =>
      (opened ??= await openRun(
        db,
        { kind: "import", workerId: null, asOf: clock.today(), maxCredits: null, ...about },
        clock.now(),
      )),
    close: async (outcome: "loaded" | "failed") => {
      if (opened !== null) await closeRun(db, opened, outcome, { now: clock.now() });
    },
  };
}
