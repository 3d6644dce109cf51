import { comparing } from "../config/alert-condition.ts";
import type { AlertColumn } from "../config/alert-marts.ts";
import type { Alert, AlertValues } from "./alert.ts";

/** Differences of decimals are compared with this many digits, so that 4.5 - 4.4 is 0.1. */
const digits = 12;

type Compared = { readonly values: AlertValues; readonly before: AlertValues };

/**
 * Whether the values of a row meet the comparing conditions of an alert again when compared with those that fired before: it fell as far
 * again. False for an alert that compares nothing. The other conditions are met, since the row was found.
 */
export function isFurtherChange(
  { conditions, mart }: Pick<Alert, "conditions" | "mart">,
  { values, before }: Compared,
): boolean {
  const compared = Object.entries(conditions).flatMap(([column, condition]) => {
    const kind = mart.columns[column] ?? "text";
    const [now, earlier] = [valueOf(values[column], kind), valueOf(before[column], kind)];
    return comparing
      .filter((name) => condition[name] !== undefined)
      .map((name) => now !== null && earlier !== null && holds[name](now, earlier, Number(condition[name])));
  });
  return compared.length > 0 && compared.every(Boolean);
}

type Cell = string | number | boolean;

/** The comparisons of `conditionSql`, for known values; test/alerts/comparisons.test.ts holds both equal. */
const holds: Readonly<Record<(typeof comparing)[number], (now: Cell, before: Cell, by: number) => boolean>> = {
  rises_by: (now, before, by) => difference(now, before) >= by,
  falls_by: (now, before, by) => difference(before, now) >= by,
  rises_by_percent: (now, before, by) => percentOf(difference(now, before), before) >= by,
  falls_by_percent: (now, before, by) => percentOf(difference(before, now), before) >= by,
  rises_past: (now, before, limit) => Number(now) > limit && Number(before) <= limit,
  falls_past: (now, before, limit) => Number(now) < limit && Number(before) >= limit,
  changes: (now, before) => now !== before,
};

function difference(a: Cell, b: Cell): number {
  return Number((Number(a) - Number(b)).toPrecision(digits));
}

function percentOf(part: number, whole: Cell): number {
  return Number(whole) > 0 ? Number(((part * 100) / Number(whole)).toPrecision(digits)) : Number.NaN;
}

/** A null rank comes after every place; another unknown value meets no condition. */
function valueOf(value: Cell | null | undefined, kind: AlertColumn): Cell | null {
  return kind === "rank" ? (value ?? Number.POSITIVE_INFINITY) : (value ?? null);
}
