import { systemClock, type Clock } from "../../src/core/clock.ts";
import type { Day } from "../../src/core/day.ts";

/** How the clock of a machine may jump: seconds of each direction. After more than a minute back, a worker would register again. */
const jumpSeconds = { forward: 25, back: -20 } as const;

export type Jump = keyof typeof jumpSeconds;

export const jumps = Object.keys(jumpSeconds) as Jump[];

/** The signal that makes a child's clock jump: one that a process ignores as long as it is starting. */
export const jumpSignals = { forward: "SIGURG", back: "SIGWINCH" } as const satisfies Record<Jump, NodeJS.Signals>;

/** The machine's clock, so many ms ahead as TEST_AHEAD_MS says, which jumps when this process receives one of the signals. */
export function jumpingClock(asOf: Day): Clock {
  const clock = systemClock(asOf);
  let ahead = Number(process.env["TEST_AHEAD_MS"] ?? "0");
  for (const jump of jumps) process.on(jumpSignals[jump], () => (ahead += jumpSeconds[jump] * 1000));
  return { ...clock, now: () => clock.now() + ahead };
}
