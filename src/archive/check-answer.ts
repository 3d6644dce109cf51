import { addressOf } from "../api/address.ts";
import { operationById } from "../api/operations/all.ts";
import { StorehouseError } from "../core/errors.ts";
import type { Slice, SliceDraft } from "../core/slice.ts";
import { datasetNamed } from "../datasets/shared/all.ts";
import type { Dataset } from "../datasets/shared/define-dataset.ts";
import { checkRows } from "../load/check-rows.ts";
import type { LandedPage } from "../raw/read-answers.ts";
import { landedAnswer } from "./stored-answer.ts";
import { outcomeOf } from "../ingest/prepare-slice.ts";
import { AnswerFile, pagesOf } from "./answer-file.ts";
import { broughtSlice, Misfit } from "./slice-of-file.ts";
import type { Fetched } from "../ingest/read-pages.ts";

/** An answer from elsewhere that fits: the slice it answers, its pages, and the same read. */
export type BroughtAnswer = {
  readonly dataset: Dataset;
  readonly draft: SliceDraft;
  readonly pages: readonly LandedPage[];
  /** False when the file does not say when the answer was received. */
  readonly timed: boolean;
  readonly fetched: Fetched;
  /** Rows that do not fit, beside those that do. */
  readonly rejects: number;
};

/** When the file was written, for those that name no time, and what is now, both epoch-ms; and what takes the token out of a body. */
type Reading = { readonly writtenAt: number; readonly now: number; readonly strike: (body: Buffer) => Buffer };

/** Reads the text of a file as an answer; throws a Misfit for anything that a fetch of ours could not have brought. */
export async function checkAnswer(text: string, reading: Reading): Promise<BroughtAnswer> {
  const file = parsed(text);
  const dataset = known(() => datasetNamed(file.dataset));
  const pages = pagesOf(file, Math.min(reading.writtenAt, reading.now)).map(({ body, fetchedAt }) => ({
    body: reading.strike(body),
    fetchedAt,
  }));
  const timed = file.fetched_at !== undefined || (file.pages?.every((page) => page.fetched_at !== undefined) ?? false);
  const draft = broughtSlice(dataset, file, { pages, now: reading.now });
  const slice: Slice = { ...draft, sliceId: "0", runId: "0", attempt: 0 };
  known(() => addressOf(operationById(draft.operation), dataset.request(slice), { ios: "ios", android: "android" }));
  const fetched = await readWhole(slice, pages);
  const rejects = checkRowsOf(dataset, slice, fetched);
  return { dataset, draft, pages, timed, fetched, rejects };
}

function parsed(text: string): AnswerFile {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new Misfit("it is no JSON, or only a part of it");
  }
  const result = AnswerFile.safeParse(json);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const where = issue?.path.join(".") ?? "";
  throw new Misfit(`${where === "" ? "" : `${where}: `}${issue?.message ?? "it does not fit"}`);
}

async function readWhole(slice: Slice, pages: readonly LandedPage[]): Promise<Fetched> {
  const answer = await landedAnswer(slice, new Map(pages.entries())).catch((error: unknown) => {
    throw error instanceof StorehouseError ? new Misfit(`body: ${error.problem}`) : error;
  });
  if (answer.pages.length < pages.length) throw new Misfit(`pages: the answer ends after ${answer.pages.length}`);
  return answer.fetched;
}

function checkRowsOf(dataset: Dataset, slice: Slice, fetched: Fetched): number {
  const { rows, invalid } = dataset.normalise(slice, fetched.pages, fetched.invalid);
  const checked = dataset.tables.map((table) => checkRows(table, rows[table.name] ?? []));
  const misfits = [...fetched.invalid, ...invalid, ...checked.flatMap((one) => one.invalid)];
  const { state } = outcomeOf({ rows: checked.reduce((sum, one) => sum + one.fit.length, 0), invalid: misfits });
  if (state === "failed") throw new Misfit(`body: nothing of it belongs to the slice: ${misfits[0]?.reason}`);
  return misfits.length;
}

function known<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof StorehouseError ? new Misfit(error.problem) : error;
  }
}
