import type { Clock } from "../core/clock.ts";
import { fail, type StorehouseError } from "../core/errors.ts";
import { saysNothing } from "../person/api-session.ts";

/** The most that are kept; the oldest are dropped. */
const most = 10_000;

/** Replies that there is nothing (204, 404), which this process repeats instead of sending the call again. */
export interface EmptyReplies {
  /** Throws the reply to an equal call, if there was one lately. */
  readonly check: (callHash: string) => void;
  /** Keeps an error if it says that there is nothing. */
  readonly note: (callHash: string, error: unknown) => void;
  /** Forgets all of them: what was not there may be there now. */
  readonly forget: () => void;
}

/** Keeps replies for this many minutes; 0 keeps none. */
export function createEmptyReplies(clock: Pick<Clock, "now">, minutes: number): EmptyReplies {
  const kept = new Map<string, { readonly error: StorehouseError; readonly until: number }>();
  return {
    check: (callHash) => {
      const known = kept.get(callHash);
      if (known !== undefined && clock.now() < known.until) throw known.error;
      kept.delete(callHash);
    },
    note: (callHash, error) => {
      if (minutes === 0 || !saysNothing(error)) return;
      const [oldest] = kept.keys();
      if (kept.size >= most && oldest !== undefined) kept.delete(oldest);
      kept.set(callHash, { error: withoutCharge(error), until: clock.now() + minutes * 60_000 });
    },
    forget: () => kept.clear(),
  };
}

/** The reply for a caller whose call was not sent: the caller that sent it has the charge. */
export function withoutCharge(error: StorehouseError): StorehouseError {
  return fail(error.code, { ...error.context, charged: undefined });
}
