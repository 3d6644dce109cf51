import { accountOf, accountWords } from "../config/config-of-account.ts";
import type { Settings } from "../config/settings.ts";
import { lastDay, type Window } from "../core/window.ts";
import type { NamedScopes } from "../core/partition-group.ts";

/** What the coverage is about if the statement may read more, and what to do then. */
export function guessWords(window: Window, { apps, countries }: NamedScopes): string {
  const [from, to] = [window.start, lastDay(window)];
  return apps.length + countries.length === 0
    ? `Coverage is for ${from} to ${to}, but the statement may read other days: pass from and to for the days that it reads.`
    : `Coverage is for ${from} to ${to} and for the passed apps and countries, but the statement may read others: filter its date_day, track_id and country_code by the same values.`;
}

/** What a missing row means in a mart that has only the newest rows. */
export function newestWords(marts: readonly string[]): string {
  return `${marts.join(" and ")} ${marts.length === 1 ? "has" : "have"} only the newest day of each keyword: a missing row for another day says nothing about that day.`;
}

/** What the coverage is about if other accounts have more in the warehouse. */
export function othersWords(settings: Pick<Settings, "portfolio">): string {
  return `Coverage is for what ${accountWords(accountOf(settings))} has, but the statement may read apps and countries that only other accounts have: pass apps and countries, and filter track_id and country_code by the same values.`;
}
