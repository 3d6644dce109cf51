import { expect, test } from "vitest";
import { addDays, day, daysBetween, type Day } from "../../src/core/day.ts";
import { scopeKey, type Covered } from "../../src/core/slice.ts";
import { daysOf } from "../../src/core/window.ts";
import {
  evidenceDays,
  learnLookback,
  recentDays,
  withLearned,
  type AgeEvidence,
} from "../../src/plan/learn-lookback.ts";
import { planDataset } from "../../src/plan/plan-dataset.ts";
import { long } from "../support/long.ts";

/** A year of nights of a source that moves its days for a week, and from this night on for eighteen days; a day's run plays half of it. */
const nights = long ? 365 : 180;
const habitChanges = long ? 240 : 110;
const movesFor = (night: number) => (night < habitChanges ? 7 : 18);
/** Of the days that may still move so many do in a night. */
const moveShare = 0.6;

const timing = { kind: "series", settleDays: 1, lookbackDays: 30, historyDays: 60 } as const;
const scopes = Array.from({ length: long ? 12 : 6 }, (_, index) => ({ org: String(index) }));
const firstNight = day("2025-01-01");
/** As search-ads reports by day: 20 credits a call of 27 days; and a source that charges each day. */
const prices = { "27 days a call": { credits: 20, maxDays: 27 }, "a day a call": { credits: 3, maxDays: 1 } } as const;

/** The same number from 0 to 1 for the same words. */
function chance(...words: readonly (string | number)[]): number {
  let hash = 0x811c9dc5;
  for (const letter of words.join(" ")) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return ((hash ^ (hash >>> 13)) >>> 0) / 2 ** 32;
}

type Year = {
  readonly credits: number;
  readonly wrongDayNights: number;
  readonly longestWrong: number;
  readonly days: readonly number[];
};

/** Plays the year: plans each night, compares what comes again, and counts days whose stored figures are not those of the source. */
function play({ credits, maxDays }: { readonly credits: number; readonly maxDays: number }, isLearned: boolean): Year {
  const covered = new Map<string, Covered[]>(scopes.map((scope) => [scopeKey(scope), []]));
  const versions = new Map<string, number>();
  const stored = new Map<string, number>();
  const seen: Counts[] = [];
  const wrongFor = new Map<string, number>();
  const year = { credits: 0, wrongDayNights: 0, longestWrong: 0, days: [] as number[] };
  for (let night = 0; night < nights; night += 1) {
    const today = addDays(firstNight, night);
    moveDays(versions, night, today);
    const learned = isLearned ? learnLookback(evidenceOf(seen, night), timing.lookbackDays) : null;
    const days = learned?.kind === "learned" ? learned.days : timing.lookbackDays;
    year.days.push(days);
    const tonight: Counts = new Map();
    const { slices } = planDataset({
      dataset: "reports",
      timing,
      partitions: scopes.map((scope) => ({
        scope,
        items: null,
        fingerprint: "",
        timing: withLearned(timing, days, { key: scopeKey(scope), today }),
        fetchOptions: [{ operation: "report", credits, maxDays, maxItems: Number.POSITIVE_INFINITY }],
      })),
      covered,
      today,
      bounds: {},
      reprocess: "missing",
    });
    for (const slice of slices) {
      year.credits += slice.credits;
      const key = scopeKey(slice.scope);
      const own = covered.get(key) ?? [];
      covered.set(key, [
        ...own.filter(({ asOf }) => asOf > addDays(today, -70)),
        { ...slice, state: "loaded", refused: false },
      ]);
      for (const one of daysOf(slice.window)) {
        const cell = `${key} ${one}`;
        const version = versions.get(cell) ?? 0;
        const before = stored.get(cell);
        if (before !== undefined) note(tonight, ageOf(one, today), before !== version);
        stored.set(cell, version);
      }
    }
    seen.push(tonight);
    for (const [cell, version] of stored) {
      if (version === (versions.get(cell) ?? 0)) {
        wrongFor.delete(cell);
        continue;
      }
      const wrong = (wrongFor.get(cell) ?? 0) + 1;
      wrongFor.set(cell, wrong);
      year.wrongDayNights += 1;
      year.longestWrong = Math.max(year.longestWrong, wrong);
    }
  }
  return year;
}

const ageOf = (one: Day, today: Day) => daysBetween(one, today) - timing.settleDays;

/** What the source does to its days on a night. */
function moveDays(versions: Map<string, number>, night: number, today: Day): void {
  for (const scope of scopes)
    for (let age = 1; age <= movesFor(night); age += 1) {
      const cell = `${scopeKey(scope)} ${addDays(today, -timing.settleDays - age)}`;
      if (chance(cell, night) < moveShare) versions.set(cell, (versions.get(cell) ?? 0) + 1);
    }
}

/** Counts of one night by age. */
type Counts = Map<number, { compared: number; moved: number }>;

function evidenceOf(seen: readonly Counts[], tonight: number): readonly AgeEvidence[] {
  const sum = (from: number, age: number, of: "compared" | "moved") =>
    seen.slice(Math.max(0, from)).reduce((all, counts) => all + (counts.get(age)?.[of] ?? 0), 0);
  return Array.from({ length: timing.lookbackDays }, (_, index) => index + 1).map((age) => ({
    age,
    compared: sum(tonight + 1 - evidenceDays, age, "compared"),
    moved: sum(tonight + 1 - evidenceDays, age, "moved"),
    recentCompared: sum(tonight + 1 - recentDays, age, "compared"),
    recentMoved: sum(tonight + 1 - recentDays, age, "moved"),
  }));
}

function note(counts: Counts, age: number, hasMoved: boolean): void {
  const known = counts.get(age) ?? { compared: 0, moved: 0 };
  counts.set(age, { compared: known.compared + 1, moved: known.moved + (hasMoved ? 1 : 0) });
}

/** The second takes minutes: it has a slice for each day. */
const played = Object.entries(prices).slice(0, long ? undefined : 1);

test.each(played)("a year costs less with a learned lookback, and what stays wrong is found: %s", (name, price) => {
  const [fixed, learned] = [play(price, false), play(price, true)];
  const cellNights = scopes.length * 30 * nights;
  const figures = {
    saved: 1 - learned.credits / fixed.credits,
    wrong: learned.wrongDayNights / cellNights,
    longestWrong: learned.longestWrong,
    learnsAfter: learned.days.findIndex((days) => days < timing.lookbackDays),
    widensAfter: learned.days.findIndex((days, night) => night >= habitChanges && days >= 18) - habitChanges,
  };
  if (long)
    process.stdout.write(`${name}: ${JSON.stringify({ ...figures, credits: [fixed.credits, learned.credits] })}\n`);
  expect(fixed).toMatchObject({ wrongDayNights: 0 });
  expect(new Set(learned.days.slice(7, habitChanges))).toEqual(new Set([7]));
  expect(figures.widensAfter).toBeGreaterThan(0);
  expect(figures.widensAfter).toBeLessThan(14);
  expect(learned.days.slice(habitChanges + 30).every((days) => days === 18 || days === 19)).toBe(true);
  expect(figures.saved).toBeGreaterThan(name === "a day a call" ? 0.4 : 0.2);
  expect(figures.wrong).toBeLessThan(0.01);
});
