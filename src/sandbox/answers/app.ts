import * as app from "../../api/operations/app.ts";
import type { Store } from "../../core/store.ts";
import { addDays, type Day } from "../../core/day.ts";
import { appFacts, ratingsOn } from "../market/app-facts.ts";
import type { MarketApp } from "../market/apps.ts";
import { versionOn } from "../market/versions.ts";
import { answerTable, answerTo, knownApp, midnight, type Scene } from "../answer-context.ts";
import { descriptionOf, iconOf, screenshotsOf, similarTo } from "./store-page.ts";

const yesterday = (scene: Scene): Day => addDays(scene.today, -1);

/** What both stores tell of an app whose page is looked at. */
function page(scene: Scene, of: MarketApp, language: string) {
  const version = latest(scene, of);
  return {
    name: of.name,
    price: appFacts(of).price.toFixed(2),
    iconUrl: iconOf(of, version),
    categoryId: appFacts(of).categoryId,
    description: descriptionOf(of, version, language),
    screenshotList: screenshotsOf(of, version),
    offersInAppPurchase: of.popularity > 0.5,
    removed: false,
    lastModified: scene.instant(version.at),
  };
}

const latest = (scene: Scene, of: MarketApp) => versionOn(of, yesterday(scene));

/** The fields that App Simple Information tells of both stores; it spells the price of a free app as a word. */
function simple(scene: Scene, of: MarketApp) {
  const { price, categoryId, developerId } = appFacts(of);
  const ratings = ratingsOn(of, yesterday(scene));
  return {
    name: of.name,
    price: price === 0 ? "Free" : `$${price.toFixed(2)}`,
    iconUrl: iconOf(of, latest(scene, of)),
    categoryId,
    developerId,
    rating: ratings.average,
    ratingCount: ratings.count,
    lastUpdate: scene.instant(latest(scene, of).at),
  };
}

function knownOf(scene: Scene, store: Store, trackIds: readonly string[], country?: string): MarketApp[] {
  return [...new Set(trackIds)]
    .map((trackId) => scene.market.app(store, trackId))
    .filter((of) => of !== null)
    .filter((of) => country === undefined || of.countries.includes(country));
}

function developerApp(scene: Scene, of: MarketApp) {
  return {
    name: of.name,
    iconUrl: iconOf(of, latest(scene, of)),
    price: appFacts(of).price.toFixed(2),
    developerId: appFacts(of).developerId,
    developerName: of.developer,
    lastUpdateTime: scene.instant(latest(scene, of).at),
  };
}

/** Answers about apps: detail, short information, a developer's apps, discovery. An app that nobody knows has no content. */
export const appAnswers = answerTable([
  answerTo(app.iosAppDetail, ({ trackId, countryCode }, scene) => {
    const of = knownApp(scene, "ios", trackId);
    const country = countryCode ?? of.countries[0] ?? "US";
    const ratings = ratingsOn(of, yesterday(scene));
    return {
      ...page(scene, of, scene.market.languageIn(country)),
      trackId: Number(trackId),
      developerId: Number(appFacts(of).developerId),
      developerName: of.developer,
      categoryName: appFacts(of).categoryName,
      releaseDate: scene.instant(midnight(of.released)),
      countryCode: country,
      userRatingCount: ratings.count,
      userRatingAverage: ratings.average,
      availableCountries: [...of.countries],
    };
  }),
  answerTo(app.androidAppDetail, ({ trackId, langCode }, scene) => {
    const of = scene.market.app("android", trackId);
    if (of === null) return undefined;
    const language = (langCode ?? "EN").toLowerCase();
    const version = latest(scene, of);
    const ratings = ratingsOn(of, yesterday(scene));
    const [five, four, three, two, one] = ratings.stars;
    return {
      ...page(scene, of, language.slice(0, 2)),
      trackId,
      langCode: language,
      developerId: of.developer,
      category: appFacts(of).categoryName,
      lastUpdateDate: scene.instant(version.at),
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
      similarApps: similarTo(scene, of, version),
      videoUrl: null,
      videoFrameUrl: null,
    };
  }),
  answerTo(app.iosAppSimple, ({ countryCode, trackIds }, scene) =>
    knownOf(scene, "ios", trackIds, countryCode).map((of) => ({
      ...simple(scene, of),
      trackId: Number(of.trackId),
      developerName: of.developer,
      categoryName: appFacts(of).categoryName,
    })),
  ),
  answerTo(app.androidAppSimple, ({ trackIds }, scene) =>
    knownOf(scene, "android", trackIds).map((of) => ({
      ...simple(scene, of),
      trackId: of.trackId,
      category: appFacts(of).categoryName,
    })),
  ),
  answerTo(app.iosDeveloperApps, ({ developerId, countryCode }, scene) =>
    scene.market.apps
      .filter((of) => of.store === "ios" && of.countries.includes(countryCode))
      .filter((of) => appFacts(of).developerId === developerId)
      .map((of) => ({
        ...developerApp(scene, of),
        trackId: Number(of.trackId),
        category: appFacts(of).categoryId,
      })),
  ),
  answerTo(app.androidDeveloperApps, ({ developerName }, scene) =>
    scene.market.apps
      .filter((of) => of.store === "android" && of.developer === developerName)
      .map((of) => ({
        ...developerApp(scene, of),
        trackId: of.trackId,
        category: appFacts(of).categoryName,
        categoryId: appFacts(of).categoryId,
      })),
  ),
  answerTo(app.iosAppDiscovery, () => true),
  answerTo(app.androidAppDiscovery, () => true),
]);
