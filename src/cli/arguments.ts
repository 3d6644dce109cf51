import { InvalidArgumentError, Option } from "commander";
import { systemClock } from "../core/clock.ts";
import { errorCodes } from "../core/error-codes.ts";
import { addDays, isDay, type Day } from "../core/day.ts";
import { ledgerNumber } from "../core/slice.ts";
import type { Window } from "../core/window.ts";
import { fail, type StorehouseError } from "../core/errors.ts";

/** The stores opened in 2008, and no plan reaches a century ahead: a day outside these limits is a mistake. */
const firstDay = "1970-01-01";
const lastDay = "2199-12-31";

/** Reads a day argument. */
export function dayArgument(text: string): Day {
  if (!isDay(text))
    throw new InvalidArgumentError("It is not a calendar day: write YYYY-MM-DD, for instance 2026-03-31.");
  if (text < firstDay || text > lastDay)
    throw new InvalidArgumentError(`It is not a day between ${firstDay} and ${lastDay}.`);
  return text;
}

/** Reads a day that has begun in UTC. */
export function pastDayArgument(text: string): Day {
  const day = dayArgument(text);
  if (day > systemClock().today())
    throw new InvalidArgumentError(
      "It is in the future: nothing is known about it yet, and anything recorded for it would be wrong.",
    );
  return day;
}

type Range = { readonly least?: number; readonly most: number; readonly says: string };

/** Makes the reader of a whole number in a range; `says`: the error for any other text. */
export function wholeNumber({ least = 0, most, says }: Range): (text: string) => number {
  return (text) => {
    const number = /^\d{1,9}$/.test(text) ? Number(text) : -1;
    if (number < least || number > most) throw new InvalidArgumentError(says);
    return number;
  };
}

/** Reads a number of credits. */
export const creditsArgument = wholeNumber({
  most: 999_999_999,
  says: "It is not a number of credits: write a whole number, for instance 500.",
});

/** Reads the number of a plan; it stays text, as the ledger has it. */
export function planArgument(text: string): string {
  if (!ledgerNumber.test(text))
    throw new InvalidArgumentError(
      "It is not the number of a plan: `storehouse backfill --dataset NAME --dry-run` prints it.",
    );
  return text;
}

/** Reads the number of a slice; it stays text, as the ledger has it. */
export function sliceArgument(text: string): string {
  if (!ledgerNumber.test(text))
    throw new InvalidArgumentError("It is not the number of a slice: `storehouse raw list` shows them.");
  return text;
}

/** The error for a number that no slice has; it says where to find slices. */
export function noSuchSlice(sliceId: string): StorehouseError {
  const where = "`storehouse raw list` shows slices with their numbers, `storehouse failures` those that failed";
  return fail("bad_argument", { problem: `there is no slice ${sliceId}: ${where}` });
}

/** Reads the number of a page, from 0. */
export const pageArgument = wholeNumber({
  most: 999_999,
  says: "It is not the number of a page: pages are numbered from 0.",
});

/** Reads a number of things, at least 1. */
export const countArgument = wholeNumber({
  least: 1,
  most: 999_999_999,
  says: "Write a whole number, 1 or more, for instance 100.",
});

/** Collects an option that may be given several times, and each time may hold several values separated by commas. */
export function collect(text: string, previous: readonly string[] = []): readonly string[] {
  const names = text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  // an empty variable in a script must not mean everything
  if (names.length === 0) throw new InvalidArgumentError("It is empty: give a value, or leave the option out.");
  return [...previous, ...names];
}

/** An option that may be given several times; `none`: what leaving it out means, `read`: how values are collected. */
export function several<T>(
  flags: string,
  description: string,
  none: string,
  read: (text: string, previous: readonly T[]) => readonly T[] = collect as never,
): Option {
  return new Option(flags, `${description}; may be repeated`).argParser(read).default([], none);
}

/** Reads the name of a folder. */
export function folderArgument(text: string): string {
  // an empty variable in a script must not mean the working folder
  if (text.trim() === "") throw new InvalidArgumentError("It is empty: name a folder.");
  return text;
}

/** Collects codes of errors. */
export function collectCodes(text: string, previous: readonly string[]): readonly string[] {
  const codes = collect(text, previous);
  const unknown = codes.find((code) => !Object.hasOwn(errorCodes, code));
  if (unknown !== undefined)
    throw new InvalidArgumentError(
      `No error has the code ${unknown}: \`storehouse retry --dry-run\` shows the current ones, and docs/reference/errors.md lists all.`,
    );
  return codes;
}

/** Collects numbers of slices. */
export function collectSlices(text: string, previous: readonly string[]): readonly string[] {
  return collect(text, previous).map(sliceArgument);
}

/** The option of commands that read what is stored: all datasets unless some are named. */
export function onlyDatasets(): Option {
  return several("--dataset <name>", "only this dataset", "all");
}

/** `--from` and `--to`, both inclusive, as a window. */
export function boundsOf(options: { readonly from?: Day; readonly to?: Day }): Partial<Window> {
  if (options.from !== undefined && options.to !== undefined && options.from > options.to) {
    throw fail("bad_argument", { from: options.from, to: options.to, problem: "--from is after --to" });
  }
  return {
    ...(options.from === undefined ? {} : { start: options.from }),
    ...(options.to === undefined ? {} : { end: addDays(options.to, 1) }),
  };
}

/** Reads an address to listen on. */
export function hostArgument(text: string): string {
  // an empty variable in a script must not mean every address of the machine
  if (text.trim() === "") throw new InvalidArgumentError("It is empty: give an address, or leave the option out.");
  return text;
}

/** Reads a port, 0 for any free one. */
export const portArgument = wholeNumber({ most: 65_535, says: "It is not a port: write a number from 0 to 65535." });
