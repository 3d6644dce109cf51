import type { SharedAnswer } from "../api/credit-headers.ts";
import { addKeywords, deleteKeywords } from "../api/operations/dashboard-keyword.ts";
import { questionIn } from "../ingest/account-calls.ts";
import { isReadable } from "../api/read-answer.ts";
import { windowOfCall } from "../api/range.ts";
import { Refusal } from "../api/serve/refusal.ts";
import { dayOf } from "../core/day.ts";
import { AbortError, DeferError, fail, RetryError, type StorehouseError, messageOf } from "../core/errors.ts";
import { noteSpared } from "../credits/caller-use.ts";
import { callPrice } from "../credits/costs.ts";
import { datasetNamed, datasets } from "../datasets/shared/all.ts";
import { paidCall } from "../ingest/paid-call.ts";
import { changedSince } from "../ledger/amend-slices.ts";
import { forget } from "../person/keyword-changes.ts";
import { settingsOf, timingWith } from "../planner/dataset-settings.ts";
import { withAdvisoryLock } from "../postgres/advisory-lock.ts";
import { lastAnswerTo, type StoredAnswer } from "../raw/answers-to.ts";
import { creditHeadersOf, leftOfDay, nextDay } from "./allowance.ts";
import { asOnlyOne, claimedElsewhere } from "./claimed-calls.ts";
import { createEmptyReplies } from "./empty-replies.ts";
import type { TableFeeder } from "./feed-tables.ts";
import { isFinalAnswer } from "./freshness.ts";
import type { Call, Caller, GatewayParts } from "./gateway-parts.ts";

/*
 * One call of a caller:
 *
 *   stored      an answer to an equal call that is still fresh costs nothing
 *   empty       a reply that there is nothing (204, 404) is given again for a while
 *   under way   an equal call of this process or of another gateway is waited for, and costs the second caller nothing
 *   paid        anything else is reserved, sent, landed and booked like any other paid call, under the caller's class, floor and day;
 *               what is handed on is committed by then, and is loaded into a table after that where a dataset knows it
 *
 * A call that changes something at the service is always paid, and never handed to another.
 */

/** An answer as a caller gets it: where it is from, when it came (epoch-ms), and what it took. */
type Answered = {
  readonly body: Buffer;
  readonly fetchedAt: number;
  readonly cost: number;
  readonly from: SharedAnswer;
};

/** Answers calls. Disposing waits for those under way and for what is being loaded. */
export interface CallAnswerer extends AsyncDisposable {
  /** Throws a Refusal, or what the service's reply or the allowance stands for. */
  readonly answer: (call: Call, caller: Caller) => Promise<Answered>;
}

/** After a refusal of the account itself nothing is sent for so long. */
const refusedForMs = 60_000;

/** Makes one. */
export function createCallAnswerer(parts: GatewayParts, feeder: TableFeeder): CallAnswerer {
  const { ingest } = parts;
  const { clock, log } = ingest;
  const calls = new Set<Promise<Answered>>();
  const underWay = new Map<string, Promise<Answered>>();
  const reserved = new Map<string, number>();
  const empty = createEmptyReplies(clock, parts.app.config.settings.gateway.fresh_minutes);
  let refused: { readonly error: StorehouseError; readonly until: number } | null = null;
  let changing: Promise<unknown> = Promise.resolve();
  let feeding: Promise<unknown> = feeder.feedLeftOver().catch(noteFailure);

  function noteFailure(error: unknown): void {
    // the answer is stored: the next start tries again
    log.warn({ problem: ingest.scrub(messageOf(error)) }, "gateway.not_loaded");
  }

  const priceOf = ({ operation }: Pick<Call, "operation">) => callPrice(operation, ingest.learned);

  /** Keeps a caller within its day, its calls under way counted at their price, those of other gateways as well. */
  async function withinDay<T>(caller: Caller, cost: number, send: () => Promise<T>): Promise<T> {
    const before = reserved.get(caller.name) ?? 0;
    reserved.set(caller.name, before + cost);
    try {
      // first: what another gateway has ended since is a request by then
      const elsewhere = caller.credits_a_day === undefined ? 0 : await claimedElsewhere(ingest, caller.name);
      const all = await leftOfDay(parts, caller);
      const left = all === null ? null : all - elsewhere;
      if (left !== null && left < before + cost) throw dayIsSpent(Math.max(0, left - before), cost, clock.now());
      return await send();
    } finally {
      reserved.set(caller.name, (reserved.get(caller.name) ?? 0) - cost);
    }
  }

  async function pay({ operation, params }: Call, caller: Caller): Promise<Answered> {
    if (refused !== null && clock.now() < refused.until) throw refused.error;
    if (ingest.halted.aborted) throw ingest.stoppedBy() ?? fail("stopped");
    const cost = priceOf({ operation });
    const paid = {
      operation,
      params,
      class: caller.class,
      page: null,
      caller: { name: caller.name, floor: caller.floor, about: await feeder.subjectOf({ operation, params }) },
    };
    try {
      // paid for once it is sent: a caller that leaves does not stop it
      const page = await withinDay(caller, cost, () => paidCall(ingest, { ...paid, unsent: ingest.halted }));
      refused = null;
      return { body: page.body, fetchedAt: page.fetchedAt, cost: page.charged, from: "miss" };
    } catch (error) {
      if (error instanceof AbortError && error.code === "unauthorised")
        refused = { error, until: clock.now() + refusedForMs };
      throw error;
    }
  }

  async function storedAnswer(call: Call, question: string): Promise<Omit<Answered, "from"> | null> {
    const stored = await lastAnswerTo(ingest.db, question);
    if (stored === null || !isUsable(parts, call, stored)) return null;
    return { body: stored.body, fetchedAt: stored.fetchedAt, cost: 0 };
  }

  async function storedOrPaid(call: Call, caller: Caller, question: string): Promise<Answered> {
    const found = async (hasWaited: boolean): Promise<Answered | null> => {
      const stored = await storedAnswer(call, question);
      if (stored !== null) return { ...stored, from: hasWaited ? "joined" : "hit" };
      // after it: what came since says more
      empty.check(question);
      return null;
    };
    const work = async () => {
      const paid = await pay(call, caller).catch((error: unknown) => {
        empty.note(question, error);
        throw error;
      });
      feeding = feeding.then(() => feeder.feed(call)).catch(noteFailure);
      return paid;
    };
    const claimed = { question, caller: caller.name, credits: priceOf(call) };
    return asOnlyOne(ingest, claimed, { found, work });
  }

  /** Counts what a caller was spared; an answer waits for no count. */
  function noted(call: Call, caller: Caller, answer: Answered): Answered {
    if (answer.from === "miss") return answer;
    const saved = priceOf(call);
    const use = { day: dayOf(clock.now()), caller: caller.name, from: answer.from, saved };
    feeding = feeding.then(() => noteSpared(ingest.db, use)).catch(noteFailure);
    return answer;
  }

  async function shared(call: Call, caller: Caller): Promise<Answered> {
    const question = questionIn(ingest.account, call.operation, call.params);
    const first = underWay.get(question);
    if (first === undefined) {
      const own = storedOrPaid(call, caller, question).finally(() => underWay.delete(question));
      underWay.set(question, own);
      return own;
    }
    try {
      const joined = await first;
      return joined.from === "miss" ? { ...joined, cost: 0, from: "joined" } : joined;
    } catch (error) {
      // the other caller's limits are not this one's
      if (error instanceof Refusal || error instanceof DeferError) return shared(call, caller);
      throw error;
    }
  }

  /**
   * Keywords are changed under the lock that people take for it. One change of this process at a time waits for it: each takes a connection,
   * and the one that has it needs another.
   */
  function changed(call: Call, caller: Caller): Promise<Answered> {
    if (!doesChangeKeywords(call)) return change(call, caller);
    const own = changing.then(() => withAdvisoryLock(ingest.db, "keywords", () => change(call, caller)));
    changing = own.catch(() => undefined);
    return own;
  }

  /** What is known of before holds no more, also where nobody knows whether the change was made. */
  async function change(call: Call, caller: Caller): Promise<Answered> {
    const outdated = async () => {
      empty.forget();
      await forgetLists(parts, call);
    };
    const answer = await pay(call, caller).catch(async (error: unknown) => {
      if (error instanceof RetryError && error.code !== "too_many_requests") await outdated();
      throw error;
    });
    await outdated();
    return answer;
  }

  async function answerOf(call: Call, caller: Caller): Promise<Answered> {
    if (call.operation.changes === true) return changed(call, caller);
    return noted(call, caller, await shared(call, caller));
  }

  return {
    answer: async (call, caller) => {
      const own = answerOf(call, caller);
      calls.add(own);
      return own.finally(() => calls.delete(own));
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.allSettled(calls);
      await feeding;
    },
  };
}

/** Refuses a caller what its day has no credits for, those of its calls under way left out. */
function dayIsSpent(remaining: number, cost: number, now: number): Refusal {
  const problem = `the caller has ${remaining} credits left today, and this takes ${cost}`;
  return new Refusal(429, problem, creditHeadersOf({ remaining, resetsAt: nextDay(now) }, { cost: null, now }));
}

/** True for a call that changes which keywords the account tracks. */
function doesChangeKeywords({ operation }: Call): boolean {
  return operation === addKeywords || operation === deleteKeywords;
}

/** Keywords that were added or removed have the account's lists read again. */
async function forgetLists({ app }: GatewayParts, call: Call): Promise<void> {
  if (!doesChangeKeywords(call)) return;
  const { trackId, countryCode } = call.params;
  await forget({ app }, { trackId: String(trackId), country: String(countryCode) }, { isAppTracked: false }, null);
}

/** True for a stored answer that can be read and that no plan would request again by now. */
function isUsable(parts: GatewayParts, call: Call, stored: StoredAnswer): boolean {
  const { settings } = parts.app.config;
  const { clock } = parts.ingest;
  const { slice, fetchedAt } = stored;
  if (slice !== null && (slice.state === "failed" || slice.fingerprint === changedSince)) return false;
  const today = clock.today();
  const belongsTo =
    slice === null ? datasets.filter((one) => one.operations.includes(call.operation)) : [datasetNamed(slice.dataset)];
  const dated = {
    asOf: slice?.asOf ?? dayOf(fetchedAt),
    window: windowOfCall(call.operation, call.params) ?? (slice?.class === "snapshot" ? null : (slice?.window ?? null)),
    mayBeEmpty: slice === null || slice.state === "empty",
    isSnapshot: slice?.class === "snapshot",
  };
  const timings = belongsTo.map((dataset) => timingWith(dataset.timing, settingsOf(dataset, settings), today));
  const isYoung = clock.now() - fetchedAt < settings.gateway.fresh_minutes * 60_000;
  return (isFinalAnswer(dated, timings, today) ?? isYoung) && isReadable(call.operation, stored.body);
}
