import { addKeywords, deleteKeywords } from "../api/operations/dashboard-keyword.ts";
import { storeOf } from "../core/store.ts";
import { foldKeyword } from "../core/text.ts";
import { trackedApps } from "../datasets/tracked-app.ts";
import { trackedCountry } from "../datasets/tracked-country.ts";
import { trackedKeyword } from "../datasets/tracked-keyword.ts";
import { dueAgain } from "../ledger/due-again.ts";
import type { Asking } from "./asking.ts";
import type { KeywordChanges } from "./keyword-changes.ts";
import type { TrackedNow, TrackedPlace } from "./tracked-now.ts";

/** Keywords that one call carries: as many as may be added at once; for removing the service names no limit. */
const perCall = addKeywords.params.body.maxItems ?? 1;

/** What the service says that it did, as far as it came; `error` null when it came to its end. */
export type KeywordsChanged = {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly error: unknown;
};

/** Calls that changes take. */
export function callsFor({ add, remove }: Pick<KeywordChanges, "add" | "remove">): number {
  return Math.ceil(add.length / perCall) + Math.ceil(remove.length / perCall);
}

/**
 * Has the account track keywords and no longer track others, so many a call. What is added goes first: a failure in between then
 * leaves too much and not too little. Afterwards what the warehouse knows of it is due again, also after a failure.
 */
export async function changeKeywords(
  asking: Asking,
  place: TrackedPlace,
  now: TrackedNow,
  { add, remove }: KeywordChanges,
): Promise<KeywordsChanged> {
  const { ask } = asking;
  const where = { trackId: place.trackId, countryCode: place.country };
  const added: string[] = [];
  const removed: string[] = [];
  let error: unknown = null;
  try {
    for (const body of batches(add)) {
      const told = new Set((await ask(addKeywords, { ...where, body })).map(({ keyword }) => foldKeyword(keyword)));
      added.push(...body.filter((keyword) => told.has(foldKeyword(keyword))));
    }
    for (const body of batches(remove)) {
      const told = new Set((await ask(deleteKeywords, { ...where, body })).map(({ value }) => foldKeyword(value)));
      removed.push(...body.filter((keyword) => told.has(foldKeyword(keyword))));
    }
  } catch (caught) {
    error = caught;
  }
  const count = error === null ? now.count + added.length - removed.length : null;
  await forget(asking, place, now, count);
  return { added, removed, error };
}

/** Has the next sync read what changed. `count`: keywords that are tracked now, null when that is not known. */
async function forget({ app }: Asking, { trackId, country }: TrackedPlace, now: TrackedNow, count: number | null) {
  const countries = [{ country, keywords: ["any"], keywordCount: count ?? 0 }];
  const portfolio = { apps: [{ store: storeOf(trackId), trackId, tracked: true, countries }] };
  const apps = now.isAppTracked ? [] : trackedApps.partitions(portfolio).map(({ scope }) => ({ scope }));
  const counts = trackedCountry.partitions(portfolio).map(({ scope }) => ({ scope }));
  // another count has the list read by itself: only a list that was read under the same one has to be made due
  const lists = trackedKeyword
    .partitions(portfolio)
    .map(({ scope, fingerprint }) =>
      count === null || fingerprint === undefined ? { scope } : { scope, fingerprint },
    );
  await dueAgain(app.warehouse.db, [
    ...apps.map((one) => ({ dataset: trackedApps.name, ...one })),
    ...counts.map((one) => ({ dataset: trackedCountry.name, ...one })),
    ...lists.map((one) => ({ dataset: trackedKeyword.name, ...one })),
  ]);
}

function batches(keywords: readonly string[]): readonly (readonly string[])[] {
  return Array.from({ length: Math.ceil(keywords.length / perCall) }, (_, index) =>
    keywords.slice(index * perCall, (index + 1) * perCall),
  );
}
