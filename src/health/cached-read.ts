import type { Clock } from "../core/clock.ts";
import { hourMs } from "../core/day.ts";

/** A cached value of a slow read. */
export type CachedRead<T> = {
  /** The value, at most `timeoutMs` later; null when no read ends in that time and no cached value is fresh enough. */
  readonly get: () => Promise<{ readonly value: T; readonly readAt: number } | null>;
};

/** A value is served without a new read for the first, and while no new read succeeds for the second. */
const freshMs = 10_000;
const staleMs = 60_000;
/** Reads take at most this share of one connection's time: a slow read is cached longer. */
const mostShare = 0.05;
/** No read takes so long that it is cached longer: the clock was set on, or the machine slept, while it ran. */
const longestMs = hourMs;

/** Caches `read`. Callers share one read at a time; a read that takes longer than the timeout continues and serves the next caller. */
export function createCachedRead<T>(
  clock: Clock,
  read: () => Promise<T>,
  { timeoutMs = 3_000 }: { readonly timeoutMs?: number } = {},
): CachedRead<T> {
  let cached: { readonly value: T; readonly readAt: number; readonly tookMs: number } | null = null;
  let reading: Promise<void> | null = null;

  async function readOnce(): Promise<void> {
    const from = clock.now();
    const value = await read();
    cached = { value, readAt: clock.now(), tookMs: clock.now() - from };
  }

  // what was read after now is from before the clock was set back
  const isYounger = (limitMs: number) =>
    cached !== null &&
    Math.abs(clock.now() - cached.readAt) < Math.max(limitMs, Math.min(cached.tookMs / mostShare, longestMs));

  return {
    get: async () => {
      if (!isYounger(freshMs)) {
        reading ??= readOnce()
          .catch(() => undefined)
          .finally(() => (reading = null));
        await within(reading, timeoutMs);
      }
      return isYounger(staleMs) ? cached : null;
    },
  };
}

/** The work's value, or null when it takes longer or fails. The work itself goes on. */
export async function within<T>(work: Promise<T>, timeoutMs: number): Promise<T | null> {
  const late = Promise.withResolvers<null>();
  // a real timer: a test's clock that stands still must not delay an answer
  const timer = setTimeout(() => late.resolve(null), timeoutMs);
  try {
    return await Promise.race([work, late.promise]);
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}
