import { addDays, daysBetween, day, type Day } from "../core/day.ts";
import type { Moved, Reach } from "../core/timing.ts";

/*
 * A source restates the figures of a day for a while. Each night that requests a day again shows whether its figures moved, by its age: the
 * days since it was first requested. This shows the age from which days no longer move, and only younger days are requested again. From
 * time to time all days of the fixed lookback are requested anyway, to detect a source that changes its habit.
 */

/** Days of one age that were requested again, and how many of them moved; the last weeks are counted separately. */
export type AgeEvidence = {
  readonly age: number;
  readonly compared: number;
  readonly moved: number;
  readonly recentCompared: number;
  readonly recentMoved: number;
};

/** Evidence covers this many nights: older ones say little about a source that has changed its habit. */
export const evidenceDays = 90;
/** The last weeks, for a habit that has just changed: two rounds of samples. */
export const recentDays = 28;
/** One night in this many requests the whole fixed lookback. */
export const sampleEveryNights = 14;
/** The share of days beyond the learned age that may still move, with the confidence below. */
const toleratedShare = 0.01;
/** The normal quantile of 95 %, one-sided. */
const z = 1.645;
/**
 * Fewer days than this are too little evidence: this many days of which none moved show a share below 1 % with 95 % confidence (the rule of
 * three).
 */
export const fewestCompared = 300;

/** The lookback that the evidence shows, or why it shows none. */
export type LearnedLookback =
  /** Days of the lookback; `compared` older days show that at most the share `bound` of them still moves. */
  | { readonly kind: "learned"; readonly days: number; readonly bound: number; readonly compared: number }
  /** Too few days older than any that moved were requested again, or days move until the end of the fixed lookback. */
  | { readonly kind: "too_little"; readonly compared: number }
  | { readonly kind: "moves_to_the_end" };

/**
 * The shortest lookback beyond which at most 1 % of days still move, with 95 % confidence (Wilson's upper bound), and no more than that
 * moved in the last weeks.
 */
export function learnLookback(evidence: readonly AgeEvidence[], fixedDays: number): LearnedLookback {
  const within = evidence.filter(({ age }) => age >= 1 && age <= fixedDays);
  for (let days = 0; days < fixedDays; days += 1) {
    const older = within.filter(({ age }) => age > days);
    const sum = (of: (one: AgeEvidence) => number) => older.reduce((all, one) => all + of(one), 0);
    const [compared, moved] = [sum((one) => one.compared), sum((one) => one.moved)];
    const isStill = moved === 0 || wilsonUpper(moved, compared) <= toleratedShare;
    const hasJustMoved = sum((one) => one.recentMoved) > toleratedShare * sum((one) => one.recentCompared);
    if (!isStill || hasJustMoved) continue;
    if (compared < fewestCompared) return { kind: "too_little", compared };
    return { kind: "learned", days, bound: wilsonUpper(moved, compared), compared };
  }
  return { kind: "moves_to_the_end" };
}

/** Wilson's upper bound of a share, one-sided at 95 %. */
export function wilsonUpper(moved: number, compared: number): number {
  if (compared === 0) return 1;
  const share = moved / compared;
  const centre = share + z ** 2 / (2 * compared);
  const spread = z * Math.sqrt((share * (1 - share)) / compared + z ** 2 / (4 * compared ** 2));
  return Math.min(1, (centre + spread) / (1 + z ** 2 / compared));
}

/**
 * A timing with a learned lookback: shorter, except for the whole fixed one on sample nights, which each partition has at other times, by
 * its key. A timing whose lookback is already that short does not change.
 */
export function withLearned<T extends Reach>(timing: T, days: number, { key, today }: { key: string; today: Day }): T {
  if (days >= timing.lookbackDays) return timing;
  const shorter = { ...timing, lookbackDays: days };
  if (!isSampled(key, today)) return shorter;
  const newest = addDays(today, 1 - timing.settleDays);
  const window = { start: addDays(newest, -timing.lookbackDays - 1), end: addDays(newest, -days - 1) };
  const sample: Moved = { window, since: today };
  return { ...shorter, moved: [...(timing.moved ?? []), sample] };
}

const origin = day("2000-01-01");

/** True on the nights on which a partition requests its whole fixed lookback: one in `sampleEveryNights`. */
export function isSampled(key: string, today: Day): boolean {
  return (daysBetween(origin, today) + numberOf(key)) % sampleEveryNights === 0;
}

/** Hashes a text to an evenly distributed number: FNV-1a. */
function numberOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
