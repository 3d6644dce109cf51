import type { Clock } from "../core/clock.ts";
import { fail, type StorehouseError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { durationText } from "../core/words.ts";
import { skewHarmfulMs } from "../postgres/clock-skew.ts";

/** What a clock watch needs. `steadyMs` never goes back; `abort` ends the session of the process. */
type ClockWatchParts = {
  readonly clock: Pick<Clock, "now">;
  readonly steadyMs: () => number;
  readonly log: Log;
  readonly abort: (error: StorehouseError) => void;
};

/**
 * Makes a function that ends the session if the clock was set back since its last call. The schedule, and what the session does at times
 * that it has noted, would wait until the clock shows those times. A step forward does no harm: they are due early, and the schedule catches up.
 */
export function createClockWatch({ clock, steadyMs, log, abort }: ClockWatchParts): () => void {
  const readOffset = () => clock.now() - steadyMs();
  let offset = readOffset();
  return () => {
    const before = offset;
    offset = readOffset();
    const backMs = before - offset;
    // a smaller step delays the next planning by as much, and nothing else
    if (backMs <= skewHarmfulMs) return;
    log.warn({ back_ms: Math.round(backMs) }, "clock.set_back");
    abort(fail("clock_set_back", { by: durationText(backMs) }));
  };
}
