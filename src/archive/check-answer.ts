import { addressOf } from "../api/address.ts";
import { operationById } from "../api/operations/all.ts";
import { StorehouseError } from "../core/errors.ts";
import { scopeKey, type Slice, type SliceDraft } from "../core/slice.ts";
import { isDeeperThan, type ParsedText } from "../core/text.ts";
import { datasetNamed } from "../datasets/shared/all.ts";
import type { Dataset } from "../datasets/shared/define-dataset.ts";
import type { LandedPage } from "../raw/read-answers.ts";
import { landedAnswer } from "./stored-answer.ts";
import { outcomeOf } from "../ingest/prepare-slice.ts";
import { type AnswerRows, rowsOfAnswer } from "../ingest/answer-rows.ts";
import { AnswerFile, pagesOf, parseFile, type ParsedFile } from "./answer-file.ts";
import { InvalidFile, sliceOfFile } from "./slice-of-file.ts";
import type { Fetched } from "../ingest/read-pages.ts";
import { schemaWords } from "../core/schema-words.ts";
import { sumBy } from "../core/sum.ts";

/** The answer of a valid file: its slice, its pages, and the parsed answer. */
export type FileAnswer = {
  readonly dataset: Dataset;
  readonly draft: SliceDraft;
  readonly pages: readonly LandedPage[];
  /** False if the file does not say when the answer was received. */
  readonly timed: boolean;
  readonly fetched: Fetched;
  /** Its rows, with the invalid ones. */
  readonly rows: AnswerRows;
};

/** When the file was written, for a file that names no time, and the time now, both epoch-ms; `strike` removes the token from a body. */
type Reading = { readonly writtenAt: number; readonly now: number; readonly strike: (body: Buffer) => Buffer };

/** Reads the text of a file as an answer; throws an InvalidFile for anything that Storehouse could not have requested. */
export async function checkAnswer(text: string, reading: Reading): Promise<FileAnswer> {
  const { file, body: own } = parsed(text);
  const dataset = valid(() => datasetNamed(file.dataset));
  const read = pagesOf(file, Math.min(reading.writtenAt, reading.now), own).map((page) => struck(page, reading.strike));
  const pages = read.map(({ body, fetchedAt }) => ({ body, fetchedAt }));
  const timed = file.fetched_at !== undefined || (file.pages?.every((page) => page.fetched_at !== undefined) ?? false);
  const draft = valid(() => sliceOfFile(dataset, file, { pages, now: reading.now }));
  const slice: Slice = { ...draft, sliceId: "0", runId: "0", attempt: 0 };
  valid(() => checkAddress(dataset, slice));
  const fetched = await readWhole(slice, read, file.is_cut === true);
  return { dataset, draft, pages, timed, fetched, rows: checkedRows(dataset, slice, fetched) };
}

/** For each list of items, the scopes whose calls can name it: checking this takes longest, and files of many days share one list. */
const addressableScopes = new WeakMap<readonly string[], Set<string>>();

/** Throws for a slice whose call cannot be addressed. */
function checkAddress(dataset: Dataset, slice: Slice): void {
  const params = dataset.request(slice);
  const scopes = addressableScopes.get(slice.items ?? []) ?? new Set();
  const scope = `${slice.operation} ${scopeKey(slice.scope)}`;
  if (scopes.has(scope)) return;
  addressOf(operationById(slice.operation), params, { ios: "ios", android: "android" });
  if (slice.items !== null) addressableScopes.set(slice.items, scopes.add(scope));
}

/** An answer nests at most a hundred levels (see read-answer.ts), and is three levels deep in its file. */
const mostLevels = 103;

function jsonOf(text: string): ParsedFile {
  try {
    return parseFile(text);
  } catch {
    throw new InvalidFile("it is not JSON, or is incomplete");
  }
}

function struck(page: LandedPage, strike: Reading["strike"]): LandedPage {
  const body = strike(page.body);
  return body === page.body ? page : { body, fetchedAt: page.fetchedAt };
}

function parsed(text: string): { readonly file: AnswerFile; readonly body: ParsedText | undefined } {
  const { json, body } = jsonOf(text);
  // the depth of a body that is taken unchanged is checked when it is read
  if (body === undefined && isDeeperThan(text, mostLevels))
    throw new InvalidFile(`it nests lists and objects deeper than ${mostLevels} levels`);
  const result = AnswerFile.safeParse(json, { error: schemaWords });
  if (result.success) return { file: result.data, body };
  const issue = result.error.issues[0];
  const where = issue?.path.join(".") ?? "";
  throw new InvalidFile(`${where === "" ? "it" : `${where}:`} ${issue?.message ?? "is invalid"}`);
}

/** Reads all pages that the answer reports; of one that `isCut`, those of the file. */
async function readWhole(slice: Slice, pages: readonly LandedPage[], isCut: boolean): Promise<Fetched> {
  const paidPages = isCut ? pages.length : Number.POSITIVE_INFINITY;
  const answer = await landedAnswer(slice, new Map(pages.entries()), paidPages).catch((error: unknown) => {
    if (!(error instanceof StorehouseError)) throw error;
    throw new InvalidFile(error.code === "page_missing" ? missingPage(pages.length) : `body: ${error.problem}`);
  });
  if (answer.pages.length < pages.length) throw new InvalidFile(`pages: the answer ends after ${answer.pages.length}`);
  return answer.fetched;
}

function missingPage(read: number): string {
  return `pages: page ${read + 1} is missing: the answer continues after ${read}; if no more were paid for, the file needs "is_cut": true`;
}

function checkedRows(dataset: Dataset, slice: Slice, fetched: Fetched): AnswerRows {
  const answerRows = rowsOfAnswer(dataset, slice, fetched);
  const { loads, invalid } = answerRows;
  const { state } = outcomeOf({ rows: sumBy(loads, ({ rows }) => rows.length), invalid });
  if (state === "failed") throw new InvalidFile(`body: nothing in it belongs to the slice: ${invalid[0]?.reason}`);
  return answerRows;
}

function valid<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof StorehouseError ? new InvalidFile(error.problem) : error;
  }
}
