import { accountOf, accountWords } from "../config/config-of-account.ts";
import type { Settings } from "../config/settings.ts";
import { lastDay, type Window } from "../core/window.ts";
import type { NamedScopes } from "../core/partition-group.ts";

/** What coverage is of where the statement may read more, and what to do then. */
export function guessWords(window: Window, { apps, countries }: NamedScopes): string {
  const [from, to] = [window.start, lastDay(window)];
  return apps.length + countries.length === 0
    ? `Coverage is of ${from} to ${to}, and the statement may read other days: pass from and to for those that it reads.`
    : `Coverage is of ${from} to ${to} and of the apps and countries that were passed, and the statement may read others: compare its date_day, track_id and country_code with the same ones.`;
}

/** What a row that is not there says of a mart that has the newest ones alone. */
export function newestWords(marts: readonly string[]): string {
  return `Of ${marts.join(" and ")} the newest day of each keyword is there alone: no row of another day says nothing of that day.`;
}

/** What coverage is of where other accounts have more in the warehouse. */
export function othersWords(settings: Pick<Settings, "portfolio">): string {
  return `Coverage is of what ${accountWords(accountOf(settings))} has, and the statement may read apps and countries that other accounts have alone: pass apps and countries, and compare track_id and country_code with the same ones.`;
}
