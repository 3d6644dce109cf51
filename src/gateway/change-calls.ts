import { RetryError } from "../core/errors.ts";
import { makeListsDue } from "../person/tracked-lists.ts";
import { withAdvisoryLock } from "../postgres/advisory-lock.ts";
import type { EmptyReplies } from "./empty-replies.ts";
import type { Answered, Call, Caller, GatewayParts } from "./gateway-parts.ts";
import type { PayCall } from "./pay-calls.ts";
import { doesChangeKeywords } from "./tracked-lists.ts";

/**
 * Creates the function that sends calls that change something at the service, and forgets what was known before them. `leave`: calls that
 * begin after the change do not join those that were under way during it. `closing`: changes do not wait for others after its abort.
 */
export function createChangeCall(
  parts: GatewayParts,
  {
    pay,
    empty,
    leave,
    closing,
  }: {
    readonly pay: PayCall;
    readonly empty: EmptyReplies;
    readonly leave: (change: Call) => void;
    readonly closing: AbortSignal;
  },
): PayCall {
  const { ingest } = parts;
  let changing: Promise<unknown> = Promise.resolve();

  /** Earlier knowledge is no longer valid, even if it is unknown whether the change was made. */
  async function change(call: Call, caller: Caller): Promise<Answered> {
    const outdated = async () => {
      empty.forget();
      leave(call);
      await forgetLists(parts, call);
    };
    const answer = await pay(call, caller).catch(async (error: unknown) => {
      if (error instanceof RetryError && error.code !== "too_many_requests") await outdated();
      throw error;
    });
    await outdated();
    return answer;
  }

  /**
   * Keywords are changed under the same lock as changes by people. Only one change of this process at a time waits for the lock: each takes
   * a connection, and the one that has the lock needs another.
   */
  return function payChange(call: Call, caller: Caller): Promise<Answered> {
    if (!doesChangeKeywords(call)) return change(call, caller);
    const own = changing.then(() =>
      withAdvisoryLock(ingest.db, { name: "keywords", signal: closing }, () => change(call, caller)),
    );
    changing = own.catch(() => undefined);
    return own;
  };
}

/** After keywords were added or removed, the account's lists are read again. */
async function forgetLists({ app }: GatewayParts, call: Call): Promise<void> {
  if (!doesChangeKeywords(call)) return;
  const { trackId, countryCode } = call.params;
  await makeListsDue(
    { app },
    { trackId: String(trackId), country: String(countryCode) },
    { isAppTracked: false },
    null,
  );
}
