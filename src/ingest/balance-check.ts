import type { Client } from "../api/client.ts";
import { remainingCredits } from "../api/operations/account.ts";
import { readAnswer } from "../api/read-answer.ts";
import type { Clock } from "../core/clock.ts";
import { AbortError, DeferError, fail, RetryError, StorehouseError } from "../core/errors.ts";
import { liftStop, readStop, type AccountStop } from "../credits/account-stop.ts";
import { observeBalance, readAccount } from "../credits/account.ts";
import { endOutage, noteOutage } from "../ledger/api-outages.ts";
import type { Database } from "../postgres/database.ts";
import { land } from "../raw/store-answers.ts";
import { outageSigns } from "./api-outage.ts";
import type { IngestParts } from "./ingest-parts.ts";
import { landingOf } from "./paid-call.ts";
import { retryCall } from "./request-once.ts";

/** What a balance check takes. */
export type BalanceParts = {
  readonly db: Database;
  readonly client: Client;
  readonly clock: Clock;
  readonly accountId: string;
  readonly workerId: string | null;
  /** Cuts the check, which is free, also while it is under way: otherwise a process that stops would wait until its time is over. */
  readonly signal?: AbortSignal;
};

/** A century: a longer period, or one of zero, means that there is none. */
const longestPeriodHours = 100 * 366 * 24;

/** Checks the balance, which is free, and books it. Throws the error that the status of the reply maps to. */
export async function refreshBalance({ db, client, clock, accountId, workerId, signal }: BalanceParts): Promise<void> {
  const checkedAt = clock.now();
  const call = { operation: remainingCredits, params: {}, class: "snapshot", page: null } as const;
  const reply = await client.send(call.operation, call.params, signal);
  await land(db, landingOf({ accountId, account: "", workerId, scrub: String }, call, reply));
  if (reply.answer === null) throw reply.problem;
  const answer = remainingCredits.answer.parse(readAnswer(remainingCredits, reply.answer).value);
  const [resetTime, period] = [answer.creditResetTime ?? 0, answer.creditResetPeriod ?? 0];
  const balance = {
    total: Math.floor(answer.creditTotal),
    remaining: Math.floor(answer.creditRemaining),
    // if seconds are rounded down, the last second of a period is 0: the known deadline still holds
    resetsAt: resetTime > 0 ? reply.receivedAt + resetTime * 1000 : null,
    periodHours: period > 0 && period <= longestPeriodHours ? period : null,
    sentAt: checkedAt,
  };
  await observeBalance(db, accountId, balance, clock);
}

/**
 * The balance check of a starting command: a wrong token shows before anything is planned. Errors that may pass are retried a few times.
 */
export async function checkBalance(parts: IngestParts, stop: AbortSignal): Promise<void> {
  try {
    await retryCall(parts, stop, async () => {
      await parts.refreshBalance();
      await liftStop(parts.db, parts.accountId, remainingCredits.id);
      await endOutage(parts.db, parts.accountId, parts.clock.now());
    });
  } catch (error) {
    const known = await explained(parts, error);
    await noteProblem(parts, known);
    throw ofCheck(known);
  }
}

/** Records for the overview that the API refuses the account or does not respond: no run shows that. */
async function noteProblem({ db, accountId, clock, abort }: IngestParts, error: unknown): Promise<void> {
  if (error instanceof AbortError) abort(error);
  // a hint says that the cause is on this machine
  else if (error instanceof StorehouseError && outageSigns.has(error.code) && error.context["hint"] === undefined)
    await noteOutage(db, accountId, error.code, clock.now()).catch(() => undefined);
}

/** An error that may pass, as one of the check: its own next step says what becomes of slices. */
function ofCheck(error: unknown): unknown {
  if (!(error instanceof RetryError) || error.context["hint"] !== undefined) return error;
  return fail("balance_unchecked", { cause: error.code, problem: error.problem }, error);
}

/**
 * The balance check of a starting worker: it waits while the API does not respond, and ignores any other error that may pass until the next
 * check. A check that the API accepts lifts the stop of the account; returns the stop if it stands because none was accepted. Throws if the
 * API refuses the account, if the address leads to no API, or if the process is stopping.
 */
export async function awaitBalance(parts: IngestParts): Promise<AccountStop | null> {
  const { db, accountId } = parts;
  try {
    if (await isAccepted(() => parts.apiOutage.through(parts.refreshBalance))) {
      await liftStop(db, accountId);
      return null;
    }
    if ((await readStop(db, accountId)) === null) return null;
    // the API responds by now, and accepts the check unless it is still busy
    const accepted = await isAccepted(() => retryCall(parts, parts.halted, parts.refreshBalance));
    // the retries take a while, in which another process may have lifted the stop
    if (!accepted) return await readStop(db, accountId);
    await liftStop(db, accountId);
    return null;
  } catch (error) {
    throw await explained(parts, error);
  }
}

/** False if a balance check ended with an error that may pass. */
async function isAccepted(check: () => Promise<void>): Promise<boolean> {
  try {
    await check();
    return true;
  } catch (error) {
    if (error instanceof RetryError || error instanceof DeferError) return false;
    throw error;
  }
}

/** Errors of the first check that a wrong address explains best. */
const addressCodes: ReadonlySet<string> = new Set(["no_connection", "not_found", "not_json", "unknown_shape"]);

async function explained(parts: IngestParts, error: unknown): Promise<unknown> {
  if (!(error instanceof StorehouseError) || !addressCodes.has(error.code)) return error;
  // a problem with a proxy or a certificate says nothing about the address
  if (error.context["hint"] !== undefined) return error;
  // an address that worked before is right, and the service is unavailable, unless the server there has no balance check
  const account = await readAccount(parts.db, parts.accountId);
  if (account?.observedAt != null && error.code !== "not_found") return error;
  const reasons = [error.code, error.context["cause"]].filter((reason) => reason !== undefined).join(": ");
  return fail("bad_setting", { variable: "API_BASE_URL", problem: `does not lead to the API (${reasons})` }, error);
}
