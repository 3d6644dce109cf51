import type { Clock } from "../../src/core/clock.ts";
import { dayOf } from "../../src/core/day.ts";

/** A clock that stands still until it is moved; who sleeps wakes when it was moved far enough. */
export type StoppedClock = Clock & {
  move(ms: number): void;
  /** How many sleep. */
  sleepers(): number;
};

/** Opens a stopped clock at 06:00 UTC of 2026-08-20. */
export function stoppedClock(start = Date.UTC(2026, 7, 20, 6)): StoppedClock {
  let now = start;
  const sleepers = new Map<() => void, number>();
  return {
    now: () => now,
    today: () => dayOf(now),
    sleepers: () => sleepers.size,
    move: (ms) => {
      now += ms;
      for (const [wake, at] of sleepers) if (at <= now) wake();
    },
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason as Error);
        if (ms <= 0) return resolve();
        const cut = () => {
          sleepers.delete(wake);
          reject(signal?.reason as Error);
        };
        const wake = () => {
          sleepers.delete(wake);
          signal?.removeEventListener("abort", cut);
          resolve();
        };
        sleepers.set(wake, now + ms);
        signal?.addEventListener("abort", cut, { once: true });
      }),
  };
}
