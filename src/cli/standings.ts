import type { App } from "../app.ts";
import { followedNow } from "../ingest/backfill-plan.ts";
import { followedOnly } from "../ingest/backfill-request.ts";
import { standingOf, type Standing } from "../ingest/gaps.ts";
import { requestOf, type SyncOptions } from "./sync-options.ts";

/** The options that say whose cells are looked at. */
export type StandingOptions = SyncOptions & { readonly app: readonly string[]; readonly country: readonly string[] };

/** How the cells stand that the options are about. Throws `not_followed` for an app or country that nobody follows. */
export async function standingsFor(app: App, options: StandingOptions): Promise<readonly Standing[]> {
  const { db } = app.warehouse;
  const { settings } = app.config;
  const asked = { apps: options.app, countries: options.country };
  const countries = followedOnly(asked, await followedNow(db, settings));
  const only = {
    ...(asked.apps.length === 0 ? {} : { apps: asked.apps }),
    ...(countries.length === 0 ? {} : { countries }),
  };
  const standings = await standingOf(db, { ...requestOf(app, options), only }, settings);
  // what is planned from is kept by a plan, and says nothing of the app that was named
  return asked.apps.length === 0 ? standings : standings.filter(({ trackId }) => trackId !== null);
}
