import type { Params } from "../api/address.ts";
import type { Operation } from "../api/define-operation.ts";
import { dailyKeywordRankings, dashboardApps, numberOfKeywords } from "../api/operations/dashboard.ts";
import type { App } from "../app.ts";
import { accountOf } from "../config/config-of-account.ts";
import type { Portfolio } from "../core/portfolio.ts";
import { storeOf } from "../core/store.ts";
import { countryOfKey } from "../datasets/shared/values.ts";
import { trackedApps } from "../datasets/tracked-app.ts";
import { trackedCountry } from "../datasets/tracked-country.ts";
import { trackedKeyword } from "../datasets/tracked-keyword.ts";
import { callHashIn } from "../ingest/account-calls.ts";
import { isDueAgain, makeDueAgain } from "../ledger/amend-slices.ts";
import { readTracked } from "../planner/portfolio.ts";
import { forgetAnswersTo } from "../raw/answers-to.ts";
import { type ApiSession, ifAny } from "./api-session.ts";

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

/** Calls whose answers a gateway would reuse. */
export function callHashesAbout({ config, clock }: App, place: TrackedPlace): readonly string[] {
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
