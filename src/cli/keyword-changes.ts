import { foldKeyword } from "../core/text.ts";

/** What is to be done with the keywords that are named: track them as well, no longer, or them and no others. */
export type KeywordVerb = "add" | "remove" | "sync";

/** What would change. `left`: named keywords that need nothing done. */
export type KeywordChanges = {
  readonly add: readonly string[];
  readonly remove: readonly string[];
  readonly left: readonly string[];
};

/**
 * What it takes to have the account track what is wanted. Spellings of one keyword meet, and what is removed goes by the account's own
 * spelling. Where it is not known what is tracked (null), all that is named is sent, and the service leaves out what needs nothing.
 */
export function keywordChanges(
  verb: KeywordVerb,
  named: readonly string[],
  tracked: readonly string[] | null,
): KeywordChanges {
  if (tracked === null)
    return { add: verb === "remove" ? [] : named, remove: verb === "remove" ? named : [], left: [] };
  const known = Map.groupBy(tracked, foldKeyword);
  const isTracked = (keyword: string) => known.has(foldKeyword(keyword));
  if (verb === "remove") {
    const exact = new Set(tracked);
    const remove = named.flatMap((keyword) =>
      exact.has(keyword) ? [keyword] : (known.get(foldKeyword(keyword)) ?? []),
    );
    return { add: [], remove, left: named.filter((keyword) => !isTracked(keyword)) };
  }
  const wanted = new Set(named.map(foldKeyword));
  return {
    add: named.filter((keyword) => !isTracked(keyword)),
    remove: verb === "sync" ? tracked.filter((keyword) => !wanted.has(foldKeyword(keyword))) : [],
    left: named.filter(isTracked),
  };
}
