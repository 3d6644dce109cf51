import type { Portfolio, PortfolioApp, PortfolioCountry } from "../core/portfolio.ts";
import { devicesOf } from "../core/store.ts";
import type { Partition } from "./define-dataset.ts";

/** Every followed app in every country in which it is followed. */
export function appCountries(portfolio: Portfolio): readonly { app: PortfolioApp; country: PortfolioCountry }[] {
  return portfolio.apps.flatMap((app) => app.countries.map((country) => ({ app, country })));
}

/** A partition an app, country and device; stores that tell no devices apart have one partition an app and country. */
export function appCountryDevices(portfolio: Portfolio): readonly Partition[] {
  return appCountries(portfolio).flatMap(({ app, country }) =>
    devicesOf[app.store].map((device) => ({
      scope: { store: app.store, app: app.trackId, country: country.country, device },
      items: null,
    })),
  );
}
