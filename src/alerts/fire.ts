import type { Day } from "../core/day.ts";
import type { Alert, AlertValues } from "./alert.ts";
import { isFurtherChange } from "./further-change.ts";

/** A row of a mart that meets the conditions of an alert. */
export type Fire = {
  readonly subject: AlertValues;
  /** Name of its subject, if the mart has one. */
  readonly label: string | null;
  readonly day: Day;
  /** The day that it was compared with; null if there was no comparison. */
  readonly comparedDay: Day | null;
  readonly values: AlertValues;
  /** Values of the compared day; null if there was no comparison. */
  readonly before: AlertValues | null;
};

/** What identifies a fire: the subject as text, the day, the compared day, and the values. */
export type FireKey = Pick<Fire, "day" | "comparedDay" | "values"> & { readonly subject: string };

/** The subject as text, the same for every order of its columns. */
export function subjectKey(subject: AlertValues): string {
  return JSON.stringify(Object.entries(subject).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * The found fires that did not fire before: one per subject and day, and none whose compared days overlap those of an earlier fire, unless
 * the value has since changed by as much again. A change over a gap, or over several days, is still the same change when the days between
 * arrive later.
 */
export function onlyNew(
  found: readonly Fire[],
  fired: readonly FireKey[],
  alert: Pick<Alert, "conditions" | "mart">,
): readonly Fire[] {
  const known = new Map<string, FireKey[]>();
  for (const one of fired) known.set(one.subject, [...(known.get(one.subject) ?? []), one]);
  return found
    .toSorted((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0))
    .filter(({ subject, day, comparedDay, values }) => {
      const key = { subject: subjectKey(subject), day, comparedDay, values };
      const own = known.get(key.subject) ?? [];
      if (own.some((one) => isSame(one, key, alert))) return false;
      known.set(key.subject, [...own, key]);
      return true;
    });
}

/** Whether a fire is about the same day or the same change as an earlier one. */
function isSame(fired: FireKey, found: FireKey, alert: Pick<Alert, "conditions" | "mart">): boolean {
  if (fired.day === found.day) return true;
  if (fired.comparedDay === null || found.comparedDay === null) return false;
  if (fired.comparedDay >= found.day || found.comparedDay >= fired.day) return false;
  return found.day < fired.day || !isFurtherChange(alert, { values: found.values, before: fired.values });
}
