import type { CreditClass } from "../core/slice.ts";
import { hourMs } from "../core/day.ts";
import { floorCredits, type Floors } from "../core/floors.ts";
import { sumBy } from "../core/sum.ts";
import { nightsUntil, type Night } from "../credits/nights-ahead.ts";

/** A night's run and the quiet day after it: measured over less time, every night would seem to use up the allowance. */
export const paceHours = 24;

/** An allowance and its demand. Credits; times in epoch-ms. */
export type CreditDemand = {
  readonly total: number;
  readonly remaining: number;
  readonly held: number;
  readonly resetsAt: number;
  /** Spent in the last day, or since the start of the period if that is shorter, without backfills. */
  readonly spent: number;
  /** Hours over which that was spent, more than 0. */
  readonly spentHours: number;
  /** True if nothing was requested the day before: the spending of a first sync, or of one after a pause, is not a pace. */
  readonly isFirstDay: boolean;
  /** Expected cost of the open slices, by class, except those that wait for a budget until after the reset. */
  readonly open: Readonly<Partial<Record<CreditClass, number>>>;
  /** Share of the allowance that each class leaves untouched. */
  readonly floors: Floors;
  /** What future days are expected to take, in order; null if there is no forecast. */
  readonly nights: readonly Night[] | null;
  /** Credits that history leaves until the reset: also for a night that has begun and is not planned yet. */
  readonly keptForNights: number;
  /** The same in the period after it. */
  readonly keptNextPeriod: number;
};

/** A forecast of the allowance until its reset. */
export type Outlook = {
  /** Credits that the class daily may still use, after what backfills may use. */
  readonly usable: number;
  /**
   * Credits that are needed until the reset: the cost of the queue and of future nights. Without a forecast: the cost of the queue or,
   * after the first day and if that is more, the spending per hour of the last day times the hours.
   */
  readonly wanted: number;
  /** Forecast nights until the reset; null if the pace of the last day is used instead. */
  readonly nights: number | null;
  /** Credits per hour over the last day, without backfills; 0 on a first day. */
  readonly perHour: number;
  /** True if neither a forecast nor a pace shows what future days take. */
  readonly isUnknown: boolean;
  readonly waiting: number;
  /** Credits for waiting history, down to its floor and to what the nights take: usable does not include them. */
  readonly history: number;
  /** Credits for waiting history that its floor allows and that it leaves to the nights: they wait for the reset. */
  readonly historyForNights: number;
  /** True if the nights of the next period take its whole allowance too: the reset does not let history run. */
  readonly isHistoryStarved: boolean;
  /** Credits that will be missing; 0 if they are enough. */
  readonly short: number;
  /** When they will be used up at this pace, in epoch-ms; null if they are enough or were not used in the last day. */
  readonly outAt: number | null;
};

/**
 * Whether the credits are enough until the reset. History counts only as far as its floor and the forecast nights allow: it stops there and
 * continues after the reset, by design. Null after the reset, until a new balance is known.
 */
export function creditOutlook(allowance: CreditDemand, now: number): Outlook | null {
  const { total, remaining, held, resetsAt, open, floors } = allowance;
  const hoursToReset = (resetsAt - now) / hourMs;
  if (hoursToReset <= 0) return null;
  const above = (share: number) => Math.max(0, remaining - held - floorCredits(total, share));
  const waiting = (open.snapshot ?? 0) + (open.daily ?? 0) + (open.lookback ?? 0);
  const perHour = allowance.isFirstDay ? 0 : allowance.spent / allowance.spentHours;
  const nights = allowance.nights === null ? null : nightsUntil(allowance.nights, now, resetsAt);
  const left =
    nights === null
      ? Number.POSITIVE_INFINITY
      : remaining - held - waiting - Math.max(floorCredits(total, floors.daily), allowance.keptForNights);
  const allowed = Math.min(open.history ?? 0, above(floors.history));
  const history = Math.min(allowed, Math.max(0, left));
  const usable = Math.max(0, above(floors.daily) - history);
  // without a forecast: the larger, not the sum, since the queue is part of what a day uses
  const wanted = nights === null ? Math.ceil(Math.max(waiting, perHour * hoursToReset)) : waiting + sumOf(nights);
  const short = Math.max(0, wanted - usable);
  const atPace = perHour > 0 ? Math.min(resetsAt, now + (usable / perHour) * hourMs) : null;
  return {
    usable,
    wanted,
    nights: nights?.length ?? null,
    perHour,
    isUnknown: nights === null && allowance.isFirstDay,
    waiting,
    history,
    historyForNights: allowed - history,
    isHistoryStarved: allowed > history && allowance.keptNextPeriod >= total,
    short,
    outAt: short === 0 ? null : nights === null ? atPace : nightBeyond(nights, usable - waiting, now),
  };
}

const sumOf = (nights: readonly Night[]) => sumBy(nights, ({ credits }) => credits);

/** When the first night starts that takes more than is left; now if less than nothing is left. */
function nightBeyond(nights: readonly Night[], left: number, now: number): number {
  let rest = left;
  if (rest < 0) return now;
  for (const { startsAt, credits } of nights) {
    rest -= credits;
    if (rest < 0) return startsAt;
  }
  return nights.at(-1)?.startsAt ?? now;
}
