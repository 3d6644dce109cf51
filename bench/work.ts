import { addDays, day, type Day } from "../src/core/day.ts";

/** How much is requested: one answer per app, country and day. At most 30 days, and at most the listed countries. */
export type Work = { readonly apps: number; readonly countries: number; readonly days: number };

/** The day that counts as today, if the bench decides it. */
export const today = day("2026-08-20");

/** The service answers for this many keywords at once; Android ranks have no devices, so an answer has as many rows. */
export const keywordsPerAnswer = 100;

const countryCodes = "US JP GB DE FR KR BR CA AU IT ES MX IN TR NL SE PL ID VN TH".split(" ");

/** The number of answers for the work. */
export function answersOf({ apps, countries, days }: Work): number {
  return apps * countries * days;
}

/** The number of ranks in the work. */
export function ranksOf(work: Work): number {
  return answersOf(work) * keywordsPerAnswer;
}

/** The days of the work, before `until`. */
export function boundsOf(work: Work, until: Day = today): { readonly start: Day; readonly end: Day } {
  return { start: addDays(until, -work.days), end: until };
}

/** The apps of the work as the configuration lists them. */
export function portfolioApps(work: Work): { id: string; countries: string[]; keywords: string[] }[] {
  return Array.from({ length: work.apps }, (_, app) => ({
    id: trackIdOf(app),
    countries: countryCodes.slice(0, work.countries),
    keywords: Array.from({ length: keywordsPerAnswer }, (_unused, index) => keywordOf(app, index)),
  }));
}

/** Package name of an app by its number. */
export function trackIdOf(app: number): string {
  return `com.example.bench${app}`;
}

/** A keyword of an app: apps share none, so that the dimension is realistically large. */
export function keywordOf(app: number, index: number): string {
  return `habit tracker ${app} ${index}`;
}

/** The token that the answer server takes. */
export const benchToken = "bench-token-of-the-answer-server";
