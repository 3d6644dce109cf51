import { addDays, isDay, type Day } from "../core/day.ts";
import type { Window } from "../core/window.ts";
import type { Answer } from "./run-statement.ts";

/** The days whose coverage stands beside an answer, and where they come from. */
export type DaysAsked = { readonly window: Window; readonly from: "arguments" | "statement" | "answer" | "default" };

/** Days before today that count where nothing names any. */
const defaultDays = 28;

/** What days are read from. */
type Asked = {
  readonly given: { readonly from?: Day | undefined; readonly to?: Day | undefined };
  readonly statement: string;
  readonly answer: Pick<Answer, "columns" | "rows">;
  readonly today: Day;
};

/**
 * The days that a statement is about: those that the caller names, else those that the statement writes out, up to yesterday where it writes one
 * only, else those of its answer, else the last weeks. Days to come are left out.
 */
export function daysAsked({ given, statement, answer, today }: Asked): DaysAsked {
  const yesterday = addDays(today, -1);
  if (given.from !== undefined || given.to !== undefined) {
    const to = given.to ?? yesterday;
    return { window: within(given.from ?? addDays(to, 1 - defaultDays), to, today), from: "arguments" };
  }
  const written = [...statement.matchAll(/'(\d{4}-\d{2}-\d{2})/g)].flatMap(([, text = ""]) =>
    isDay(text) ? [text] : [],
  );
  const [first, last] = ends(written);
  if (first !== undefined && last !== undefined)
    return { window: within(first, first === last ? later(last, yesterday) : last, today), from: "statement" };
  const [oldest, newest] = ends(daysIn(answer));
  if (oldest !== undefined && newest !== undefined) return { window: within(oldest, newest, today), from: "answer" };
  return { window: within(addDays(yesterday, 1 - defaultDays), yesterday, today), from: "default" };
}

function within(from: Day, to: Day, today: Day): Window {
  const last = to > today ? today : to;
  return { start: from > last ? last : from, end: addDays(last, 1) };
}

function later(a: Day, b: Day): Day {
  return a > b ? a : b;
}

function ends(days: readonly Day[]): readonly [Day | undefined, Day | undefined] {
  const sorted = days.toSorted();
  return [sorted[0], sorted.at(-1)];
}

function daysIn({ columns, rows }: Asked["answer"]): readonly Day[] {
  const dates = columns.flatMap(({ type }, index) => (type === "date" ? [index] : []));
  return rows.flatMap((row) =>
    dates.flatMap((index) => {
      const value = row[index];
      return typeof value === "string" && isDay(value) ? [value] : [];
    }),
  );
}
