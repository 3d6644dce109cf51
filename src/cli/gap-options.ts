import type { App } from "../app.ts";
import type { Portfolio } from "../core/portfolio.ts";
import { currentPortfolio } from "../planner/backfill-plan.ts";
import { portfolioCountries } from "../planner/backfill-request.ts";
import { readScopeCoverage, type ScopeCoverage } from "../planner/gaps.ts";
import { requestOf, type SyncOptions } from "./sync-options.ts";

/** The options that say whose cells are read. */
export type StandingOptions = SyncOptions & { readonly app: readonly string[]; readonly country: readonly string[] };

/** How the cells stand that the options are about. Throws `not_in_portfolio` for an app or country that nobody follows. */
export async function standingsFor(app: App, options: StandingOptions): Promise<readonly ScopeCoverage[]> {
  const { db } = app.warehouse;
  const { settings } = app.config;
  const requested = { apps: options.app, countries: options.country };
  const countries = portfolioCountries(requested, await followedOf(app, requested.apps));
  const only = {
    ...(requested.apps.length === 0 ? {} : { apps: requested.apps }),
    ...(countries.length === 0 ? {} : { countries }),
  };
  const standings = await readScopeCoverage(db, { ...requestOf(app, options), only }, settings);
  // what is planned from is kept by a plan, and says nothing of the app that was named
  return requested.apps.length === 0 ? standings : standings.filter(({ trackId }) => trackId !== null);
}

/** What is followed of these apps; all that is where one of them is not, so that the refusal can name them. */
async function followedOf(
  { warehouse: { db }, config: { settings } }: App,
  apps: readonly string[],
): Promise<Portfolio> {
  const portfolio = apps.length === 0 ? null : await currentPortfolio(db, settings, apps);
  const known = portfolio?.apps.flatMap(({ store, trackId }) => [trackId, `${store}:${trackId}`]);
  return portfolio !== null && apps.every((one) => known?.includes(one)) ? portfolio : currentPortfolio(db, settings);
}
