import type { Clock } from "../core/clock.ts";
import type { ErrorCode } from "../core/error-codes.ts";
import { AbortError, fail, StorehouseError } from "../core/errors.ts";
import { retry } from "../core/retry.ts";
import type { Log } from "../core/log.ts";

/** How calls of a process get through a time in which the API answers nobody. */
export type ApiOutage = {
  /**
   * Asks. A call that fails as all would while the API is away first finds out, by the free question for the balance, whether it is.
   * If so, this call and all later ones wait until it answers, and then throw the DeferError `api_unavailable`, which costs no attempt.
   */
  readonly through: <T>(ask: () => Promise<T>) => Promise<T>;
};

type Parts = {
  readonly clock: Clock;
  readonly log: Log;
  /** First wait between two looks, in ms. */
  readonly retryMs: number;
  /** How long it is waited for, in ms; after that everything is stopped. */
  readonly patienceMs: number;
  readonly refreshBalance: () => Promise<void>;
  readonly abort: (error: StorehouseError) => void;
  readonly halted: AbortSignal;
  /** Told when the API is away, and null when it is back. */
  readonly onChange?: (problem: StorehouseError | null) => void;
};

/** Errors that a single call may meet as well; where the balance cannot be had either, the API is away. */
const signs: ReadonlySet<ErrorCode> = new Set(["no_connection", "cut_connection", "timeout", "server_error"]);
/** The checks grow rarer up to this: a service that is back should not wait for us much longer than it was unavailable. */
const slowestCheckMs = 60_000;

/** Opens the watch of a process. */
export function createApiOutage(parts: Parts): ApiOutage {
  const { clock, log, halted } = parts;
  let answeredAt = Number.NEGATIVE_INFINITY;
  let sitting: Promise<boolean> | null = null;

  /** Checks the balance; throws only where the API does not respond, and where the account is refused. */
  async function check(): Promise<void> {
    try {
      await parts.refreshBalance();
    } catch (error) {
      if (!(error instanceof StorehouseError) || error instanceof AbortError || signs.has(error.code)) throw error;
    }
    answeredAt = clock.now();
  }

  /** Waits until the API responds. Resolves with false when it does so at once: then it was not unavailable. */
  async function sitOut(): Promise<boolean> {
    const from = clock.now();
    let away = false;
    const again = (error: unknown) => {
      if (!(error instanceof StorehouseError) || !signs.has(error.code)) return false;
      if (!away) {
        log.warn({ code: error.code, problem: error.message }, "api.unavailable");
        parts.onChange?.(error);
      }
      away = true;
      if (clock.now() - from >= parts.patienceMs) parts.abort(error);
      return true;
    };
    const backoff = { firstMs: parts.retryMs, longestMs: slowestCheckMs };
    await retry({ clock, backoff, signal: halted, again }, async () => {
      if (away && halted.aborted) throw fail("stopped");
      await check();
    });
    if (!away) return false;
    log.info({ duration_ms: clock.now() - from }, "api.recovered");
    parts.onChange?.(null);
    return true;
  }

  function isAway(): Promise<boolean> {
    return (sitting ??= sitOut().finally(() => (sitting = null)));
  }

  return {
    through: async (ask) => {
      // what waited for long is claimed anew: what it asks for may be another day's by then
      if (sitting !== null && (await sitting)) throw away();
      const from = clock.now();
      try {
        return await ask();
      } catch (error) {
        // one answer tells for all calls that were under way by then
        if (!(error instanceof StorehouseError) || !signs.has(error.code) || answeredAt > from) throw error;
        if (await isAway()) throw away();
        throw error;
      }
    },
  };

  function away(): StorehouseError {
    return fail("api_unavailable", { until: clock.now() });
  }
}
