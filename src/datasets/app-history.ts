import type { z } from "zod";
import { androidAppDetail, iosAppDetail } from "../api/operations/app.ts";
import type { Scope } from "../core/slice.ts";
import { defineTable, extraOf, jsonOf } from "../load/table.ts";
import { defineDataset, part } from "./shared/define-dataset.ts";
import { describedApp, describers, dimAppOfPage, namesItsApp } from "./shared/dim-app.ts";
import { appPages, pageKey, pageOptions, localeParams } from "./shared/portfolio-partitions.ts";
import { checkItems } from "./shared/check-items.ts";
import { isOther, isOtherLanguage, textOf } from "./shared/values.ts";
import { clockOf } from "./shared/instants.ts";

const described = {
  app_name: "text",
  developer_id: "text",
  developer_name: "text",
  price_text: "text",
  icon_url: "text",
  category_id: "text",
  category_name: "text",
  version: "text",
  updated_at: "timestamp",
  description: "text",
  screenshots: "json",
  whats_new: "json",
  has_in_app_purchases: "boolean",
  in_app_products: "text",
  is_removed: "boolean",
  released_at: "timestamp",
  available_countries: "json",
  file_size: "text",
  install_range: "text",
  has_top_developer_badge: "boolean",
  support_url: "text",
  store_url: "text",
  owner_email: "text",
  video_url: "text",
  video_frame_url: "text",
} as const;

const table = defineTable({
  name: "core.app_history",
  columns: {
    app_key: "app",
    country_key: "country",
    language_code: "text",
    ...described,
    last_modified_at: "timestamp",
    similar_apps: "json",
    rating: "number",
    rating_count: "bigint",
    ratings_by_star: "json",
    extra: "json",
  },
  key: ["app_key", "country_key", "language_code"],
  // values that change every day open no version: ratings have a separate table
  load: { kind: "history", scope: ["app_key", "country_key", "language_code"], versioned: Object.keys(described) },
  partitioned: false,
});

type Detail = Partial<z.output<typeof iosAppDetail.answer> & z.output<typeof androidAppDetail.answer>>;

/** What the store pages of the portfolio's apps show, as versions: a new one at each change. */
export const appHistory = defineDataset({
  name: "app_history",
  summary:
    "The store page of each portfolio app, by country (iOS) or language (Android), with the history of its changes.",
  stage: "market",
  on: true,
  why: "5 credits per app and week, and once more after each release",
  timing: { kind: "snapshot", refreshDays: 7 },
  tables: [table, dimAppOfPage],
  operations: { ios: iosAppDetail, android: androidAppDetail },
  planningSources: describedApp,
  plannedFrom: ["newest_version"],
  options: pageOptions,
  byApp: true,
  partitions: (portfolio, options) => {
    const newest = new Map(
      (portfolio.sources?.["newest_version"] ?? []).map((one) => [`${one["store"]}:${one["app"]}`, one["version_at"]]),
    );
    return appPages(portfolio, options).map(({ scope, isHome }) => ({
      scope: { ...scope, page: isHome ? "home" : "other" },
      items: null,
      fingerprint: newest.get(`${scope["store"]}:${scope["app"]}`) ?? "",
    }));
  },
  request: ({ scope }) => ({ trackId: part(scope, "app"), ...localeParams(scope) }),
  normalise: ({ scope }, pages) => {
    const { fitting: own, invalid } = checkItems(pages as readonly Detail[], (detail) => mismatchOf(scope, detail));
    const rows = own.map((detail) => ({ ...pageKey(scope), ...describe(detail), ...beside(detail) }));
    const home = part(scope, "page") === "home" ? own : [];
    const apps = home.map((detail) => dimensionRow(part(scope, "store"), detail)).filter(namesItsApp);
    return { rows: { [table.name]: rows, [dimAppOfPage.name]: apps }, invalid };
  },
});

/** Why an answer is not about the requested page; null if it is, or if it names no country or language. */
function mismatchOf(scope: Scope, { trackId, countryCode, langCode }: Detail): string | null {
  if (String(trackId) !== part(scope, "app")) return "an app that was not requested";
  if (isOther(scope, { countryCode: countryCode || null })) return "a country that was not requested";
  const { language_code: requested } = scope;
  const isOfOther = requested !== undefined && isOtherLanguage(langCode ?? "", requested);
  return isOfOther ? "a language that was not requested" : null;
}

function describe(detail: Detail) {
  return {
    app_name: detail.name ?? null,
    developer_id: textOf(detail.developerId),
    developer_name: detail.developerName ?? null,
    price_text: textOf(detail.price),
    icon_url: detail.iconUrl ?? null,
    category_id: textOf(detail.categoryId),
    category_name: detail.categoryName ?? detail.category ?? null,
    version: detail.version ?? null,
    updated_at: clockOf(detail.lastUpdateDate),
    description: detail.description ?? null,
    screenshots: jsonOf(detail.screenshotList ?? detail.screenshots),
    whats_new: jsonOf(detail.whatsnew),
    has_in_app_purchases: detail.offersInAppPurchase ?? null,
    in_app_products: detail.inAppProducts ?? null,
    is_removed: detail.removed ?? null,
    released_at: clockOf(detail.releaseDate),
    available_countries: jsonOf(detail.availableCountries?.toSorted()),
    file_size: textOf(detail.fileSize),
    install_range: detail.installRange ?? null,
    has_top_developer_badge: detail.topDeveloperBadge ?? null,
    support_url: detail.supportUrl ?? null,
    store_url: detail.url ?? null,
    owner_email: detail.email ?? null,
    video_url: detail.videoUrl ?? null,
    video_frame_url: detail.videoFrameUrl ?? null,
  };
}

/** Columns that are updated in the current version. */
function beside(detail: Detail) {
  const stars = [
    detail.numOfOneRatings,
    detail.numOfTwoRatings,
    detail.numOfThreeRatings,
    detail.numOfFourRatings,
    detail.numOfFiveRatings,
  ];
  return {
    last_modified_at: clockOf(detail.lastModified),
    similar_apps: jsonOf(detail.similarApps),
    ...ratingOf(detail),
    ratings_by_star: stars.some((count) => count != null) ? jsonOf(stars.map((count) => count ?? null)) : null,
    extra: extraOf(detail, known),
  };
}

function ratingOf(detail: Detail) {
  return {
    rating: detail.userRatingAverage ?? detail.userRating ?? null,
    rating_count: detail.userRatingCount ?? detail.numUserRating ?? null,
  };
}

function dimensionRow(store: string, detail: Detail) {
  const reported = describe(detail);
  return {
    store,
    track_id: String(detail.trackId),
    app_name: reported.app_name,
    category_id: reported.category_id,
    category_name: reported.category_name,
    icon_url: reported.icon_url,
    price_text: reported.price_text,
    developer_id: reported.developer_id,
    developer_name: reported.developer_name,
    ...ratingOf(detail),
    described_by: store === "android" ? describers.androidPage : describers.iosPage,
  };
}

/** Fields that have a column, are stamped from the request, or repeat another field. */
const known = (
  "trackId name developerId developerName price iconUrl categoryId categoryName category version lastUpdateDate description " +
  "screenshotList screenshots whatsnew offersInAppPurchase inAppProducts removed releaseDate availableCountries fileSize installRange " +
  "topDeveloperBadge supportUrl url email videoUrl videoFrameUrl lastModified similarApps userRatingAverage userRating userRatingCount " +
  "numUserRating numOfOneRatings numOfTwoRatings numOfThreeRatings numOfFourRatings numOfFiveRatings countryCode langCode"
).split(" ");
