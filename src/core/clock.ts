import { setTimeout as wait } from "node:timers/promises";
import { dayOf, type Day } from "./day.ts";

/** The only source of time. Injected, so that tests and `--as-of` decide what "now" and "today" are. */
export type Clock = {
  /** Milliseconds since the epoch. */
  now(): number;
  /** The UTC day that planning counts from. */
  today(): Day;
  /** Resolves after `ms`, or rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
};

/** The clock of the machine; `asOf` pins "today" but not `now`. */
export function systemClock(asOf?: Day): Clock {
  return {
    now: () => Date.now(),
    today: () => asOf ?? dayOf(Date.now()),
    sleep: (ms, signal) => wait(ms, undefined, signal ? { signal } : {}),
  };
}

/** Milliseconds that never go back, even if the clock of the machine is set: for durations. */
export function steadyMs(): number {
  return performance.now();
}
