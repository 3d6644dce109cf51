import type { App } from "../app.ts";
import type { Portfolio } from "../core/portfolio.ts";
import { currentPortfolio } from "../planner/backfill-plan.ts";
import { portfolioCountries } from "../planner/backfill-request.ts";
import { readScopeCoverage, type ScopeCoverage } from "../planner/gaps.ts";
import { requestOf, type SyncOptions } from "./sync-options.ts";

/** The options that say whose cells are read. */
export type GapOptions = SyncOptions & { readonly app: readonly string[]; readonly country: readonly string[] };

/** The coverage of the cells that the options name. Throws `not_in_portfolio` for an app or country that is not in the portfolio. */
export async function scopeCoverageFor(app: App, options: GapOptions): Promise<readonly ScopeCoverage[]> {
  const { db } = app.warehouse;
  const { settings } = app.config;
  const requested = { apps: options.app, countries: options.country };
  const countries = portfolioCountries(requested, await portfolioWith(app, requested.apps));
  const only = {
    ...(requested.apps.length === 0 ? {} : { apps: requested.apps }),
    ...(countries.length === 0 ? {} : { countries }),
  };
  const coverage = await readScopeCoverage(db, { request: { ...requestOf(app, options), only }, settings });
  // what is planned from is kept by a plan, and says nothing of the app that was named
  return requested.apps.length === 0 ? coverage : coverage.filter(({ trackId }) => trackId !== null);
}

/** The part of the portfolio with these apps; the whole portfolio where one of them is not in it, so that the refusal can list it. */
async function portfolioWith(
  { warehouse: { db }, config: { settings } }: App,
  apps: readonly string[],
): Promise<Portfolio> {
  const portfolio = apps.length === 0 ? null : await currentPortfolio(db, settings, apps);
  const known = portfolio?.apps.flatMap(({ store, trackId }) => [trackId, `${store}:${trackId}`]);
  return portfolio !== null && apps.every((one) => known?.includes(one)) ? portfolio : currentPortfolio(db, settings);
}
