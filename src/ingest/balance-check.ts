import type { Client } from "../api/client.ts";
import { remainingCredits } from "../api/operations/account.ts";
import { readAnswer } from "../api/read-answer.ts";
import type { Clock } from "../core/clock.ts";
import { DeferError, fail, RetryError, StorehouseError } from "../core/errors.ts";
import { retry, type RetryOptions } from "../core/retry.ts";
import { liftStop } from "../credits/account-stop.ts";
import { observeBalance, readAccount } from "../credits/account.ts";
import type { Database } from "../postgres/database.ts";
import { land } from "../raw/store-answers.ts";
import type { IngestParts } from "./ingest-parts.ts";

/** What asking for the balance takes. */
export type BalanceParts = {
  readonly db: Database;
  readonly client: Client;
  readonly clock: Clock;
  readonly accountId: string;
  readonly workerId: string | null;
};

/** Asks the service for the balance, which is free, notes the request, and books the answer. Throws what the status stands for. */
export async function refreshBalance({ db, client, clock, accountId, workerId }: BalanceParts): Promise<void> {
  const askedAt = clock.now();
  const reply = await client.ask(remainingCredits, {});
  await land(db, {
    accountId,
    sliceId: null,
    attempt: 0,
    page: 0,
    dataset: null,
    class: "snapshot",
    operation: remainingCredits.id,
    params: {},
    status: reply.status,
    errorCode: reply.problem?.code ?? null,
    cost: 0,
    remaining: reply.credits.remaining,
    durationMs: reply.durationMs,
    byteCount: reply.byteCount,
    workerId,
    receivedAt: reply.receivedAt,
    body: null,
  });
  if (reply.answer === null) throw reply.problem;
  const told = remainingCredits.answer.parse(readAnswer(remainingCredits, reply.answer).value);
  const balance = {
    total: Math.floor(told.creditTotal),
    remaining: Math.floor(told.creditRemaining),
    // the last second of a period is told as 0 where seconds are rounded down: the deadline that is known still holds
    resetsAt: told.creditResetTime > 0 ? reply.receivedAt + told.creditResetTime * 1000 : null,
    periodHours: told.creditResetPeriod ?? null,
    askedAt,
  };
  await observeBalance(db, accountId, balance, clock);
}

/** The first question of a process: a wrong token shows before anything is planned. What may pass is asked again, a few times. */
export async function checkBalance(parts: IngestParts, stop: AbortSignal): Promise<void> {
  const options: RetryOptions = {
    clock: parts.clock,
    backoff: { firstMs: parts.retryMs },
    signal: stop,
    again: (error, failures) => error instanceof RetryError && failures < error.attempts && !stop.aborted,
  };
  try {
    await retry(options, async () => {
      await parts.refreshBalance();
      await liftStop(parts.db, parts.accountId, remainingCredits.id);
    });
  } catch (error) {
    throw await explained(parts, error);
  }
}

/**
 * The first question of a worker: an API that is away is waited for, and what else may pass is left to whoever needs the balance next.
 * Throws when the account is refused, when the address leads to no API, and when everything is to stop.
 */
export async function awaitBalance(parts: IngestParts): Promise<void> {
  try {
    await parts.apiOutage.through(parts.refreshBalance);
  } catch (error) {
    if (error instanceof RetryError || error instanceof DeferError) return;
    throw await explained(parts, error);
  }
}

/** Errors of the first question that a wrong address explains best. */
const addressCodes: ReadonlySet<string> = new Set(["no_connection", "not_found", "not_json", "unknown_shape"]);

async function explained(parts: IngestParts, error: unknown): Promise<unknown> {
  if (!(error instanceof StorehouseError) || !addressCodes.has(error.code)) return error;
  // an address that led there before is right: the service is away
  const account = await readAccount(parts.db, parts.accountId);
  if (account?.observedAt != null) return error;
  return fail("bad_setting", { variable: "API_BASE_URL", problem: `leads to no API (${error.code})` }, error);
}
