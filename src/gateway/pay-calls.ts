import { AbortError, type StorehouseError } from "../core/errors.ts";
import { callPrice } from "../credits/costs.ts";
import { paidCall } from "../ingest/paid-call.ts";
import { Refusal } from "../api/serve/refusal.ts";
import { creditHeadersOf, leftOfDay, nextDay, noteSpent } from "./allowance.ts";
import { claimedElsewhere } from "./claimed-calls.ts";
import type { TableFeeder } from "./feed-tables.ts";
import type { Answered, Call, Caller, GatewayParts } from "./gateway-parts.ts";

/** Sends a call and pays for it. Throws a Refusal, or the error for the service's reply or the allowance. */
export type PayCall = (call: Call, caller: Caller) => Promise<Answered>;

/** After the service refuses the account itself, nothing is sent for this long. */
const refusedForMs = 60_000;

/** Most calls in flight have ended after this. */
const repeatedAfterMs = 1_000;

/**
 * Creates the function. It tracks the cost of each caller's calls under way, and sends nothing for a while after a refusal of the account.
 */
export function createPayCall(parts: GatewayParts, { subjectOf }: Pick<TableFeeder, "subjectOf">): PayCall {
  const { ingest } = parts;
  const { clock } = ingest;
  const reserved = new Map<string, number>();
  let refused: { readonly error: StorehouseError; readonly until: number } | null = null;

  /** Keeps a caller within its daily limit; calls under way count at their price, including those of other gateways. */
  async function withinDay<T>(caller: Caller, cost: number, send: () => Promise<T>): Promise<T> {
    const before = reserved.get(caller.name) ?? 0;
    reserved.set(caller.name, before + cost);
    try {
      // read first: a call that another gateway ends in the meantime then counts as a request
      const elsewhere = caller.credits_a_day === undefined ? 0 : await claimedElsewhere(ingest, caller.name);
      const all = await leftOfDay(parts, caller);
      if (all !== null && all < cost) throw dayIsSpent(all, cost, clock.now());
      if (all !== null && all < elsewhere + before + cost) throw dayIsReserved(all, cost, clock.now());
      return await send();
    } finally {
      reserved.set(caller.name, (reserved.get(caller.name) ?? 0) - cost);
      noteSpent(parts, caller);
    }
  }

  return async function pay({ operation, params }: Call, caller: Caller): Promise<Answered> {
    if (refused !== null && clock.now() < refused.until) throw refused.error;
    // not sent: it goes to the next session
    ingest.halted.throwIfAborted();
    const cost = callPrice(operation, ingest.learned);
    const paid = {
      operation,
      params,
      class: caller.class,
      page: null,
      caller: { name: caller.name, floor: caller.floor, about: await subjectOf({ operation, params }) },
    };
    try {
      // paid for once it is sent: a caller that disconnects does not stop it
      const page = await withinDay(caller, cost, () => paidCall(ingest, { ...paid, unsent: ingest.halted }));
      refused = null;
      return { body: page.body, fetchedAt: page.fetchedAt, cost: page.charged, from: "miss" };
    } catch (error) {
      if (error instanceof AbortError && error.code === "unauthorised")
        refused = { error, until: clock.now() + refusedForMs };
      throw error;
    }
  };
}

/** Refuses a call that costs more than the caller's day has left. */
function dayIsSpent(remaining: number, cost: number, now: number): Refusal {
  const problem = `the caller has ${remaining} credits left today, but this call takes ${cost}`;
  return new Refusal(429, problem, creditHeadersOf({ remaining, resetsAt: nextDay(now) }, { cost: null, now }));
}

/**
 * Refuses a call that fits what the caller's day has left, but not in addition to its calls under way. Some of these may be refused as well,
 * or have just been charged: it is like a refusal of the pace, after which the call is repeated.
 */
function dayIsReserved(remaining: number, cost: number, now: number): Refusal {
  const problem = `the caller has ${remaining} credits left today, but its calls in flight may take them, and this call takes ${cost}: repeat it later`;
  const resetsAt = now + repeatedAfterMs;
  return new Refusal(429, problem, creditHeadersOf({ remaining, resetsAt }, { cost: null, now }));
}
