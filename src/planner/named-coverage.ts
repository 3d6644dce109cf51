import { isAppNamed } from "../core/app-names.ts";
import type { Settings } from "../config/settings.ts";
import type { Portfolio } from "../core/portfolio.ts";
import { datasetNamed } from "../datasets/shared/all.ts";
import type { NamedScopes } from "../core/partition-group.ts";
import type { Database } from "../postgres/database.ts";
import { readPortfolio } from "./portfolio.ts";
import { portfolioCountries } from "./backfill-request.ts";
import { readScopeCoverage, type CoverageQuestion, type ScopeCoverage } from "./gaps.ts";
import type { SyncRequest } from "./request.ts";

/**
 * The coverage of the cells of these apps and countries. Throws `not_in_portfolio` for an app or country that is not in the portfolio.
 */
export async function readNamedCoverage(
  db: Database,
  {
    request,
    named,
    ...shown
  }: { readonly request: SyncRequest; readonly named: NamedScopes } & Pick<CoverageQuestion, "withoutCells">,
  settings: Settings,
): Promise<readonly ScopeCoverage[]> {
  const countries = portfolioCountries(named, await portfolioWith(db, named.apps, settings));
  const only = {
    ...(named.apps.length === 0 ? {} : { apps: named.apps, withItems: true as const }),
    ...(countries.length === 0 ? {} : { countries }),
  };
  const coverage = await readScopeCoverage(db, { request: { ...request, only }, settings, ...shown });
  // a plan keeps the datasets that it is planned from, but they say nothing about the named app
  const isAboutApps = (dataset: string) => datasetNamed(dataset).itemsAreApps === true;
  return named.apps.length === 0
    ? coverage
    : coverage.filter(({ dataset, trackId }) => trackId !== null || isAboutApps(dataset));
}

/** The part of the portfolio with these apps; if one of them is not in it, the whole portfolio, so that the error can list it. */
async function portfolioWith(db: Database, apps: readonly string[], settings: Settings): Promise<Portfolio> {
  const portfolio = apps.length === 0 ? null : await readPortfolio(db, settings, { only: apps });
  return portfolio !== null && apps.every((one) => portfolio.apps.some((app) => isAppNamed([one], app)))
    ? portfolio
    : readPortfolio(db, settings);
}
