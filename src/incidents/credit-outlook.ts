import type { CreditClass } from "../core/slice.ts";

const hourMs = 3_600_000;
/** A night's work and the quiet day after it: over less, every night would look like the end of the allowance. */
export const paceHours = 24;

/** What is known of an allowance and of what wants it. Credits; times in epoch-ms. */
export type Allowance = {
  readonly total: number;
  readonly remaining: number;
  readonly held: number;
  readonly resetsAt: number;
  /** Spent in the last day, or since the period began where that is shorter, without backfills. */
  readonly spent: number;
  /** Hours over which that was spent, more than 0. */
  readonly spentHours: number;
  /** What slices that wait or run are expected to cost, by class. */
  readonly open: Readonly<Partial<Record<CreditClass, number>>>;
  /** Share of the allowance that each class leaves untouched. */
  readonly floors: Readonly<Record<CreditClass, number>>;
};

/** How the allowance will stand at the reset. */
export type Outlook = {
  /** Credits that work of the newest day may still take, after what backfills may take of them. */
  readonly usable: number;
  /** Credits that are wanted until the reset: the larger of what waits and of what the pace makes. */
  readonly wanted: number;
  /** Credits an hour over the last day, backfills left out. */
  readonly perHour: number;
  readonly hoursToReset: number;
  readonly waiting: number;
  /** Credits that will be missing; 0 when they last. */
  readonly short: number;
  /** When they will be used up at this pace, in epoch-ms; null when they last or nothing tells. */
  readonly outAt: number | null;
};

/**
 * Whether the allowance lasts until its reset. A backfill counts only with what it may take: it stops at its floor and goes on after
 * the reset, by design. Null after the reset, when nobody knows what is left.
 */
export function creditOutlook(allowance: Allowance, now: number): Outlook | null {
  const { total, remaining, held, resetsAt, open, floors } = allowance;
  const hoursToReset = (resetsAt - now) / hourMs;
  if (hoursToReset <= 0) return null;
  const above = (share: number) => Math.max(0, remaining - held - Math.floor(share * total));
  const history = Math.min(open.history ?? 0, above(floors.history));
  const usable = Math.max(0, above(floors.daily) - history);
  const waiting = (open.snapshot ?? 0) + (open.daily ?? 0) + (open.lookback ?? 0);
  const perHour = allowance.spent / allowance.spentHours;
  // not added up: what waits is part of what a day takes
  const wanted = Math.ceil(Math.max(waiting, perHour * hoursToReset));
  const short = Math.max(0, wanted - usable);
  return {
    usable,
    wanted,
    perHour,
    hoursToReset,
    waiting,
    short,
    outAt: short > 0 && perHour > 0 ? Math.min(resetsAt, now + (usable / perHour) * hourMs) : null,
  };
}
