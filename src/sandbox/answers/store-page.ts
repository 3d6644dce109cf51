import type { MarketApp } from "../market/apps.ts";
import { unlistedApp } from "../market/charts.ts";
import { hashOf } from "../market/noise.ts";
import { versionOn, type Version } from "../market/versions.ts";
import { yesterday, type AnswerContext } from "../answer-context.ts";
import { appFacts, ratingsOn } from "../market/app-facts.ts";

/** The newest release of an app that store pages show: they are a day behind. */
export function versionShown(context: AnswerContext, app: MarketApp): Version {
  return versionOn(app, yesterday(context));
}

/** The fields of an app in the lists of the account. */
export function appInformation(context: AnswerContext, app: MarketApp) {
  const { categoryId, categoryName, price, developerId } = appFacts(app);
  const ratings = ratingsOn(app, yesterday(context));
  return {
    trackId: app.trackId,
    name: app.name,
    categoryName,
    categoryId,
    iconUrl: iconOf(app, versionShown(context, app)),
    price: price.toFixed(2),
    developerId,
    developerName: app.developer,
    rating: ratings.average,
    ratingCount: ratings.count,
  };
}

/** The picture of an app as of a version. */
export function iconOf(app: MarketApp, version: Version): string {
  return `https://icons.example/${app.trackId}/${version.edition.icon}.png`;
}

/** The pictures of an app's page as of a version. */
export function screenshotsOf(app: MarketApp, version: Version): string[] {
  return [1, 2, 3].map((index) => `https://shots.example/${app.trackId}/${version.edition.screenshots}/${index}.png`);
}

/** The text of an app's page as of a version. */
export function descriptionOf(app: MarketApp, version: Version, language: string): string {
  return `${app.name} (${language}, text ${version.edition.description})\nMade by ${app.developer}. 🌱 Try it & see.`;
}

/** The apps that a store shows next to an app as of a version; some are outside the market. */
export function similarTo(context: AnswerContext, app: MarketApp, version: Version): string[] {
  const seed = hashOf(app.trackId, version.edition.similarApps) % 1_000;
  return [...context.market.neighbours(app).map(({ trackId }) => trackId), unlistedApp(app.store, seed, 1)];
}
