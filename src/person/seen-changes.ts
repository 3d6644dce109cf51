import { addKeywords, deleteKeywords } from "../api/operations/dashboard-keyword.ts";
import { apiAccess } from "../config/config.ts";
import { isSentSince, newestRequest } from "../raw/requests-since.ts";
import type { ApiSession } from "./api-session.ts";
import { keywordChanges, type KeywordChanges, type KeywordVerb } from "./keyword-changes.ts";
import { trackedNow, type TrackedNow, type TrackedPlace } from "./tracked-lists.ts";

/** A change that a person requests. `fresh`: the list is read again even if the last synced one would do. */
export type WantedChange = {
  readonly verb: KeywordVerb;
  readonly place: TrackedPlace;
  readonly named: readonly string[];
  readonly fresh?: boolean | undefined;
};

/** What the account tracks and what would change, as seen before any request with a number above `newest`. */
export type SeenChanges = { readonly now: TrackedNow; readonly changes: KeywordChanges; readonly newest: string };

/**
 * Finds out what would change. To be called under the lock `keywords`: another person's change, half made, must not be seen. The list costs
 * most, and is bought only if it decides what is removed.
 */
export async function seeChanges(
  session: ApiSession,
  { verb, place, named, fresh = false }: WantedChange,
): Promise<SeenChanges> {
  const newest = await newestRequest(session.app.warehouse.db);
  const needed = verb === "sync" ? "when needed" : "never";
  const now = await trackedNow(session, place, fresh ? "always" : needed);
  return { now, changes: keywordChanges(verb, named, now.keywords), newest };
}

/** True if no process has changed these keywords since they were seen. It costs nothing, unlike reading them again. */
export async function isStillSeen({ app }: ApiSession, place: TrackedPlace, { newest }: SeenChanges): Promise<boolean> {
  const changes = {
    accountId: apiAccess(app.config.environment).accountId,
    operations: [addKeywords, deleteKeywords],
    params: { trackId: place.trackId, countryCode: place.country },
  };
  return !(await isSentSince(app.warehouse.db, newest, changes));
}
