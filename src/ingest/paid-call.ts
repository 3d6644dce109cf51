import type { Params } from "../api/address.ts";
import type { Operation } from "../api/define-operation.ts";
import { answerHash } from "./account-calls.ts";
import type { Reply } from "../api/reply.ts";
import { steadyMs } from "../core/clock.ts";
import type { BudgetSubject } from "../core/credit-budget.ts";
import { AbortError, fail, FencedError, StorehouseError, unexpected, wasSent } from "../core/errors.ts";
import { pagePrice, type Slice, type Spender } from "../core/slice.ts";
import { subjectOf } from "../credits/account-stop.ts";
import { readAccount } from "../credits/account.ts";
import { callPrice } from "../credits/costs.ts";
import type { CallReceipt, Settlement } from "../credits/holds.ts";
import { readLostAt } from "../ledger/lost-days.ts";
import { isInterrupted } from "../postgres/database-errors.ts";
import type { LandedPage } from "../raw/read-answers.ts";
import type { Landing } from "../raw/store-answers.ts";
import { bookedReply } from "./booked-reply.ts";
import type { IngestParts } from "./ingest-parts.ts";
import { retryDatabase } from "./retry-database.ts";

/*
 * The steps of one call to the API, for a slice or for a person:
 *
 *   reserve    the credit queue holds its price, or throws a DeferError: nothing is sent without a hold
 *   send       the client sends it and classifies the reply by its status
 *   land       request and answer are committed before anything reads the body
 *   book       in the same statement the charge that the headers report replaces the hold; an implausible price is booked as documented
 *   learn      the charge becomes the price of the next holds, and of plans once a second call or the balance confirms it
 *
 * A reply whose body did not arrive is booked by its headers. A call without a reply is landed without one, unless it was never sent.
 * The balance check is free: it is only sent and landed.
 */

/** A request to the API, and the slice or caller that it is for. */
export type ApiCall = {
  readonly operation: Operation;
  readonly params: Params;
  readonly class: Spender;
  /** The slice and page that it is for; null if there is none: then its answer is stored only if it is for a `caller`. */
  readonly page: { readonly slice: Slice; readonly index: number } | null;
  /** The caller of the gateway that it is for, its floor instead of that of the class, and the dataset and app for budgets. */
  readonly caller?: { readonly name: string; readonly floor: number | undefined; readonly about: BudgetSubject };
};

/** A paid answer and the credits that it took. */
type PaidPage = LandedPage & { readonly charged: number };

/** Signals that abort a call. */
export type CallSignals = {
  /** Aborts a call that is not sent yet. */
  readonly unsent: AbortSignal;
  /** Aborts a call that is under way; without it a call runs to its end, since it is paid for. */
  readonly underWay?: AbortSignal;
};

/** A call that costs credits. */
export type PaidCall = ApiCall & CallSignals;

/** What a row of `ops.request` needs in addition to the call. */
type LandingParts = Pick<IngestParts, "accountId" | "account" | "scrub"> & { readonly workerId: string | null };

/** Makes a paid call and returns its answer. Throws the error of the reply, or of the connection if there is no reply. */
export async function paidCall(parts: IngestParts, call: PaidCall): Promise<PaidPage> {
  const { operation, page, caller } = call;
  const floor = caller?.floor === undefined ? {} : { floor: caller.floor };
  const about = caller === undefined ? {} : { about: caller.about };
  const held = { cost: () => priceOf(parts, call), class: call.class, signal: call.unsent, ...floor, ...about };
  const work = page === null ? held : { ...held, ...sliceWork(parts, page.slice) };
  const { reply, isShown, refusal } = await parts.queue.run(work, async (holdId) => {
    if (page !== null) await parts.apiOutage.mayBeSent(call.unsent);
    checkDay(parts, call);
    const sent = asPage(call, await send(parts, call));
    // first, so that nothing is sent while the refusal is landed
    const decided = await decideRefusal(parts, call, sent);
    await parts.crashPoint?.("after answer", page?.slice);
    const booked = await retryDatabase(parts, () => bookedReply(parts, operation, sent));
    // before its slot goes to the next call
    if (booked.reply.credits.price !== null) parts.learned.set(operation.id, booked.reply.credits.price);
    const receipt: CallReceipt = { ...booked.reply.credits, lost: false };
    await landOnce(parts, landingOf(parts, call, booked.reply), { holdId, receipt });
    await parts.crashPoint?.("after landing");
    return { result: { ...booked, refusal: decided }, charged: receipt.charged ?? 0 };
  });
  const problem = refusal ?? (await problemOf(parts, call, reply));
  if (problem !== null) throw problem;
  const { price } = reply.credits;
  if (reply.answer === null) throw reply.problem;
  if (price !== null) await parts.batched.learn({ operation, charged: price, isShown }, page?.slice);
  return { body: reply.answer, fetchedAt: reply.receivedAt, charged: reply.credits.charged ?? 0 };
}

/** Statuses that mean "no data". */
const nothingThere: ReadonlySet<number> = new Set([204, 404]);

/** A 404 or 204 for a further page counts as an empty last page: the pages before it are a whole answer. */
function asPage({ operation, page }: ApiCall, reply: Reply): Reply {
  if (page === null || page.index === 0 || operation.paging === null || !nothingThere.has(reply.status)) return reply;
  return { ...reply, answer: Buffer.alloc(0), problem: null, credits: { ...reply.credits, price: null } };
}

/**
 * Throws `day_over` for a snapshot whose day ended while its call waited: the answer would be about the new day. The slice is claimed again
 * and dated to that. Pages after the first belong to what is paid for.
 */
function checkDay({ clock }: IngestParts, { page }: PaidCall): void {
  if (page?.index === 0 && page.slice.class === "snapshot" && page.slice.asOf < clock.today())
    throw fail("day_over", { until: clock.now() });
}

/** What the credit queue needs to know about the slice of a call. */
function sliceWork({ db }: IngestParts, { sliceId, planId = null, dataset, scope }: Slice) {
  const about = { dataset, app: scope["app"] ?? null };
  return { sliceId, planId, about, lostAt: () => readLostAt(db, sliceId) };
}

/** Commits a request, and settles its hold, if any; retries while the database is unreachable. */
async function landOnce(parts: IngestParts, landing: Landing, settlement: Settlement | null = null): Promise<void> {
  let tries = 0;
  const land = () => parts.batched.land({ landing: { ...landing, isRepeat: (tries += 1) > 1 }, settlement });
  await retryDatabase(parts, land).catch((error: unknown) => {
    // a slice that fails with an interruption is tried again, and this answer would be bought each time
    throw isInterrupted(error) ? unexpected(error, parts.scrub) : error;
  });
}

/** The credits to hold: what the plan expects or, if that is more, what the last such call was charged. */
function priceOf({ learned }: IngestParts, { operation, page }: ApiCall): number {
  return page === null
    ? callPrice(operation, learned)
    : Math.max(pagePrice(page.slice), learned.get(operation.id) ?? 0);
}

async function send(parts: IngestParts, call: PaidCall): Promise<Reply> {
  const from = steadyMs();
  return parts.client.send(call.operation, call.params, call.underWay).catch(async (error: unknown) => {
    stopCalls(parts, call.page?.slice, error);
    if (error instanceof StorehouseError && wasSent(error)) {
      const durationMs = steadyMs() - from;
      await landOnce(parts, {
        ...requestOf(parts, call),
        ...noReply(error, durationMs),
        receivedAt: parts.clock.now(),
      });
    }
    throw error;
  });
}

/**
 * Decides what a refusal of the account (401, 403) means; null for any other reply. Until then the process sends no call. If the balance
 * shows that the credits ran out, the call is deferred; a check that a stop cuts decides nothing. Otherwise, also if the check fails, all calls stop.
 */
async function decideRefusal(parts: IngestParts, call: PaidCall, reply: Reply): Promise<StorehouseError | null> {
  const { problem } = reply;
  if (!(problem instanceof AbortError)) return null;
  const undecided = (error: unknown) => (error instanceof FencedError ? error : problem);
  const decide = async () => (parts.halted.aborted ? problem : problemOf(parts, call, reply).catch(undecided));
  // a command has no other calls
  if (call.page === null) return decide();
  return parts.queue.whileHeld(async () => {
    const decided = await decide();
    stopCalls(parts, call.page?.slice, decided);
    return decided;
  });
}

/** The row of a request and its reply, with the body of an answer for a slice or a caller. */
export function landingOf(parts: LandingParts, call: ApiCall, reply: Reply): Landing {
  const { status, problem, credits, durationMs, byteCount, receivedAt, answer } = reply;
  return {
    ...requestOf(parts, call),
    status,
    errorCode: problem?.code ?? null,
    cost: credits.charged ?? 0,
    remaining: credits.remaining,
    durationMs,
    byteCount,
    receivedAt,
    body: call.page === null && call.caller === undefined ? null : answer,
    callHash: answerHash(parts.account, call, { body: answer, sentAt: receivedAt - durationMs }),
  };
}

/** A call without a reply: the balance of the next reply shows whether it was charged. */
function noReply({ code }: StorehouseError, durationMs: number) {
  return {
    status: null,
    errorCode: code,
    cost: 0,
    remaining: null,
    durationMs,
    byteCount: 0,
    body: null,
    callHash: null,
  };
}

function requestOf({ accountId, workerId, scrub }: LandingParts, call: ApiCall) {
  const { operation, params, class: spender, page, caller } = call;
  // the list of a slice is stored as its batch
  const kept = Object.entries(params).filter(([, value]) => caller !== undefined || !Array.isArray(value));
  return {
    accountId,
    sliceId: page?.slice.sliceId ?? null,
    runId: page?.slice.runId ?? null,
    attempt: page?.slice.attempt ?? 0,
    page: page?.index ?? 0,
    // for budgets that are configured later
    dataset: page?.slice.dataset ?? (caller?.about.dataset || null),
    class: spender,
    operation: operation.id,
    scope: page?.slice.scope ?? appOf(operation, caller?.about.app ?? null),
    // someone may have pasted a secret
    params: Object.fromEntries(kept.map(([name, value]) => [name, scrubbed(value, scrub)])),
    caller: caller?.name ?? null,
    workerId,
  };
}

/** The app of a call without a slice, as a scope; null if it is not about one. */
function appOf({ store }: Operation, app: string | null): Readonly<Record<string, string>> | null {
  if (app === null) return null;
  return store === null ? { app } : { store, app };
}

function scrubbed(value: unknown, scrub: (text: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => scrubbed(item, scrub));
  return typeof value === "string" ? scrub(value) : value;
}

/** The problem of a reply, null for an answer. If the status may mean that the credits ran out, the balance decides. */
async function problemOf(parts: IngestParts, call: ApiCall, reply: Reply): Promise<StorehouseError | null> {
  const { problem, status, credits, mayMeanExhausted, receivedAt } = reply;
  if (!mayMeanExhausted) return problem;
  const known = await readAccount(parts.db, parts.accountId);
  const isChecked = credits.remaining !== null || (known?.observedAt ?? 0) > receivedAt;
  if (!isChecked) await parts.refreshBalance();
  const account = isChecked ? known : await readAccount(parts.db, parts.accountId);
  const remaining = credits.remaining ?? account?.remaining ?? null;
  if (remaining === null || remaining >= priceOf(parts, call)) return problem;
  const until = credits.resetsAt ?? account?.resetsAt;
  return fail("credits_exhausted", { operation: call.operation.id, status, remaining, until });
}

/** Stops all calls of the process if the error of a slice means that the API refuses the token or the account. */
export function stopCalls({ abort }: Pick<IngestParts, "abort">, slice: Slice | undefined, error: unknown): void {
  if (slice === undefined || !(error instanceof AbortError)) return;
  const { dataset, scope } = slice;
  abort(fail(error.code, { ...error.context, dataset, subject: subjectOf(scope) || undefined }, error));
}
