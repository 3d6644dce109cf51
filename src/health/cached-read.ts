import type { Clock } from "../core/clock.ts";
import { hourMs } from "../core/day.ts";
import { messageOf } from "../core/errors.ts";

/** A cached value of a slow read. */
export type CachedRead<T> = {
  /** The value, within `timeoutMs`; null if no read ends in that time and no cached value is fresh enough. */
  readonly get: () => Promise<{ readonly value: T; readonly readAt: number } | null>;
};

/** How long a value is served without a new read, and how long while no new read succeeds. */
const freshMs = 10_000;
const staleMs = 60_000;
/** Reads take at most this share of one connection's time: a slow read is cached longer. */
const mostShare = 0.05;
/** No read is cached longer: if one seems to take that long, the clock was set or the machine slept while it ran. */
const longestMs = hourMs;

/**
 * Caches `read`. Callers share one read at a time; a read that takes longer than the timeout continues and serves the next caller. `onFailed`
 * is called with the message of a failed read, but once only while reads fail with the same one.
 */
export function createCachedRead<T>(
  clock: Clock,
  read: () => Promise<T>,
  {
    timeoutMs = 3_000,
    onFailed = () => undefined,
  }: { readonly timeoutMs?: number; readonly onFailed?: (problem: string) => void } = {},
): CachedRead<T> {
  let cached: { readonly value: T; readonly readAt: number; readonly tookMs: number } | null = null;
  let reading: Promise<void> | null = null;
  let failedWith: string | null = null;

  async function readOnce(): Promise<void> {
    const from = clock.now();
    const value = await read();
    cached = { value, readAt: clock.now(), tookMs: clock.now() - from };
    failedWith = null;
  }

  function noteFailure(error: unknown): void {
    const problem = messageOf(error);
    if (problem !== failedWith) onFailed(problem);
    failedWith = problem;
  }

  // a value from after now was read before the clock was set back
  const isYounger = (limitMs: number) =>
    cached !== null &&
    Math.abs(clock.now() - cached.readAt) < Math.max(limitMs, Math.min(cached.tookMs / mostShare, longestMs));

  return {
    get: async () => {
      if (!isYounger(freshMs)) {
        reading ??= readOnce()
          .catch(noteFailure)
          .finally(() => (reading = null));
        await within(reading, timeoutMs);
      }
      return isYounger(staleMs) ? cached : null;
    },
  };
}

/** The value of the work, or null if it takes longer or fails. The work itself continues. */
export async function within<T>(work: Promise<T>, timeoutMs: number): Promise<T | null> {
  const late = Promise.withResolvers<null>();
  // a real timer: a stopped test clock must not delay an answer
  const timer = setTimeout(() => late.resolve(null), timeoutMs);
  try {
    return await Promise.race([work, late.promise]);
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}
