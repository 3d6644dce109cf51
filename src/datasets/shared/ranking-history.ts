import { isDay, type Day } from "../../core/day.ts";
import type { Scope } from "../../core/slice.ts";
import { devicesOf, type Store } from "../../core/store.ts";
import { cleanText } from "../../core/text.ts";
import { part } from "./define-dataset.ts";

/** An entry of the account's list of keywords, as far as it matters here. */
type Listed = {
  readonly keyword: string;
  readonly countryCode?: string | null | undefined;
  readonly rankingHistory?: unknown;
};

/**
 * The ranks of earlier days that the account's list of keywords reports, by day and keyword. Only certain ranks: in a store with one
 * device, since the list is about one; a whole number of at least 1, on a bare date, named once. A day without a rank says nothing: it may
 * not have been read.
 */
export function rankingHistory(scope: Scope, pages: readonly unknown[]): ReadonlyMap<Day, ReadonlyMap<string, number>> {
  const days = new Map<Day, Map<string, number>>();
  if (devicesOf[part(scope, "store") as Store].length > 1) return days;
  const entries = pages.flat() as readonly Listed[];
  const named = Map.groupBy(entries, ({ keyword }) => cleanText(keyword));
  for (const [keyword, [entry, another]] of named) {
    if (entry === undefined || another !== undefined || isElsewhere(entry, scope)) continue;
    for (const [day, rank] of ranksOf(entry.rankingHistory)) {
      const ranks = days.get(day) ?? new Map<string, number>();
      days.set(day, ranks.set(keyword, rank));
    }
  }
  return days;
}

function isElsewhere({ countryCode }: Listed, scope: Scope): boolean {
  return countryCode != null && countryCode.toUpperCase() !== part(scope, "country");
}

function ranksOf(history: unknown): readonly (readonly [Day, number])[] {
  if (!Array.isArray(history)) return [];
  const entries = history.map((entry: unknown) =>
    typeof entry === "object" && entry !== null ? { ...entry } : {},
  ) as {
    readonly date?: unknown;
    readonly rank?: unknown;
  }[];
  const byDay = Map.groupBy(entries, ({ date }) => (typeof date === "string" && isDay(date) ? date : null));
  return [...byDay].flatMap(([day, [entry, another]]) => {
    const rank = entry?.rank;
    const isSure =
      day !== null && another === undefined && typeof rank === "number" && Number.isSafeInteger(rank) && rank > 0;
    return isSure ? [[day, rank] as const] : [];
  });
}
