import type { Clock } from "./clock.ts";

/** The waits between tries, in ms: they grow by `factor` (2 if left out) from the first to the longest. */
export type Backoff = { readonly firstMs: number; readonly longestMs?: number; readonly factor?: number };

/** The wait after this many failures in a row, in ms. */
export function backoffMs({ firstMs, longestMs, factor = 2 }: Backoff, failures: number): number {
  return Math.min(longestMs ?? Number.POSITIVE_INFINITY, firstMs * factor ** (failures - 1));
}

/** How work is retried. */
export type RetryOptions = {
  readonly clock: Pick<Clock, "sleep">;
  readonly backoff: Backoff;
  /** Ends the wait and all further tries: the last error is thrown. */
  readonly signal?: AbortSignal;
  /** Whether to try again after this many failures. Called before the wait; may throw a different error. */
  readonly again: (error: unknown, failures: number, waitMs: number) => boolean;
};

/** Does work, with a growing wait before each further try; throws the error of the last try. */
export async function retry<T>({ clock, backoff, signal, again }: RetryOptions, work: () => Promise<T>): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await work();
    } catch (error) {
      const waitMs = backoffMs(backoff, failures);
      if (!again(error, failures, waitMs)) throw error;
      await clock.sleep(waitMs, signal).catch(() => undefined);
      if (signal?.aborted) throw error;
    }
  }
}
