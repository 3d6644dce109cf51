import { callHashIn } from "../ingest/account-calls.ts";
import { Refusal } from "../api/serve/refusal.ts";
import { dayOf, startOfDay } from "../core/day.ts";
import { DeferError } from "../core/errors.ts";
import { saysNothing } from "../person/api-session.ts";
import { noteSpared } from "../credits/caller-use.ts";
import { callPrice } from "../credits/costs.ts";
import { createChangeCall } from "./change-calls.ts";
import { asOnlyOne } from "./claimed-calls.ts";
import { createEmptyReplies, withoutCharge } from "./empty-replies.ts";
import { createFeedQueue } from "./feed-queue.ts";
import type { TableFeeder } from "./feed-tables.ts";
import type { Answered, Call, Caller, GatewayParts } from "./gateway-parts.ts";
import { createPayCall } from "./pay-calls.ts";
import { storedAnswer } from "./stored-answers.ts";
import { isAbout } from "./tracked-lists.ts";

/*
 * One call of a caller:
 *
 *   stored      an answer to an equal call that is still fresh costs nothing
 *   empty       a reply that there is nothing (204, 404) is repeated for a while
 *   under way   an equal call of this process or of another gateway is waited for, and costs the second caller nothing
 *   paid        anything else is reserved, sent, landed and booked like any other paid call, under the caller's class, floor and day;
 *               it is committed before it is passed on, and then loaded into a table if a dataset knows it
 *
 * A call that changes something at the service is always paid, and its answer is never shared with another caller.
 */

/** Answers calls. Disposing waits for calls under way and for answers that are being loaded, but not for replays. */
export interface CallAnswerer extends AsyncDisposable {
  /** Throws a Refusal, or the error for the service's reply or the allowance. */
  readonly answer: (call: Call, caller: Caller) => Promise<Answered>;
}

/** Creates the answerer of a session. */
export function createCallAnswerer(parts: GatewayParts, feeder: TableFeeder): CallAnswerer {
  const { ingest } = parts;
  const { clock } = ingest;
  const calls = new Set<Promise<Answered>>();
  const underWay = new Map<string, { readonly call: Call; readonly answer: Promise<Answered> }>();
  const empty = createEmptyReplies(clock, parts.app.config.settings.gateway.fresh_minutes);
  const pay = createPayCall(parts, feeder);
  const leave = (change: Call): void => {
    for (const [callHash, { call }] of underWay) if (isAbout(change, call)) underWay.delete(callHash);
  };
  const closing = new AbortController();
  const payChange = createChangeCall(parts, { pay, empty, leave, closing: closing.signal });
  const afterwards = createFeedQueue(parts, feeder);

  const plannedToday = (call: Call) => {
    const now = clock.now();
    return feeder.find(call, { today: clock.today(), start: startOfDay(dayOf(now)) });
  };
  const priceOf = ({ operation }: Pick<Call, "operation">) => callPrice(operation, ingest.learned);

  async function storedOrPaid(call: Call, caller: Caller, callHash: string): Promise<Answered> {
    const found = async (hasWaited: boolean): Promise<Answered | null> => {
      const stored = await storedAnswer(parts, { call, callHash, planned: () => plannedToday(call) });
      if (stored !== null) return { ...stored, from: hasWaited ? "joined" : "hit" };
      // checked second: an answer that came since takes precedence
      empty.check(callHash);
      return null;
    };
    const work = async () => {
      const paid = await pay(call, caller).catch((error: unknown) => {
        empty.note(callHash, error);
        throw error;
      });
      afterwards.feed(call, paid.fetchedAt);
      return paid;
    };
    const claimed = { callHash, caller: caller.name, credits: priceOf(call) };
    return asOnlyOne(ingest, claimed, { found, work });
  }

  /** Counts the credits that a caller saved; the answer does not wait for it. */
  function noted(call: Call, caller: Caller, answer: Answered): Answered {
    if (answer.from === "miss") return answer;
    const saved = priceOf(call);
    const use = { day: dayOf(clock.now()), caller: caller.name, from: answer.from, saved };
    afterwards.add(() => noteSpared(ingest.db, use));
    return answer;
  }

  async function shared(call: Call, caller: Caller): Promise<Answered> {
    const callHash = callHashIn(ingest.account, call, clock.now());
    const first = underWay.get(callHash);
    if (first === undefined) {
      const answer = storedOrPaid(call, caller, callHash).finally(() => {
        if (underWay.get(callHash) === own) underWay.delete(callHash);
      });
      const own = { call, answer };
      underWay.set(callHash, own);
      return answer;
    }
    try {
      const joined = await first.answer;
      return joined.from === "miss" ? { ...joined, cost: 0, from: "joined" } : joined;
    } catch (error) {
      // the other caller's limits do not apply to this one
      if (error instanceof Refusal || error instanceof DeferError) return shared(call, caller);
      throw saysNothing(error) ? withoutCharge(error) : error;
    }
  }

  async function answerOf(call: Call, caller: Caller): Promise<Answered> {
    if (call.operation.changes === true) return payChange(call, caller);
    return noted(call, caller, await shared(call, caller));
  }

  return {
    answer: async (call, caller) => {
      const own = answerOf(call, caller);
      calls.add(own);
      return own.finally(() => calls.delete(own));
    },
    [Symbol.asyncDispose]: async () => {
      closing.abort();
      await Promise.allSettled(calls);
      await afterwards[Symbol.asyncDispose]();
    },
  };
}
