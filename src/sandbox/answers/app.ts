import * as app from "../../api/operations/app.ts";
import type { Store } from "../../core/store.ts";
import { startOfDay } from "../../core/day.ts";
import { appFacts, ratingsOn } from "../market/app-facts.ts";
import type { MarketApp } from "../market/apps.ts";
import { answerTable, answerTo, knownApp, type AnswerContext, yesterday } from "../answer-context.ts";
import { descriptionOf, iconOf, screenshotsOf, similarTo, versionShown } from "./store-page.ts";

/** What both stores report about an app on its page. */
function page(context: AnswerContext, of: MarketApp, language: string) {
  const version = versionShown(context, of);
  return {
    name: of.name,
    price: appFacts(of).price.toFixed(2),
    iconUrl: iconOf(of, version),
    categoryId: appFacts(of).categoryId,
    description: descriptionOf(of, version, language),
    screenshotList: screenshotsOf(of, version),
    offersInAppPurchase: of.popularity > 0.5,
    removed: false,
    lastModified: context.instant(version.at),
  };
}

/** The fields that App Simple Information has for both stores; it spells the price of a free app as a word. */
function simple(context: AnswerContext, of: MarketApp) {
  const { price, categoryId, developerId } = appFacts(of);
  const ratings = ratingsOn(of, yesterday(context));
  return {
    name: of.name,
    price: price === 0 ? "Free" : `$${price.toFixed(2)}`,
    iconUrl: iconOf(of, versionShown(context, of)),
    categoryId,
    developerId,
    rating: ratings.average,
    ratingCount: ratings.count,
    lastUpdate: context.instant(versionShown(context, of).at),
  };
}

function knownOf(context: AnswerContext, store: Store, trackIds: readonly string[], country?: string): MarketApp[] {
  return [...new Set(trackIds)]
    .map((trackId) => context.market.app(store, trackId))
    .filter((of) => of !== null)
    .filter((of) => country === undefined || of.countries.includes(country));
}

function developerApp(context: AnswerContext, of: MarketApp) {
  return {
    name: of.name,
    iconUrl: iconOf(of, versionShown(context, of)),
    price: appFacts(of).price.toFixed(2),
    developerId: appFacts(of).developerId,
    developerName: of.developer,
    lastUpdateTime: context.instant(versionShown(context, of).at),
  };
}

/** Answers about apps: detail, short information, a developer's apps, discovery. An unknown app has no content. */
export const appAnswers = answerTable([
  answerTo(app.iosAppDetail, ({ trackId, countryCode }, context) => {
    const of = knownApp(context, "ios", trackId);
    const country = countryCode ?? of.countries[0] ?? "US";
    const ratings = ratingsOn(of, yesterday(context));
    return {
      ...page(context, of, context.market.languageIn(country)),
      trackId: Number(trackId),
      developerId: Number(appFacts(of).developerId),
      developerName: of.developer,
      categoryName: appFacts(of).categoryName,
      releaseDate: context.instant(startOfDay(of.released)),
      countryCode: country,
      userRatingCount: ratings.count,
      userRatingAverage: ratings.average,
      availableCountries: [...of.countries],
    };
  }),
  answerTo(app.androidAppDetail, ({ trackId, langCode }, context) => {
    const of = context.market.app("android", trackId);
    if (of === null) return undefined;
    const language = (langCode ?? "EN").toLowerCase();
    const version = versionShown(context, of);
    const ratings = ratingsOn(of, yesterday(context));
    const [five, four, three, two, one] = ratings.stars;
    return {
      ...page(context, of, language.slice(0, 2)),
      trackId,
      langCode: language,
      developerId: of.developer,
      category: appFacts(of).categoryName,
      lastUpdateDate: context.instant(version.at),
      version: version.text,
      fileSize: `${Math.round(version.size / 1e6)}M`,
      supportUrl: `https://support.example/${trackId}`,
      url: `/store/apps/details?id=${trackId}`,
      email: `hello@${trackId}.example`,
      userRating: ratings.average,
      numUserRating: ratings.count,
      installRange: "100,000+",
      numOfFiveRatings: five,
      numOfFourRatings: four,
      numOfThreeRatings: three,
      numOfTwoRatings: two,
      numOfOneRatings: one,
      topDeveloperBadge: of.popularity > 0.7,
      whatsnew: [version.notes],
      inAppProducts: "$0.99 - $29.99 per item",
      similarApps: similarTo(context, of, version),
      videoUrl: null,
      videoFrameUrl: null,
    };
  }),
  answerTo(app.iosAppSimple, ({ countryCode, trackIds }, context) =>
    knownOf(context, "ios", trackIds, countryCode).map((of) => ({
      ...simple(context, of),
      trackId: Number(of.trackId),
      developerName: of.developer,
      categoryName: appFacts(of).categoryName,
    })),
  ),
  answerTo(app.androidAppSimple, ({ trackIds }, context) =>
    knownOf(context, "android", trackIds).map((of) => ({
      ...simple(context, of),
      trackId: of.trackId,
      category: appFacts(of).categoryName,
    })),
  ),
  answerTo(app.iosDeveloperApps, ({ developerId, countryCode }, context) =>
    context.market.apps
      .filter((of) => of.store === "ios" && of.countries.includes(countryCode))
      .filter((of) => appFacts(of).developerId === developerId)
      .map((of) => ({
        ...developerApp(context, of),
        trackId: Number(of.trackId),
        category: appFacts(of).categoryId,
      })),
  ),
  answerTo(app.androidDeveloperApps, ({ developerName }, context) =>
    context.market.apps
      .filter((of) => of.store === "android" && of.developer === developerName)
      .map((of) => ({
        ...developerApp(context, of),
        trackId: of.trackId,
        category: appFacts(of).categoryName,
        categoryId: appFacts(of).categoryId,
      })),
  ),
  answerTo(app.iosAppDiscovery, () => true),
  answerTo(app.androidAppDiscovery, () => true),
]);
