import type { Day } from "../core/day.ts";
import type { Row } from "../warehouse/table.ts";

/** The newest day that rows of a series tell of, by their `date_day`; null where there are none. */
export function toldUntil(rows: readonly Row[]): Day | null {
  return rows.reduce<Day | null>((newest, { date_day: day }) => {
    return newest === null || (day as Day) > newest ? (day as Day) : newest;
  }, null);
}

/** For datasets that ask for many days in one dear call: days that were late are asked for once more, after they had time to come. */
export const lateDays = { emptyHoldsDays: 3, emptyUntilDays: 6 } as const;
