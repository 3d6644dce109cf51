import type { Portfolio, PortfolioApp } from "../../core/portfolio.ts";
import type { Timing } from "../../core/timing.ts";

/** Which of the account's apps are connected to their store account, as `tracked_app` finds it. */
export const connections = "store_connection";

/**
 * Figures of the account's own apps: restated for some days. An answer without any may mean that the app is not connected yet: it is
 * asked for again after a week, back to where the history begins.
 */
export const figuresTiming = {
  kind: "series",
  settleDays: 1,
  lookbackDays: 7,
  historyDays: 90,
  emptyHoldsDays: 7,
} as const satisfies Timing;

/** Of an app that is known not to be connected, or is not the account's own: there is hardly anything to be had. */
const nowAndThen: Timing = { ...figuresTiming, lookbackDays: 0, packDays: 28, emptyHoldsDays: 28 };

/** Followed apps, each with a timing of its own where it is not known to answer. */
export function accountApps(portfolio: Portfolio): readonly { readonly app: PortfolioApp; readonly timing?: Timing }[] {
  const found = (portfolio.sources?.[connections] ?? []).map(
    ({ store, app, is_store_account_connected: connected }) => [`${store}:${app}`, connected === "true"] as const,
  );
  const connected = new Map(found);
  return portfolio.apps.map((app) => {
    const answers = connected.get(`${app.store}:${app.trackId}`) ?? app.tracked;
    return answers ? { app } : { app, timing: nowAndThen };
  });
}
