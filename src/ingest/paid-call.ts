import type { Params } from "../api/address.ts";
import type { Answer } from "../api/credit-headers.ts";
import type { Operation } from "../api/define-operation.ts";
import { operationById } from "../api/operations/all.ts";
import { pageParams } from "../api/paging.ts";
import { readAnswer } from "../api/read-answer.ts";
import { errorOf } from "../api/replies.ts";
import { dayOf } from "../core/day.ts";
import { AbortError, StorehouseError } from "../core/errors.ts";
import type { Slice } from "../core/slice.ts";
import type { Receipt } from "../credits/holds.ts";
import type { Dataset } from "../datasets/shared/define-dataset.ts";
import { landedPages, type LandedPage } from "../raw/read-answers.ts";
import { retryDatabase } from "./retry-database.ts";
import type { IngestParts } from "./ingest-parts.ts";
import { problemOf, receiptOf, wasNeverSent } from "./receipt.ts";
import { stopAsking } from "./receipt.ts";

/**
 * A way to ask for the pages of a slice, by number, each through the credit queue and landed before it is read. Pages that an earlier
 * attempt landed and did not live to load are taken from there: they are paid for.
 */
export async function pagesOf(
  parts: IngestParts,
  dataset: Dataset,
  slice: Slice,
  signal: AbortSignal,
): Promise<(index: number) => Promise<LandedPage>> {
  const operation = operationById(slice.operation);
  const landed = slice.attempt > 1 ? await landedPages(parts.db, slice.sliceId) : new Map<number, LandedPage>();
  return async (page) => {
    const kept = landed.get(page);
    if (kept !== undefined && isStillTrue(slice, kept) && isLegible(operation, kept.body)) return kept;
    const params = { ...dataset.request(slice, page), ...pageParams(operation, page) };
    const answer = await parts.apiOutage.through(() => askPage(parts, { operation, params, slice, page, signal }));
    return { body: answer.body, fetchedAt: answer.receivedAt };
  };
}

/** What was told of "now" on an earlier day than the slice stands for is not its answer. */
function isStillTrue(slice: Slice, page: LandedPage): boolean {
  return slice.class !== "snapshot" || dayOf(page.fetchedAt) >= slice.asOf;
}

/** False for an answer that was landed and refused: half of one, or one that said it failed. */
function isLegible(operation: Operation, body: Buffer): boolean {
  try {
    readAnswer(operation, body);
    return true;
  } catch (error) {
    if (error instanceof StorehouseError) return false;
    throw error;
  }
}

type PageRequest = {
  readonly operation: Operation;
  readonly params: Params;
  readonly slice: Slice;
  readonly page: number;
  readonly signal: AbortSignal;
};

/** One page, granted, sent, landed. Throws what the status stands for. */
async function askPage(parts: IngestParts, request: PageRequest): Promise<Answer> {
  const { operation, slice, signal } = request;
  const planned = Math.ceil(slice.credits / slice.requests);
  const cost = () => Math.max(planned, parts.learned.get(operation.id) ?? 0);
  // what is not sent yet is given back as soon as everything is to stop; what is on its way has until the task is aborted
  const unsent = AbortSignal.any([signal, parts.halted]);
  const work = { cost, class: slice.class, signal: unsent, sliceId: slice.sliceId };
  const answer = await parts.queue.run(work, async () => {
    const from = parts.clock.now();
    try {
      const result = await parts.client.ask(operation, request.params, signal);
      if (errorOf(operation, result) instanceof AbortError) await stopWhereRefused(parts, request, result, cost());
      await parts.at?.("after answer", slice);
      const receipt = receiptOf(operation, result);
      // before its slot goes to the next call
      if (result.credits.cost !== null && errorOf(operation, result) === null)
        parts.learned.set(operation.id, result.credits.cost);
      // paid for: a database that comes back soon gets it without asking again
      await retryDatabase(parts, () => landAnswer(parts, request, result, receipt));
      await parts.at?.("after landing");
      return { result, receipt };
    } catch (error) {
      stopAsking(parts, slice, error);
      if (error instanceof StorehouseError) await landLoss(parts, request, error, parts.clock.now() - from);
      throw error;
    }
  });
  const problem = await problemOf(parts, operation, answer, cost());
  if (problem !== null) throw problem;
  if (answer.credits.cost !== null) await parts.batched.learn({ operation, charged: answer.credits.cost });
  return answer;
}

/** Before the refusal is written down and its slot goes to the next call. What is in doubt here is looked at again after that. */
async function stopWhereRefused(parts: IngestParts, request: PageRequest, answer: Answer, cost: number): Promise<void> {
  const problem = await problemOf(parts, request.operation, answer, cost).catch(() => null);
  stopAsking(parts, request.slice, problem);
}

async function landAnswer(parts: IngestParts, request: PageRequest, answer: Answer, receipt: Receipt): Promise<void> {
  const problem = errorOf(request.operation, answer);
  await parts.batched.land({
    ...landingOf(parts, request),
    status: answer.status,
    errorCode: problem?.code ?? null,
    cost: receipt.charged ?? 0,
    remaining: answer.credits.remaining,
    durationMs: answer.durationMs,
    byteCount: answer.body.length,
    receivedAt: answer.receivedAt,
    body: problem === null ? answer.body : null,
  });
}

/** A call without an answer. Whether it was charged is not known; the balance of the next answer tells. */
async function landLoss(
  parts: IngestParts,
  request: PageRequest,
  error: StorehouseError,
  durationMs: number,
): Promise<void> {
  if (wasNeverSent(error)) return;
  await parts.batched.land({
    ...landingOf(parts, request),
    status: null,
    errorCode: error.code,
    cost: 0,
    remaining: null,
    durationMs,
    byteCount: 0,
    receivedAt: parts.clock.now(),
    body: null,
  });
}

function landingOf(parts: IngestParts, { operation, params, slice, page }: PageRequest) {
  const scalars = Object.fromEntries(Object.entries(params).filter(([, value]) => !Array.isArray(value)));
  return {
    accountId: parts.accountId,
    sliceId: slice.sliceId,
    attempt: slice.attempt,
    page,
    dataset: slice.dataset,
    class: slice.class,
    operation: operation.id,
    params: scalars,
    workerId: parts.workerId,
  };
}
