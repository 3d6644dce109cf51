import type { Day } from "../core/day.ts";

/** Values of columns by name. */
export type AlertValues = Readonly<Record<string, string | number | boolean | null>>;

/** A row of a mart that meets the conditions of an alert. */
export type Fire = {
  readonly subject: AlertValues;
  /** Name of what it is about, where the mart has one. */
  readonly label: string | null;
  readonly day: Day;
  /** Day with which it was compared; null where nothing was. */
  readonly comparedDay: Day | null;
  readonly values: AlertValues;
  /** Values of the compared day; null where nothing was compared. */
  readonly before: AlertValues | null;
};

/** What identifies a fire: the subject as text, the day, and the day that it was compared with. */
export type FireKey = { readonly subject: string; readonly day: Day; readonly comparedDay: Day | null };

/** The subject as text, the same however its columns are ordered. */
export function subjectKey(subject: AlertValues): string {
  return JSON.stringify(Object.entries(subject).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Of the fires that were found those that did not fire before: one a subject and day, and none whose compared days overlap those of one
 * that fired. A change that is seen over a gap, or over several days, is the same change when the days between come later.
 */
export function onlyNew(found: readonly Fire[], fired: readonly FireKey[]): readonly Fire[] {
  const known = new Map<string, FireKey[]>();
  for (const one of fired) known.set(one.subject, [...(known.get(one.subject) ?? []), one]);
  return found
    .toSorted((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0))
    .filter(({ subject, day, comparedDay }) => {
      const key = { subject: subjectKey(subject), day, comparedDay };
      const own = known.get(key.subject) ?? [];
      if (own.some((one) => isSame(one, key))) return false;
      known.set(key.subject, [...own, key]);
      return true;
    });
}

/** Whether two fires of a subject are about one day, or about one change. */
function isSame(a: FireKey, b: FireKey): boolean {
  if (a.day === b.day) return true;
  return a.comparedDay !== null && b.comparedDay !== null && a.comparedDay < b.day && b.comparedDay < a.day;
}
