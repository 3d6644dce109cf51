import { InvalidArgumentError } from "commander";
import { addDays, isDay, type Day } from "../core/day.ts";
import type { Window } from "../core/window.ts";
import { fail } from "../core/errors.ts";

/** Reads a day argument. */
export function dayArgument(text: string): Day {
  if (!isDay(text))
    throw new InvalidArgumentError("It is no day of the calendar: write YYYY-MM-DD, for instance 2026-03-31.");
  return text;
}

/** Reads a number of credits. */
export function creditsArgument(text: string): number {
  if (!/^\d{1,9}$/.test(text))
    throw new InvalidArgumentError("It is no number of credits: write a whole number, for instance 500.");
  return Number(text);
}

/** Collects an option that may be given several times, each time perhaps with commas. */
export function collect(text: string, previous: readonly string[]): readonly string[] {
  return [
    ...previous,
    ...text
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== ""),
  ];
}

/** `--from` and `--to`, both counted in, as a window. */
export function boundsOf(options: { readonly from?: Day; readonly to?: Day }): Partial<Window> {
  if (options.from !== undefined && options.to !== undefined && options.from > options.to) {
    throw fail("bad_argument", { from: options.from, to: options.to, problem: "--from is after --to" });
  }
  return {
    ...(options.from === undefined ? {} : { start: options.from }),
    ...(options.to === undefined ? {} : { end: addDays(options.to, 1) }),
  };
}
