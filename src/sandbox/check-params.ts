import { z } from "zod";
import { addDays, type Day } from "../core/day.ts";
import type { Operation, Range } from "../api/define-operation.ts";
import { latestEnd } from "../api/range.ts";
import { CountryCode, DayText } from "../api/values.ts";
import { Refusal } from "../api/serve/refusal.ts";

/** What the market and the calendar allow. */
export type ParamLimits = {
  readonly today: Day;
  readonly countries: readonly string[];
  /** Whether an end is inclusive if the contract does not say. */
  readonly openEndInclusive: boolean;
  /** True if the end of a range that is too long is moved without an error, false if the range is refused. */
  readonly cutsRanges: boolean;
  /** The most days of any range, after which its end is moved without an error; null for none. */
  readonly mostRangeDays: number | null;
};

type Values = Readonly<Record<string, unknown>>;

/**
 * Refuses values that are well-formed but not possible: future days, countries without the store, ranges that are too long or reversed,
 * values that are not allowed together. Returns the values that the answer is made from.
 */
export function checkParams(operation: Operation, values: Values, limits: ParamLimits): Values {
  for (const [name, value] of Object.entries(values)) {
    const schema = operation.params[name]?.schema;
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    const of = schema instanceof z.ZodArray ? schema.element : schema;
    if (of === CountryCode) refuseCountry(name, items, limits.countries);
    if (of === DayText) refuseFuture(name, items, lastDayOf(operation.range, name, limits));
  }
  const problem = operation.together?.(values) ?? null;
  if (problem !== null) throw new Refusal(400, problem);
  return operation.range === null ? values : withinRange(operation.range, values, limits);
}

/** True if the end day of a range belongs to it. */
export function countsEnd(range: Range, { openEndInclusive }: Pick<ParamLimits, "openEndInclusive">): boolean {
  return range.endInclusive ?? openEndInclusive;
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
function lastDayOf(range: Range | null, name: string, limits: ParamLimits): Day {
  return range !== null && range.end === name && !countsEnd(range, limits) ? addDays(limits.today, 1) : limits.today;
}

function withinRange(range: Range, values: Values, limits: ParamLimits): Values {
  const start = DayText.safeParse(values[range.start]);
  const end = DayText.safeParse(values[range.end]);
  if (!start.success || !end.success) return values;
  if (start.data > end.data) throw new Refusal(400, `${range.start} is after ${range.end}`);
  const latest = latestEnd(range, start.data);
  const step = countsEnd(range, limits) ? 1 : 0;
  if (latest !== null && addDays(end.data, step) > latest && !limits.cutsRanges)
    throw new Refusal(400, `a range that begins on ${start.data} must end before ${latest}`);
  const cuts = limits.mostRangeDays === null ? [] : [addDays(start.data, limits.mostRangeDays)];
  const last = [addDays(end.data, step), ...(latest === null ? [] : [latest]), ...cuts].sort()[0] ?? end.data;
  return { ...values, [range.end]: addDays(last, -step) };
}
