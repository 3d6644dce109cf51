import { addMonths, monthStart, type Day } from "./day.ts";

/** The first day of which rows are kept: that of the month so many whole months before the current one; null where all are kept. */
export function keptFrom(today: Day, keepMonths: number | undefined): Day | null {
  return keepMonths === undefined ? null : addMonths(monthStart(today), -keepMonths);
}
