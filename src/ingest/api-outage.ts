import type { Clock } from "../core/clock.ts";
import type { ErrorCode } from "../core/error-codes.ts";
import { AbortError, fail, FencedError, StorehouseError } from "../core/errors.ts";
import { retry } from "../core/retry.ts";
import type { Log } from "../core/log.ts";
import { endOutage, noteOutage } from "../ledger/api-outages.ts";
import type { Database } from "../postgres/database.ts";

/** How the calls of a process wait out a time in which the API does not respond. */
export type ApiOutage = {
  /**
   * Makes a call. After an error that may mean that the API is unavailable, a balance check decides. If it is, this call and all later
   * ones wait until it responds, and then throw the DeferError `api_unavailable`, which costs no attempt.
   */
  readonly through: <T>(call: () => Promise<T>) => Promise<T>;
  /**
   * Resolves when a call that waited for credits and pace may be sent; throws `api_unavailable` if a balance check has shown meanwhile that
   * the API is unavailable, or if `unsent` is aborted by then.
   */
  readonly mayBeSent: (unsent: AbortSignal) => Promise<void>;
};

type OutageParts = {
  readonly clock: Clock;
  readonly log: Log;
  /** First wait between two balance checks, in ms. */
  readonly retryMs: number;
  /** How long to wait, in ms; after that all calls are stopped. */
  readonly giveUpAfterMs: number;
  readonly refreshBalance: () => Promise<void>;
  readonly abort: (error: StorehouseError) => void;
  readonly halted: AbortSignal;
  /** Called with the problem when the API is unavailable, and with null when it responds again. */
  readonly onChange?: (problem: StorehouseError | null) => void;
};

/** Errors that may concern a single call only; if the balance check meets one too, the API is unavailable. */
export const outageSigns: ReadonlySet<ErrorCode> = new Set([
  "no_connection",
  "cut_connection",
  "timeout",
  "server_error",
  "not_json",
]);
/** The waits between checks grow up to this, so that work resumes soon after the service is back. */
const slowestCheckMs = 60_000;

/** Makes the outage handling of a process. */
export function createApiOutage(parts: OutageParts): ApiOutage {
  const { clock, log, halted } = parts;
  let answeredAt = Number.NEGATIVE_INFINITY;
  let unavailableUntil = Number.NEGATIVE_INFINITY;
  let waiting: Promise<boolean> | null = null;
  /** Resolves with the first check of `waiting`: true if the API is unavailable. */
  let verdict = Promise.resolve(false);

  /** Checks the balance; throws only if the API does not respond or refuses the account, or if a stop cut the check. */
  async function check(): Promise<void> {
    try {
      await parts.refreshBalance();
    } catch (error) {
      if (
        !(error instanceof StorehouseError) ||
        error instanceof AbortError ||
        error instanceof FencedError ||
        outageSigns.has(error.code)
      )
        throw error;
    }
    answeredAt = clock.now();
  }

  /** Waits until the API responds. Resolves with false when it does so at once: it was available. */
  async function waitForApi(): Promise<boolean> {
    const from = clock.now();
    let unavailable = false;
    const decision = Promise.withResolvers<boolean>();
    verdict = decision.promise;
    const again = (error: unknown) => {
      if (!(error instanceof StorehouseError) || !outageSigns.has(error.code)) return false;
      if (!unavailable) {
        log.warn({ code: error.code, problem: error.message }, "api.unavailable");
        parts.onChange?.(error);
      }
      unavailable = true;
      decision.resolve(true);
      if (clock.now() - from >= parts.giveUpAfterMs) parts.abort(error);
      return true;
    };
    const backoff = { firstMs: parts.retryMs, longestMs: slowestCheckMs };
    await retry({ clock, backoff, signal: halted, again }, check)
      .catch((error: unknown) => {
        // a refusal or a stop: nothing more is sent
        decision.resolve(true);
        throw unavailable && halted.aborted ? fail("stopped") : error;
      })
      .finally(() => decision.resolve(false));
    if (!unavailable) return false;
    unavailableUntil = clock.now();
    log.info({ duration_ms: clock.now() - from }, "api.recovered");
    parts.onChange?.(null);
    return true;
  }

  function isUnavailable(): Promise<boolean> {
    return (waiting ??= waitForApi().finally(() => (waiting = null)));
  }

  return {
    through: async (call) => {
      // a slice that waited is claimed again later: its request may be about another day by then
      if (waiting !== null && (await waiting)) throw deferred();
      const from = clock.now();
      try {
        return await call();
      } catch (error) {
        if (!(error instanceof StorehouseError) || !outageSigns.has(error.code)) throw error;
        // one check decides for all calls that were under way by then
        if (unavailableUntil > from || (answeredAt <= from && (await isUnavailable()))) throw deferred();
        throw error;
      }
    },
    mayBeSent: async (unsent) => {
      if (waiting === null) return;
      if ((await verdict) || unsent.aborted) throw deferred();
    },
  };

  function deferred(): StorehouseError {
    return fail("api_unavailable", { until: clock.now() });
  }
}

/**
 * Records in the ledger, for the incidents, since when the API does not respond: `onChange` when it stops and when it responds again,
 * `note` with each heartbeat in between. If a note cannot be written, the next one makes up for it.
 */
export function outageLog(
  { db, clock, accountId }: { readonly db: Database; readonly clock: Clock; readonly accountId: string },
  onApi: (problem: StorehouseError | null) => void,
) {
  let problem: StorehouseError | null = null;
  let writing: Promise<void> = Promise.resolve();
  const write = (work: () => Promise<void>) => void (writing = writing.then(work).catch(() => undefined));
  const note = () => {
    const code = problem?.code;
    if (code !== undefined) write(() => noteOutage(db, accountId, code, clock.now()));
  };
  return {
    note,
    onChange: (next: StorehouseError | null) => {
      problem = next;
      if (next === null) write(() => endOutage(db, accountId, clock.now()));
      else note();
      onApi(next);
    },
    written: () => writing,
  };
}
