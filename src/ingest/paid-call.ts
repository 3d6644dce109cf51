import type { Params } from "../api/address.ts";
import type { Operation } from "../api/define-operation.ts";
import { operationById } from "../api/operations/all.ts";
import { pageParams } from "../api/paging.ts";
import { readAnswer } from "../api/read-answer.ts";
import type { Reply } from "../api/reply.ts";
import { dayOf } from "../core/day.ts";
import { AbortError, StorehouseError, wasSent } from "../core/errors.ts";
import { pagePrice, type Slice } from "../core/slice.ts";
import type { Dataset } from "../datasets/shared/define-dataset.ts";
import { landedPages, type LandedPage } from "../raw/read-answers.ts";
import { retryDatabase } from "./retry-database.ts";
import type { IngestParts } from "./ingest-parts.ts";
import { problemOf, stopAsking } from "./receipt.ts";

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
    return parts.apiOutage.through(() => askPage(parts, { operation, params, slice, page, signal }));
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
async function askPage(parts: IngestParts, request: PageRequest): Promise<LandedPage> {
  const { operation, slice, signal } = request;
  const planned = pagePrice(slice);
  const cost = () => Math.max(planned, parts.learned.get(operation.id) ?? 0);
  // what is not sent yet is given back as soon as everything is to stop; what is on its way has until the task is aborted
  const unsent = AbortSignal.any([signal, parts.halted]);
  const work = { cost, class: slice.class, signal: unsent, sliceId: slice.sliceId };
  const reply = await parts.queue.run(work, async () => {
    const from = parts.clock.now();
    try {
      const result = await parts.client.ask(operation, request.params, signal);
      if (result.problem instanceof AbortError) await stopWhereRefused(parts, request, result, cost());
      await parts.at?.("after answer", slice);
      // before its slot goes to the next call
      if (result.credits.price !== null) parts.learned.set(operation.id, result.credits.price);
      // paid for: a database that comes back soon gets it without asking again
      await retryDatabase(parts, () => landAnswer(parts, request, result));
      await parts.at?.("after landing");
      return { result, receipt: { ...result.credits, lost: false } };
    } catch (error) {
      stopAsking(parts, slice, error);
      if (error instanceof StorehouseError) await landLoss(parts, request, error, parts.clock.now() - from);
      throw error;
    }
  });
  const problem = await problemOf(parts, operation, reply, cost());
  if (problem !== null) throw problem;
  if (reply.credits.price !== null) await parts.batched.learn({ operation, charged: reply.credits.price });
  if (reply.answer === null) throw reply.problem;
  return { body: reply.answer, fetchedAt: reply.receivedAt };
}

/** Before the refusal is written down and its slot goes to the next call. What is in doubt here is looked at again after that. */
async function stopWhereRefused(parts: IngestParts, request: PageRequest, reply: Reply, cost: number): Promise<void> {
  const problem = await problemOf(parts, request.operation, reply, cost).catch(() => null);
  stopAsking(parts, request.slice, problem);
}

async function landAnswer(parts: IngestParts, request: PageRequest, reply: Reply): Promise<void> {
  await parts.batched.land({
    ...landingOf(parts, request),
    status: reply.status,
    errorCode: reply.problem?.code ?? null,
    cost: reply.credits.charged ?? 0,
    remaining: reply.credits.remaining,
    durationMs: reply.durationMs,
    byteCount: reply.byteCount,
    receivedAt: reply.receivedAt,
    body: reply.answer,
  });
}

/** A call without an answer. Whether it was charged is not known; the balance of the next answer tells. */
async function landLoss(
  parts: IngestParts,
  request: PageRequest,
  error: StorehouseError,
  durationMs: number,
): Promise<void> {
  if (!wasSent(error)) return;
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
