import { z } from "zod";
import { addDays, daysBetween, type Day } from "../core/day.ts";
import type { Operation, Range } from "../api/define-operation.ts";
import { CountryCode, DayText } from "../api/values.ts";
import { Refusal } from "./refusal.ts";

/** What the market and the calendar allow. */
export type Limits = { readonly today: Day; readonly countries: readonly string[] };

/** Refuses values that are well-formed but cannot be: days to come, countries that are not sold in, ranges too long or reversed. */
export function checkParams(operation: Operation, values: Readonly<Record<string, unknown>>, limits: Limits): void {
  for (const [name, value] of Object.entries(values)) {
    const schema = operation.params[name]?.schema;
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    const of = schema instanceof z.ZodArray ? schema.element : schema;
    if (of === CountryCode) refuseCountry(name, items, limits.countries);
    if (of === DayText) refuseFuture(name, items, lastDayOf(operation.range, name, limits.today));
  }
  if (operation.range !== null) checkRange(operation.range, values);
}

function refuseCountry(name: string, countries: readonly unknown[], sold: readonly string[]): void {
  const odd = countries.filter((country) => typeof country === "string").find((country) => !sold.includes(country));
  if (odd !== undefined) throw new Refusal(400, `${name}: there is no store in ${odd}`);
}

function refuseFuture(name: string, days: readonly unknown[], last: Day): void {
  const odd = days.filter((day) => typeof day === "string").find((day) => day > last);
  if (odd !== undefined) throw new Refusal(400, `${name}: ${odd} is in the future`);
}

/** An exclusive end names the day after the last one, which may be tomorrow. */
function lastDayOf(range: Range | null, name: string, today: Day): Day {
  return range !== null && range.end === name && !range.endInclusive ? addDays(today, 1) : today;
}

function checkRange(range: Range, values: Readonly<Record<string, unknown>>): void {
  const start = DayText.safeParse(values[range.start]);
  const end = DayText.safeParse(values[range.end]);
  if (!start.success || !end.success) return;
  if (start.data > end.data) throw new Refusal(400, `${range.start} is after ${range.end}`);
  const length = daysBetween(start.data, end.data) + (range.endInclusive ? 1 : 0);
  if (range.days !== null && length > range.days)
    throw new Refusal(400, `the range holds ${length} days, at most ${range.days} are allowed`);
}
