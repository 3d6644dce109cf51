import type { z } from "zod";
import type { Params } from "../api/address.ts";
import type { Operation } from "../api/define-operation.ts";
import { readAnswer, type InvalidItem } from "../api/read-answer.ts";
import type { Reply } from "../api/reply.ts";
import { RetryError, StorehouseError, wasSent } from "../core/errors.ts";
import { retry, type RetryOptions } from "../core/retry.ts";
import { retryDatabase } from "./retry-database.ts";
import type { IngestParts } from "./ingest-parts.ts";
import { problemOf } from "./receipt.ts";

/** A call that a person asks for. Aborting `signal` takes back what is not sent yet; what is sent runs to its end, since it is paid for. */
export type Question<O extends Operation = Operation> = {
  readonly operation: O;
  readonly params: Params;
  readonly signal: AbortSignal;
};

/** What came of it: the checked answer, and the items of it that were left out because they do not fit the contract. */
export type CheckedAnswer<O extends Operation> = {
  readonly value: z.output<O["answer"]>;
  readonly invalid: readonly InvalidItem[];
};

/**
 * Asks one thing for a person: granted by the ledger down to the last credit, since the floors are kept for people, and noted like any
 * request. No table is made of the answer, so its body is not stored. What may pass is asked again, a few times; then it is thrown.
 */
export async function requestOnce<O extends Operation>(
  parts: IngestParts,
  question: Question<O>,
): Promise<CheckedAnswer<O>> {
  const { signal } = question;
  const options: RetryOptions = {
    clock: parts.clock,
    backoff: { firstMs: parts.retryMs },
    signal,
    again: (error, failures) => error instanceof RetryError && failures < error.attempts && !signal.aborted,
  };
  return retry(options, async () => {
    const { value, invalid } = readAnswer(question.operation, await send(parts, question));
    // it was checked by the operation's own schema
    return { value: value as z.output<O["answer"]>, invalid };
  });
}

/** One call, granted, sent, noted. Throws what its status stands for. */
async function send(parts: IngestParts, { operation, params, signal }: Question): Promise<Buffer> {
  const cost = () => parts.learned.get(operation.id) ?? operation.cost;
  const reply = await parts.queue.run({ cost, class: "person", signal }, async () => {
    const from = parts.clock.now();
    try {
      const result = await parts.client.ask(operation, params);
      await note(parts, { operation, params }, result);
      return { result, receipt: { ...result.credits, lost: false } };
    } catch (error) {
      if (error instanceof StorehouseError && wasSent(error))
        await noteLoss(parts, { operation, params }, error, parts.clock.now() - from);
      throw error;
    }
  });
  const problem = await problemOf(parts, operation, reply, cost());
  if (problem !== null) throw problem;
  const { price } = reply.credits;
  if (price !== null) {
    parts.learned.set(operation.id, price);
    await parts.batched.learn({ operation, charged: price });
  }
  if (reply.answer === null) throw reply.problem;
  return reply.answer;
}

type Call = Pick<Question, "operation" | "params">;

async function note(parts: IngestParts, call: Call, reply: Reply): Promise<void> {
  const { status, durationMs, receivedAt, byteCount, credits } = reply;
  const told = {
    status,
    errorCode: reply.problem?.code ?? null,
    cost: credits.charged ?? 0,
    remaining: credits.remaining,
    durationMs,
    byteCount,
    receivedAt,
  };
  await retryDatabase(parts, () => parts.batched.land({ ...landingOf(parts, call), ...told }));
}

/** A call without an answer. Whether it was charged is not known; the balance of the next answer tells. */
async function noteLoss(parts: IngestParts, call: Call, { code }: StorehouseError, durationMs: number): Promise<void> {
  const told = { status: null, errorCode: code, cost: 0, remaining: null, durationMs, byteCount: 0 };
  await parts.batched.land({ ...landingOf(parts, call), ...told, receivedAt: parts.clock.now() });
}

function landingOf(parts: IngestParts, { operation, params }: Call) {
  const scalars = Object.entries(params).filter(([, value]) => !Array.isArray(value));
  return {
    accountId: parts.accountId,
    sliceId: null,
    attempt: 0,
    page: 0,
    dataset: null,
    class: "person",
    operation: operation.id,
    // people paste all sorts of things
    params: Object.fromEntries(scalars.map(([name, value]) => [name, parts.scrub(String(value))])),
    workerId: parts.workerId,
    body: null,
  };
}
