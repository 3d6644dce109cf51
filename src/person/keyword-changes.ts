import type { Params } from "../api/address.ts";
import type { Operation } from "../api/define-operation.ts";
import type { App } from "../app.ts";
import { accountOf } from "../config/config-of-account.ts";
import { addKeywords, deleteKeywords } from "../api/operations/dashboard-keyword.ts";
import { dailyKeywordRankings, dashboardApps, numberOfKeywords } from "../api/operations/dashboard.ts";
import type { ErrorCode } from "../core/error-codes.ts";
import { DeferError, StorehouseError } from "../core/errors.ts";
import type { Portfolio } from "../core/portfolio.ts";
import { storeOf } from "../core/store.ts";
import { foldKeyword } from "../core/text.ts";
import { callPrice } from "../credits/costs.ts";
import { countryOfKey } from "../datasets/shared/values.ts";
import { trackedApps } from "../datasets/tracked-app.ts";
import { trackedCountry } from "../datasets/tracked-country.ts";
import { trackedKeyword } from "../datasets/tracked-keyword.ts";
import { callHashIn } from "../ingest/account-calls.ts";
import { isDueAgain, makeDueAgain } from "../ledger/amend-slices.ts";
import { readTracked } from "../planner/portfolio.ts";
import { forgetAnswersTo } from "../raw/answers-to.ts";
import { type ApiSession, ifAny } from "./api-session.ts";

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

/** What the service confirmed, up to an error; `error` is null if all calls succeeded. */
export type KeywordsChanged = {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly error: unknown;
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
  let answered = 0;
  let carried = 0;
  let error: unknown = null;
  await forgetAnswersTo(session.app.warehouse.db, callHashesAbout(session.app, place));
  try {
    for (const body of batches(add)) {
      const confirmed = new Set(
        (await send(addKeywords, { ...where, body })).map(({ keyword }) => foldKeyword(keyword)),
      );
      answered += 1;
      carried += body.length;
      added.push(...body.filter((keyword) => confirmed.has(foldKeyword(keyword))));
    }
    for (const body of batches(remove)) {
      const confirmed = new Set(
        (await send(deleteKeywords, { ...where, body })).map(({ value }) => foldKeyword(value)),
      );
      answered += 1;
      carried += body.length;
      removed.push(...body.filter((keyword) => confirmed.has(foldKeyword(keyword))));
    }
  } catch (caught) {
    error = caught;
  }
  const isKnown = error === null || changedNothing(error);
  const isUnchanged = error !== null && isKnown && answered === 0;
  // an answer leaves out an addition that took effect although the reply to its first try was lost
  const isConfirmed = added.length + removed.length === carried;
  const count = isKnown && isConfirmed ? now.count + added.length - removed.length : null;
  if (!isUnchanged) await makeListsDue(session, place, now, count);
  return { added, removed, error };
}

/** Refusals of a whole call by the service. */
const refusals: readonly ErrorCode[] = ["bad_request", "not_found", "unauthorised", "forbidden", "too_many_requests"];

/** True for the error of a change that the service refused, or that was not sent: it took no effect. */
export function changedNothing(error: unknown): boolean {
  return error instanceof DeferError || (error instanceof StorehouseError && refusals.includes(error.code));
}

/**
 * Makes the next sync of the account read what changed, and keeps a gateway from reusing answers from before the change. `count`: the
 * number of keywords tracked now, null if it is not known.
 */
export async function makeListsDue(
  { app }: Pick<ApiSession, "app">,
  place: TrackedPlace,
  now: Pick<TrackedNow, "isAppTracked">,
  count: number | null,
): Promise<void> {
  const portfolio = portfolioAt(app, place, count ?? 0);
  const apps = now.isAppTracked ? [] : trackedApps.partitions(portfolio).map(({ scope }) => ({ scope }));
  const counts = trackedCountry.partitions(portfolio).map(({ scope }) => ({ scope }));
  // a different count makes a sync read the list anyway: only a list that was read under the same count must be made due
  const lists = trackedKeyword
    .partitions(portfolio)
    .map(({ scope, fingerprint }) =>
      count === null || fingerprint === undefined ? { scope } : { scope, fingerprint },
    );
  await makeDueAgain(app.warehouse.db, [
    ...apps.map((one) => ({ dataset: trackedApps.name, ...one })),
    ...counts.map((one) => ({ dataset: trackedCountry.name, ...one })),
    ...lists.map((one) => ({ dataset: trackedKeyword.name, ...one })),
  ]);
  await forgetAnswersTo(app.warehouse.db, callHashesAbout(app, place));
}

/** The operations whose answers say what the account tracks now, and the parameters of their calls about one app and country. */
export const trackedLists: readonly {
  readonly operation: Operation;
  readonly callsAbout: (place: TrackedPlace) => readonly Params[];
}[] = [
  {
    operation: dailyKeywordRankings,
    callsAbout: ({ trackId, country }) =>
      ["iphone", "ipad"].map((device) => ({ trackId, countryCode: country, device })),
  },
  { operation: numberOfKeywords, callsAbout: ({ trackId }) => [{ trackId }] },
  { operation: dashboardApps, callsAbout: () => [{}] },
];

function callHashesAbout({ config, clock }: App, place: TrackedPlace): readonly string[] {
  const account = accountOf(config.settings);
  return trackedLists.flatMap(({ operation, callsAbout }) =>
    callsAbout(place).map((params) => callHashIn(account, { operation, params }, clock.now())),
  );
}

/** True if the list was changed since it was read: the same number of keywords may be different ones. */
async function isListOutdated(app: App, place: TrackedPlace): Promise<boolean> {
  const { db } = app.warehouse;
  const due = trackedKeyword
    .partitions(portfolioAt(app, place, 1))
    .map(({ scope }) => isDueAgain(db, { dataset: trackedKeyword.name, scope }));
  return (await Promise.all(due)).includes(true);
}

/** The part of the account's portfolio that is one app and country, with this many keywords. */
function portfolioAt({ config }: App, { trackId, country }: TrackedPlace, keywordCount: number): Portfolio {
  const { account } = config.settings.portfolio;
  const countries = [{ country, keywords: ["any"], keywordCount }];
  const apps = [{ store: storeOf(trackId), trackId, tracked: true, countries }];
  return account === undefined ? { apps } : { account, apps };
}

function batches(keywords: readonly string[]): readonly (readonly string[])[] {
  return Array.from({ length: Math.ceil(keywords.length / perCall) }, (_, index) =>
    keywords.slice(index * perCall, (index + 1) * perCall),
  );
}

/** The app and country whose keywords are meant. */
export type TrackedPlace = { readonly trackId: string; readonly country: string };

/**
 * What the account tracks now: how many keywords, which ones (null if that is not known), and whether it tracks the app at all, as last
 * synced.
 */
export type TrackedNow = {
  readonly count: number;
  readonly keywords: readonly string[] | null;
  readonly isAppTracked: boolean;
};

/**
 * Finds out what the account tracks, for as few credits as possible. The count costs one credit. As for a sync, the last synced list is
 * used if it has the same count, unless a command changed it since. Otherwise the expensive list is read again if `buy` allows it.
 */
export async function trackedNow(
  { app, send }: ApiSession,
  { trackId, country }: TrackedPlace,
  buy: "never" | "when needed" | "always",
): Promise<TrackedNow> {
  const apps = await readTracked(app.warehouse.db, { account: accountOf(app.config.settings) });
  const synced = apps.find((one) => one.store === storeOf(trackId) && one.trackId === trackId);
  const isAppTracked = synced !== undefined;
  const counts = (await ifAny(send(numberOfKeywords, { trackId }))) ?? {};
  const count = Object.entries(counts).find(([name]) => countryOfKey(name) === country)?.[1] ?? 0;
  if (count === 0) return { count, keywords: [], isAppTracked };
  const known = synced?.countries.find((one) => one.country === country)?.keywords ?? [];
  const isKnown = known.length === count && !(await isListOutdated(app, { trackId, country }));
  if (buy !== "always" && isKnown) return { count, keywords: known, isAppTracked };
  if (buy === "never") return { count, keywords: null, isAppTracked };
  const device = storeOf(trackId) === "ios" ? { device: "iphone" } : {};
  const list = (await ifAny(send(dailyKeywordRankings, { trackId, countryCode: country, ...device }))) ?? [];
  return { count, keywords: [...new Set(list.map(({ keyword }) => keyword))], isAppTracked };
}
