import type { Clock } from "../core/clock.ts";

/** A value that takes long to read, kept for a while. */
export type Glance<T> = {
  /** The value, at most `patienceMs` later; null when it cannot be had in that time and none is kept that is fresh enough. */
  readonly get: () => Promise<{ readonly value: T; readonly readAt: number } | null>;
};

/** How long a value is served without reading it anew, and for how long in any case while a newer one is not to be had. */
const freshMs = 10_000;
const staleMs = 60_000;
/** Reading takes at most this share of one connection's time: what takes long is read seldom. */
const mostShare = 0.05;

/** Reads by `read`, one reading at a time whoever asks; a reading that takes longer than the patience goes on and serves the next. */
export function createGlance<T>(
  clock: Clock,
  read: () => Promise<T>,
  { patienceMs = 3_000 }: { readonly patienceMs?: number } = {},
): Glance<T> {
  let kept: { readonly value: T; readonly readAt: number; readonly tookMs: number } | null = null;
  let reading: Promise<void> | null = null;

  async function readOnce(): Promise<void> {
    const from = clock.now();
    const value = await read();
    kept = { value, readAt: clock.now(), tookMs: clock.now() - from };
  }

  const isYounger = (limitMs: number) =>
    kept !== null && clock.now() - kept.readAt < Math.max(limitMs, kept.tookMs / mostShare);

  return {
    get: async () => {
      if (!isYounger(freshMs)) {
        reading ??= readOnce()
          .catch(() => undefined)
          .finally(() => (reading = null));
        await within(reading, patienceMs);
      }
      return isYounger(staleMs) ? kept : null;
    },
  };
}

/** The work's value, or null when it takes longer or fails. The work itself goes on. */
export async function within<T>(work: Promise<T>, patienceMs: number): Promise<T | null> {
  const late = Promise.withResolvers<null>();
  // a timer of its own: a clock that a test holds still must not hold up an answer
  const timer = setTimeout(() => late.resolve(null), patienceMs);
  try {
    return await Promise.race([work, late.promise]);
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}
