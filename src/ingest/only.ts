import type { Scope } from "../core/slice.ts";

/** Apps (track ids or `store:trackId`) and countries (codes in any case) that a request is cut down to. */
export type Only = { readonly apps?: readonly string[]; readonly countries?: readonly string[] };

/**
 * True when a partition belongs to what was asked for. One whose scope has no country is about all of them and stays; one without an
 * app stays only where no app is asked for, or where it tells what is followed, since the rest is planned from that.
 */
export function isWanted(scope: Scope, stage: "portfolio" | "listing" | "market", { apps, countries }: Only): boolean {
  const { app, store, country } = scope;
  const appFits =
    apps === undefined ||
    (app === undefined ? stage !== "market" : apps.includes(app) || apps.includes(`${store}:${app}`));
  const countryFits =
    countries === undefined ||
    country === undefined ||
    countries.some((wanted) => wanted.toUpperCase() === country.toUpperCase());
  return appFits && countryFits;
}
