import { z } from "zod";
import { LangCode } from "../../api/values.ts";
import type { Portfolio, PortfolioApp, PortfolioCountry } from "../../core/portfolio.ts";
import type { Scope } from "../../core/slice.ts";
import { devicesOf, type Store } from "../../core/store.ts";
import type { Partition } from "./define-dataset.ts";

/** The only partition of a dataset about the account as a whole. */
export function theAccount(): readonly Partition[] {
  return [{ scope: {}, items: null }];
}

/** One partition for each app. */
export function eachApp(apps: readonly PortfolioApp[]): readonly Partition[] {
  return apps.map(({ store, trackId }) => ({ scope: { store, app: trackId }, items: null }));
}

/** Every app of the portfolio in each of its countries. */
export function appCountries(portfolio: Portfolio): readonly { app: PortfolioApp; country: PortfolioCountry }[] {
  return portfolio.apps.flatMap((app) => app.countries.map((country) => ({ app, country })));
}

/** One partition for each iOS app and country. */
export function iosAppCountries(portfolio: Portfolio): readonly Partition[] {
  return appCountries(portfolio)
    .filter(({ app }) => app.store === "ios")
    .map(({ app: { store, trackId }, country: { country } }) => ({
      scope: { store, app: trackId, country },
      items: null,
    }));
}

/** One partition for each app, country and device; a store without devices has one for each app and country. */
export function appCountryDevices(portfolio: Portfolio): readonly Partition[] {
  return appCountries(portfolio).flatMap(({ app, country }) =>
    devicesOf[app.store].map((device) => ({
      scope: { store: app.store, app: app.trackId, country: country.country, device },
      items: null,
    })),
  );
}

/** One partition for each keyword, store and country, however many apps have the keyword. */
export function keywordCountries(portfolio: Portfolio): readonly Partition[] {
  const wanted = new Map<string, Partition>();
  for (const { app, country: own } of appCountries(portfolio)) {
    const { store } = app;
    const { country } = own;
    // only the last part may have a space
    for (const keyword of own.keywords)
      wanted.set(`${store} ${country} ${keyword}`, { scope: { store, country, keyword }, items: null });
  }
  return [...wanted.values()];
}

/** The same for each device of the store. */
export function keywordCountryDevices(portfolio: Portfolio): readonly Partition[] {
  return keywordCountries(portfolio).flatMap(({ scope }) =>
    devicesOf[scope["store"] as Store].map((device) => ({ scope: { ...scope, device }, items: null })),
  );
}

/** The service's Android languages in lower case, as the warehouse and answers write them; requests do not. */
export const LanguageCode = z.enum(LangCode.options.map((code) => code.toLowerCase()));

/** The options of datasets about an app's store page, which differs by country (iOS) or language (Android). */
export const pageOptions = z.object({
  language_codes: z
    .array(LanguageCode)
    .min(1)
    .default(["en"])
    .describe("Languages in which the store pages of Android apps are requested."),
  pages: z
    .enum(["home", "all"])
    .default("home")
    .describe(
      "Countries in which the store pages of iOS apps are requested: home (US if the portfolio has the app there, else the app's first country) or all.",
    ),
});

/** The page of an app in its store: store, app and country (iOS) or language_code (Android). `isHome` for the one that describes the app. */
export type AppPage = { readonly scope: Scope; readonly isHome: boolean };

/** The pages of each portfolio app that the options name. */
export function appPages(portfolio: Portfolio, options: z.output<typeof pageOptions>): readonly AppPage[] {
  return portfolio.apps.flatMap(({ store, trackId: app, countries }): readonly AppPage[] => {
    if (store === "android")
      return options.language_codes.map((code, index) => ({
        scope: { store, app, language_code: code },
        isHome: index === 0,
      }));
    const all = countries.map(({ country }) => country);
    const home = all.includes("US") ? "US" : all[0];
    return all
      .map((country) => ({ scope: { store, app, country }, isHome: country === home }))
      .filter(({ isHome }) => isHome || options.pages === "all");
  });
}

/** How a call names the page of an app: its country, or its language as requests spell it. */
export function localeParams({ country, language_code: code }: Scope): { countryCode: string } | { langCode: string } {
  return code === undefined ? { countryCode: country ?? "" } : { langCode: code.toUpperCase() };
}

/** The key columns of the page of an app: ALL or '' if the store's pages do not differ. */
export function pageKey({ store, app, country, language_code: code }: Scope) {
  return { app_key: `${store}:${app}`, country_key: country ?? "ALL", language_code: code ?? "" };
}
