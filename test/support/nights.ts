import fc from "fast-check";
import { systemClock, type Clock } from "../../src/core/clock.ts";
import { addDays, type Day } from "../../src/core/day.ts";
import type { Fault, SandboxOptions } from "../../src/sandbox/sandbox.ts";
import { openStage, today as firstDay, type RunOptions, type Stage } from "./ingest-stage.ts";
import { openSynced } from "./synced-stage.ts";

/** A stage on which one night follows another: the clock, the sandbox's day and the day of runs move together. */
export type Nights = AsyncDisposable & {
  readonly stage: Stage;
  readonly clock: Clock;
  /** Goes on to the next night, at two in the morning UTC; the first night is the stage's own day. */
  readonly next: () => void;
  /** The day that it is now. */
  readonly today: () => Day;
  /** What each run of a night needs, with more if there is any. */
  readonly run: (more?: RunOptions) => RunOptions;
  /** Variables and options of a child that lives on the same night. */
  readonly child: () => { readonly on: Day; readonly variables: Record<string, string> };
};

const hourMs = 3_600_000;

/** Opens one, at two in the morning of the first night. */
export async function openNights(options: SandboxOptions = {}, usual: RunOptions = {}): Promise<Nights> {
  return nightsOf(usual, 2, (clock) => openStage({ ...options, clock }));
}

/** Opens one an hour after the first night's sync, which is made once in a process. `faults` are those of that sync. */
export async function openSyncedNights(
  options: SandboxOptions = {},
  { settings, request }: Pick<RunOptions, "settings" | "request"> = {},
  faults: readonly Fault[] = [],
): Promise<Nights> {
  const usual = { ...(settings && { settings }), ...(request && { request }) };
  const first = { ...usual, faults, clock: movedClock(2).clock };
  return nightsOf(usual, 3, (clock) => openSynced({ ...options, clock }, first));
}

/** A clock that goes on from an hour of the first day, and can be set to another day, at two in the morning. */
function movedClock(hour: number) {
  const machine = systemClock();
  let today = firstDay;
  let ahead = Date.parse(today) + hour * hourMs - machine.now();
  const clock: Clock = { ...machine, now: () => machine.now() + ahead, today: () => today };
  const set = (day: Day) => {
    today = day;
    ahead = Date.parse(day) + 2 * hourMs - machine.now();
  };
  return { clock, set, ahead: () => ahead };
}

async function nightsOf(usual: RunOptions, hour: number, open: (clock: Clock) => Promise<Stage>): Promise<Nights> {
  const { clock, set, ahead } = movedClock(hour);
  const stage = await open(clock);
  const today = () => clock.today();
  return {
    stage,
    clock,
    next: () => {
      set(addDays(today(), 1));
      stage.sandbox.set({ today: today() });
    },
    today,
    run: (more = {}) => ({ ...usual, clock, ...more, request: { today: today(), ...more.request } }),
    child: () => ({ on: today(), variables: { TEST_AHEAD_MS: String(ahead()) } }),
    [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose](),
  };
}

/** What goes wrong with answers on the way. Never with the balance check, without which nothing starts. */
function faultOn(operations: readonly string[]): fc.Arbitrary<Fault> {
  return fc.record({
    operation: fc.constantFrom(...operations),
    kind: fc.constantFrom("status", "cut", "half", "not-json", "success-false", "no-credit-headers"),
    status: fc.constantFrom(429, 500, 503),
    times: fc.noBias(fc.integer({ min: 1, max: 3 })),
  });
}

/** The faults of a night on calls of these operations: the same for the same seed. */
export function faultsOf(seed: number, count: number, operations: readonly string[]): readonly Fault[] {
  const faults = fc.array(faultOn(operations), { minLength: count, maxLength: count, size: "max" });
  return fc.sample(faults, { seed, numRuns: 1 })[0] ?? [];
}
