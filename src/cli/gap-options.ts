import type { App } from "../app.ts";
import { readNamedCoverage } from "../planner/named-coverage.ts";
import type { ScopeCoverage } from "../planner/gaps.ts";
import { requestOf, type SyncOptions } from "./sync-options.ts";

/** The options that say whose cells are read. */
export type GapOptions = SyncOptions & { readonly app: readonly string[]; readonly country: readonly string[] };

/** The coverage of the cells that the options name. Throws `not_in_portfolio` for an app or country that is not in the portfolio. */
export async function scopeCoverageFor(app: App, options: GapOptions): Promise<readonly ScopeCoverage[]> {
  const { warehouse, config } = app;
  const named = { apps: options.app, countries: options.country };
  return readNamedCoverage(warehouse.db, { request: requestOf(app, options), named }, config.settings);
}
