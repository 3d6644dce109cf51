import { StorehouseError } from "../core/errors.ts";
import { unconfirmedInWords, type KeywordChanges, type KeywordsChanged } from "../person/keyword-changes.ts";
import { nightsInWords, type KeywordNights } from "../person/keyword-nights.ts";
import type { SeenChanges } from "../person/seen-changes.ts";
import type { TrackedPlace } from "../person/tracked-lists.ts";
import { count, countOf } from "../core/words.ts";

/** A change of keywords, before it is made. */
export type ChangeReport = SeenChanges & {
  readonly place: TrackedPlace;
  /** Keywords that were given again. */
  readonly repeats: number;
  /** Credits that the change costs; 0 if there is nothing to do. */
  readonly credits: number;
  /** Credits that a night costs; null where nothing changes, or the portfolio is not known yet. */
  readonly nights: KeywordNights | null;
};

/** What would change, one keyword per line, and what it costs. */
export function changesInWords({ place, now, changes, repeats, credits, nights }: ChangeReport): string {
  const { add, remove, left } = changes;
  const facts = [
    `${count(add.length)} to add`,
    `${count(remove.length)} to remove`,
    countOf(left.length, "keyword needs no change", "keywords need no change"),
  ];
  if (repeats > 0) facts.push(countOf(repeats, "duplicate"));
  const notes =
    now.keywords === null
      ? [
          "It is not known which keywords these are, because their number differs from the last sync: the service ignores those that need no change, and --fresh reads the list first.",
        ]
      : [];
  return [
    `The account tracks ${countOf(now.count, "keyword")} for ${place.trackId} in ${place.country}.`,
    ...add.map((keyword) => `+ ${keyword}`),
    ...remove.map((keyword) => `- ${keyword}`),
    `${facts.join(", ")}: ${add.length + remove.length === 0 ? "nothing to do" : countOf(credits, "credit")}.`,
    ...notes,
    ...(isNewApp({ now, changes })
      ? [
          `The last sync did not find ${place.trackId} among the account's apps: with its first keyword the service starts to track the app too.`,
        ]
      : []),
    ...(nights === null ? [] : [nightsInWords(nights)]),
  ].join("\n");
}

/** True if, as last read, the change also adds the app to the account: then everything about an app is requested for it. */
function isNewApp({ now, changes }: Pick<ChangeReport, "now" | "changes">): boolean {
  return !now.isAppTracked && now.count === 0 && changes.add.length > 0;
}

/** What was done, and what the service did not confirm. */
export function doneInWords(done: KeywordsChanged): string {
  const { added, removed } = done;
  return [
    `${count(added.length)} added, ${count(removed.length)} removed. The next \`storehouse sync\` reads the list again.`,
    ...unconfirmedInWords(done),
  ].join("\n");
}

/** What was done before a failure, and what is left. */
export function leftInWords({ add, remove }: KeywordChanges, done: KeywordsChanged): string {
  const { added, removed, isFailureKnown } = done;
  const counts = `${count(added.length)} of ${count(add.length)} added, ${count(removed.length)} of ${count(remove.length)} removed.`;
  return [
    isFailureKnown
      ? `Only part of it was done: ${counts}`
      : `Only part of it was confirmed: ${counts} It is not known whether the failed call took effect; run the same command again to do the rest.`,
    ...unconfirmedInWords(done),
  ].join("\n");
}

/** The same as data. `added` and `removed` are null if there was nothing to do or no agreement. */
export function changesAsJson(
  { place, now, changes, repeats, credits, nights }: ChangeReport,
  done: KeywordsChanged | null,
) {
  const error = done?.error ?? null;
  return {
    app: place.trackId,
    country: place.country,
    tracked: now.count,
    isListKnown: now.keywords !== null,
    isNewApp: isNewApp({ now, changes }),
    add: changes.add,
    remove: changes.remove,
    left: changes.left,
    repeats,
    credits,
    moreCreditsANight: nights === null ? null : nights.after - nights.before,
    added: done?.added ?? null,
    removed: done?.removed ?? null,
    error: error instanceof StorehouseError ? error.code : error === null ? null : "interrupted",
  };
}
