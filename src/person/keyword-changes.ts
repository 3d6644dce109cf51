import { addKeywords, deleteKeywords } from "../api/operations/dashboard-keyword.ts";
import type { ErrorCode } from "../core/error-codes.ts";
import { DeferError, StorehouseError } from "../core/errors.ts";
import { foldKeyword } from "../core/text.ts";
import { callPrice } from "../credits/costs.ts";
import { forgetAnswersTo } from "../raw/answers-to.ts";
import type { ApiSession } from "./api-session.ts";
import { callHashesAbout, makeListsDue, type TrackedNow, type TrackedPlace } from "./tracked-lists.ts";

/** What to do with the named keywords: also track them, no longer track them, or track them and no others. */
export const keywordVerbs = ["add", "remove", "sync"] as const;
export type KeywordVerb = (typeof keywordVerbs)[number];

/** What would change. `left`: named keywords that need nothing done. */
export type KeywordChanges = {
  readonly add: readonly string[];
  readonly remove: readonly string[];
  readonly left: readonly string[];
};

/**
 * The changes after which the account tracks what is wanted. Different spellings of a keyword count as one, and removals use the account's
 * own spelling. If the tracked keywords are not known (null), all named ones are sent, and the service ignores those that need no change.
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

/** Keywords that one call carries: as many as may be added at once; the service documents no limit for removals. */
const perCall = addKeywords.params.body.maxItems ?? 1;

/**
 * What the service confirmed, up to an error; `error` is null if all calls succeeded. `unconfirmed`: keywords of calls that succeeded whose
 * answer leaves them out. `isFailureKnown`: false if the failed call may have taken effect.
 */
export type KeywordsChanged = {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly unconfirmed: readonly string[];
  readonly error: unknown;
  readonly isFailureKnown: boolean;
};

/** The number of calls for changes. */
export function callsFor({ add, remove }: Pick<KeywordChanges, "add" | "remove">): number {
  return Math.ceil(add.length / perCall) + Math.ceil(remove.length / perCall);
}

/** The credits for changes, at learned prices by operation if there are any. */
export function creditsFor(
  { add, remove }: Pick<KeywordChanges, "add" | "remove">,
  learned: ReadonlyMap<string, number>,
): number {
  return (
    callsFor({ add, remove: [] }) * callPrice(addKeywords, learned) +
    callsFor({ add: [], remove }) * callPrice(deleteKeywords, learned)
  );
}

/**
 * Has the account track keywords and no longer track others, several per call. Additions go first: a failure in between then leaves too
 * many keywords rather than too few. Afterwards, even after a failure, what the warehouse knows about them is due again, unless the first
 * call was refused. Answers that a gateway would reuse are also forgotten before the first call, in case the process is killed.
 */
export async function changeKeywords(
  session: ApiSession,
  place: TrackedPlace,
  now: TrackedNow,
  { add, remove }: KeywordChanges,
): Promise<KeywordsChanged> {
  const { send } = session;
  const where = { trackId: place.trackId, countryCode: place.country };
  const added: string[] = [];
  const removed: string[] = [];
  const unconfirmed: string[] = [];
  let answered = 0;
  let error: unknown = null;
  let isFailureKnown = true;
  // a try without a reply may have taken effect, even if the next one is refused
  const onFailure = (failure: unknown) => void (isFailureKnown &&= changedNothing(failure));
  const note = (body: readonly string[], confirmed: ReadonlySet<string>, done: string[]) => {
    for (const keyword of body) (confirmed.has(foldKeyword(keyword)) ? done : unconfirmed).push(keyword);
    answered += 1;
    isFailureKnown = true;
  };
  await forgetAnswersTo(session.app.warehouse.db, callHashesAbout(session.app, place));
  try {
    for (const body of batches(add)) {
      const answer = await send(addKeywords, { ...where, body }, onFailure);
      note(body, new Set(answer.map(({ keyword }) => foldKeyword(keyword))), added);
    }
    for (const body of batches(remove)) {
      const answer = await send(deleteKeywords, { ...where, body }, onFailure);
      note(body, new Set(answer.map(({ value }) => foldKeyword(value))), removed);
    }
  } catch (caught) {
    error = caught;
  }
  const isUnchanged = error !== null && isFailureKnown && answered === 0;
  // an answer leaves out an addition that took effect although the reply to its first try was lost
  const isCountKnown = isFailureKnown && unconfirmed.length === 0;
  const count = isCountKnown ? now.count + added.length - removed.length : null;
  if (!isUnchanged) await makeListsDue(session, place, now, count);
  return { added, removed, unconfirmed, error, isFailureKnown };
}

/** Refusals of a whole call by the service, and a call that did not reach it. */
const withoutEffect: readonly ErrorCode[] = [
  "bad_request",
  "not_found",
  "unauthorised",
  "forbidden",
  "too_many_requests",
  "no_connection",
];

/** True for the error of a change that the service refused, or that was not sent: it took no effect. */
function changedNothing(error: unknown): boolean {
  return error instanceof DeferError || (error instanceof StorehouseError && withoutEffect.includes(error.code));
}

/** One sentence about the keywords that the service did not confirm; none if it confirmed all. */
export function unconfirmedInWords({ unconfirmed }: Pick<KeywordsChanged, "unconfirmed">): readonly string[] {
  if (unconfirmed.length === 0) return [];
  const named = unconfirmed.map((keyword) => `"${keyword}"`).join(", ");
  return [
    `The service did not confirm ${named}: either nothing had to be changed, or an earlier call changed it and its reply was lost.`,
  ];
}

function batches(keywords: readonly string[]): readonly (readonly string[])[] {
  return Array.from({ length: Math.ceil(keywords.length / perCall) }, (_, index) =>
    keywords.slice(index * perCall, (index + 1) * perCall),
  );
}
