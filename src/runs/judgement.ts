import type { Intervals } from "./heartbeat.ts";

/** Decides when a process may declare others dead. */
export type Judgement = {
  readonly mayJudge: () => boolean;
  /** Notes a heartbeat of this process that did not get through. */
  readonly missed: () => void;
};

/**
 * After an outage, or when its machine has slept, others are as late as this process: they have time for a heartbeat before it judges them.
 * `steadyMs` never goes back: a wall clock that is set back would put the judgement off by as much. `again` is true where the process was
 * registered before; one that starts judges at once.
 */
export function createJudgement(steadyMs: () => number, { beatMs }: Intervals, again: boolean): Judgement {
  const inTwoBeats = () => steadyMs() + 2 * beatMs;
  let from = again ? inTwoBeats() : -Infinity;
  return { mayJudge: () => steadyMs() >= from, missed: () => void (from = inTwoBeats()) };
}
