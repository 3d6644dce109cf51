import { addDays, isDay, type Day } from "../core/day.ts";
import type { Window } from "../core/window.ts";
import { lastOfMonth, statementBounds } from "./statement-bounds.ts";
import { pieces, withoutComments } from "./statement-pieces.ts";
import type { Answer } from "./run-statement.ts";

/** The days whose coverage is shown with an answer, and where they come from. */
export type StatementDays = {
  readonly window: Window;
  readonly from: "arguments" | "statement" | "answer" | "default";
  /** False if the statement may read other days, or not all of these: a missing row then proves nothing. */
  readonly isExact: boolean;
};

/** The number of days before today that count if no days are named. */
const defaultDays = 28;

/** What days are read from; only `given` if there is no statement. */
type Source = {
  readonly given: { readonly from?: Day | undefined; readonly to?: Day | undefined };
  readonly statement?: string;
  readonly answer?: Pick<Answer, "columns" | "rows">;
  readonly today: Day;
};

const nothing = { columns: [], rows: [] };

/**
 * The days that a statement is about: those that the caller names, else those in the statement, else those of its answer, else the last
 * weeks. If the statement contains one day, they are those up to it, or those from it to yesterday. Future days are left out.
 */
export function statementDays({ given, statement = "", answer = nothing, today }: Source): StatementDays {
  const yesterday = addDays(today, -1);
  if (given.from !== undefined || given.to !== undefined) {
    const to = given.to ?? yesterday;
    const window = within(given.from ?? addDays(to, 1 - defaultDays), to, today);
    return { window, from: "arguments", isExact: true };
  }
  const bounds = statementBounds(statement);
  if (bounds !== undefined)
    return { window: within(bounds.first, bounds.last, today), from: "statement", isExact: true };
  const written = writtenDays(statement);
  const [first, last] = ends(written.map(({ day }) => day));
  if (first !== undefined && last !== undefined) {
    const window = first === last ? around(written, yesterday, today) : within(first, last, today);
    return { window, from: "statement", isExact: false };
  }
  const [oldest, newest] = ends(daysIn(answer));
  if (oldest !== undefined && newest !== undefined)
    return { window: within(oldest, newest, today), from: "answer", isExact: false };
  return { window: within(addDays(yesterday, 1 - defaultDays), yesterday, today), from: "default", isExact: false };
}

/** A day of a statement, and the operator before it. */
type Written = { readonly day: Day; readonly operator: string };

function writtenDays(statement: string): readonly Written[] {
  const all = pieces(withoutComments(statement));
  return all.flatMap(({ kind, text }, index) => {
    const [, day = ""] = (kind === "string" && /^e?'(\d{4}-\d{2}-\d{2})/i.exec(text)) || [];
    const [, operator = ""] = operatorBefore.exec(all[index - 1]?.text ?? "") ?? [];
    return isDay(day) ? [{ day, operator }] : [];
  });
}

const operatorBefore = /([<>=]*)\s*(?:date|timestamp|timestamptz)?\s*$/i;

/** The days on the side of a statement's only day that it reads: those before it if it is an end, else those from it on. */
function around(written: readonly Written[], yesterday: Day, today: Day): Window {
  const [{ day, operator } = { day: yesterday, operator: "" }] = written;
  if (!operator.startsWith("<")) return within(day, day > yesterday ? day : yesterday, today);
  const last = operator === "<" ? addDays(day, -1) : day;
  return within(addDays(last, 1 - defaultDays), last, today);
}

function within(from: Day, to: Day, today: Day): Window {
  const last = to > today ? today : to;
  return { start: from > last ? last : from, end: addDays(last, 1) };
}

function ends(days: readonly Day[]): readonly [Day | undefined, Day | undefined] {
  const sorted = days.toSorted();
  return [sorted[0], sorted.at(-1)];
}

function daysIn({ columns, rows }: Pick<Answer, "columns" | "rows">): readonly Day[] {
  const dates = columns.flatMap(({ name, type }, index) => (type === "date" ? [{ name, index }] : []));
  return rows.flatMap((row) =>
    dates.flatMap(({ name, index }) => {
      const value = row[index];
      if (typeof value !== "string" || !isDay(value)) return [];
      return name === "month_start" ? [value, lastOfMonth(value)] : [value];
    }),
  );
}
