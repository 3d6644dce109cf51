import type { Clock } from "../core/clock.ts";
import type { Rhythm } from "./heartbeat.ts";

/** Decides when a process may declare others dead. */
export type Judgement = {
  readonly mayJudge: () => boolean;
  /** Notes a heartbeat of this process that did not get through. */
  readonly missed: () => void;
};

/**
 * After an outage, or when its machine has slept, others are as late as this process: they have time for a heartbeat before it judges them.
 * `again` is true where the process was registered before; one that starts judges at once.
 */
export function createJudgement(clock: Clock, { beatMs }: Rhythm, again: boolean): Judgement {
  const inTwoBeats = () => clock.now() + 2 * beatMs;
  let from = again ? inTwoBeats() : -Infinity;
  return { mayJudge: () => clock.now() >= from, missed: () => void (from = inTwoBeats()) };
}
