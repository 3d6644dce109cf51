import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import type { LockWait } from "../postgres/lock-waits.ts";

/** A wait that continues is reported again after this long. */
const repeatMs = 300_000;

/** A function that logs which process holds the lock that this one waits for: once per holder, and again if the wait continues. */
export function lockWaitReporter({ clock, log }: { readonly clock: Clock; readonly log: Log }) {
  let reported = { holder: 0, at: 0 };
  return (wait: LockWait | null): void => {
    const now = clock.now();
    if (wait === null || (wait.held_by === reported.holder && now - reported.at < repeatMs)) return;
    reported = { holder: wait.held_by, at: now };
    log.warn(wait, "database.lock_awaited");
  };
}
