import { expect, test } from "vitest";
import { operationById } from "../../src/api/operations/all.ts";
import { day } from "../../src/core/day.ts";
import { datasetNamed } from "../../src/datasets/shared/all.ts";
import type { ColumnKind } from "../../src/load/table.ts";
import { normalised } from "../support/normalised.ts";
import { org, scope as report } from "../support/report-rows.ts";

const ios = { store: "ios", app: "42", country: "US", page: "home" };
const android = { store: "android", app: "a.b", language_code: "en", page: "home" };
const list = (item: object) => [item];
const data = (item: object) => ({ success: true, data: [item] });
const now = { window: { start: day("2026-08-01"), end: day("2026-08-02") } };

/** How the answers of an operation stand around the fields below, and which slice they answer. */
const around: Readonly<Record<string, { scope: Record<string, string>; wrap: (fields: object) => unknown }>> = {
  "ios.app-detail": { scope: ios, wrap: (fields) => ({ trackId: 42, ...fields }) },
  "android.app-detail": { scope: android, wrap: (fields) => ({ trackId: "a.b", ...fields }) },
  "ios.app-simple": { scope: ios, wrap: (fields) => list({ trackId: 42, ...fields }) },
  "android.app-simple": { scope: android, wrap: (fields) => list({ trackId: "a.b", ...fields }) },
  "ios.developer-apps": { scope: { ...ios, developer_code: "9" }, wrap: (fields) => list({ trackId: 42, ...fields }) },
  "android.developer-apps": {
    scope: { ...android, developer_code: "Lumi" },
    wrap: (fields) => list({ trackId: "a.b", ...fields }),
  },
  "ios.keyword-metadata": { scope: { ...ios, keyword: "yoga" }, wrap: (fields) => ({ keyword: "yoga", ...fields }) },
  "android.keyword-metadata": {
    scope: { store: "android", country: "US", keyword: "yoga" },
    wrap: (fields) => ({ keyword: "yoga", ...fields }),
  },
  "ios.version-list": { scope: ios, wrap: list },
  "search-ads.bid-history-logs": {
    scope: { org_id: "7" },
    wrap: (fields) => data({ date: "2026-08-01T10:00:00", ...fields }),
  },
  "dashboard.daily-keyword-rankings": { scope: ios, wrap: (fields) => data({ keyword: "yoga", ...fields }) },
  "dashboard.apps": { scope: {}, wrap: (fields) => data({ trackId: "42", ...fields }) },
  "ad-intelligence.creatives": { scope: ios, wrap: (fields) => ({ data: [fields] }) },
  "ad-intelligence.top-advertisers": { scope: ios, wrap: (fields) => ({ data: [{ trackId: "42", ...fields }] }) },
  "search-ads.top-apps-report": {
    scope: { org_id: "7" },
    wrap: (fields) => data({ keywordData: { keyword: "yoga" }, appData: [{ trackId: 42, ...fields }] }),
  },
  "search-ads.reports": {
    scope: { ...report },
    wrap: (fields) => data({ tableData: [{ orgId: Number(org), campaignId: 1, date: "2026-08-01", ...fields }] }),
  },
};

const days = (field: string, column: string) =>
  [1, 3, 7, 14, 30].map((count) => `${field}${count}:${column}_${count}d`).join(" ");

/** Fields of the contract and the columns that they belong in, read by hand. */
const table = `
app_history | ios.app-detail | name:app_name developerId:developer_id developerName:developer_name price:price_text iconUrl:icon_url categoryId:category_id categoryName:category_name releaseDate:released_at description:description screenshotList:screenshots offersInAppPurchase:has_in_app_purchases userRatingCount:rating_count userRatingAverage:rating removed:is_removed lastModified:last_modified_at availableCountries:available_countries
app_history | android.app-detail | name:app_name developerId:developer_id price:price_text iconUrl:icon_url lastUpdateDate:updated_at version:version description:description offersInAppPurchase:has_in_app_purchases screenshotList:screenshots fileSize:file_size supportUrl:support_url url:store_url category:category_name categoryId:category_id email:owner_email userRating:rating numUserRating:rating_count installRange:install_range removed:is_removed lastModified:last_modified_at topDeveloperBadge:has_top_developer_badge whatsnew:whats_new inAppProducts:in_app_products similarApps:similar_apps videoUrl:video_url videoFrameUrl:video_frame_url
app_rating | ios.app-simple | name:app_name developerId:developer_id developerName:developer_name price:price_text iconUrl:icon_url categoryId:category_id categoryName:category_name rating:rating ratingCount:rating_count lastUpdate:updated_at
app_rating | android.app-simple | name:app_name category:category_name categoryId:category_id iconUrl:icon_url price:price_text developerId:developer_id rating:rating ratingCount:rating_count lastUpdate:updated_at
developer_app | ios.developer-apps | name:app_name iconUrl:icon_url price:price_text category:category_id developerId:developer_id developerName:developer_name lastUpdateTime:updated_at
developer_app | android.developer-apps | name:app_name iconUrl:icon_url price:price_text category:category_name categoryId:category_id developerId:developer_id developerName:developer_name lastUpdateTime:updated_at
keyword_metadata | ios.keyword-metadata | languageCode:language_code numberOfIpadApps:ipad_app_count numberOfIphoneApps:iphone_app_count searchVolume:search_volume ownIphoneChance:iphone_chance ownIpadChance:ipad_chance popularity:popularity brandApp:brand_track_id
keyword_metadata | android.keyword-metadata | languageCode:language_code numberOfApps:app_count searchVolume:search_volume playChance:chance brandApp:brand_track_id
app_version | ios.version-list | versionString:version versionDate:version_at releaseNotes:release_notes differences:differences
bid_change | search-ads.bid-history-logs | entityLevel:entity_level entityId:entity_id currency:currency oldValue:old_value newValue:new_value source:source ruleName:rule_name
tracked_keyword | dashboard.daily-keyword-rankings | searchVolume:search_volume change:rank_change chance:chance numberOfApps:app_count brandApp:brand_track_id createdAt:created_at
tracked_app | dashboard.apps | isStoreAccountConnected:is_store_account_connected availableCountries:available_countries
ad_creative | ad-intelligence.creatives | mediaUrl:media_url mediaOriginalUrl:media_original_url previewUrl:preview_url resourceMedia:resource_media resourceMediaUrl:resource_media_url mediaType:media_kind mediaId:media_id hashedMediaId:hashed_media_id tagType:tag_types firstSeen:first_seen_code lastSeen:last_seen_code platformId:platform_id appId:service_app_id title:title subtitle:subtitle action:action_text iconUrl:icon_url fullName:app_name category:category_name categoryId:category_id impression:impression_count mediaFormat:media_formats duration:duration lastSeenDate:last_seen_at firstSeenDate:first_seen_at countryCode:country_codes
top_advertiser | ad-intelligence.top-advertisers | isAdvertiser:is_advertiser isPublisher:is_publisher adCount:ad_count creativeCount:creative_count appId:service_app_id iconUrl:icon_url fullName:app_name developerName:developer_name developerId:developer_id category:category_name categoryId:category_id networkCount:network_count
search_ads_top_app | search-ads.top-apps-report | share:share name:app_name iconUrl:icon_url removed:is_removed
search_ads_report | search-ads.reports | orgName:org_name appName:app_name campaignName:campaign_name adGroupId:ad_group_id adGroupName:ad_group_name keywordId:keyword_id adId:ad_id adName:ad_name cppName:product_page_name cppId:product_page matchType:match_type searchTermText:search_term gender:gender age:age deviceClass:device_class customerType:customer_type
search_ads_report | search-ads.reports | startTime:started_at adChannelType:ad_channel_type billingEvent:billing_event pricingModel:pricing_model campaignStatus:campaign_status adGroupStatus:ad_group_status displayStatus:display_status servingStatusReasons:serving_status_reasons searchMatch:search_match countries:countries supplySources:supply_sources dailyBudget:daily_budget defaultAmount:default_bid
search_ads_report | search-ads.reports | spend:spend impressions:impression_count taps:tap_count installs:install_count redownloads:redownload_count newDownloads:new_download_count latOnInstalls:lat_on_install_count latOffInstalls:lat_off_install_count cpa:cpa cpt:cpt cpm:cpm ttr:ttr cr:cr numberOfInstall:attributed_install_count attrInstallRate:attributed_install_rate cpi:cpi numberOfGoal:goal_count goalsRate:goal_rate costPerGoal:cost_per_goal cpaGoal:cpa_goal revenuePerGoal:revenue_per_goal arpu:arpu
search_ads_report | search-ads.reports | goalRevenue:goal_revenue goalRoas:goal_roas ${days("goalRevenue", "goal_revenue")} ${days("goalRoas", "goal_roas")} ${days("goalCount", "goal_count")}
`;

const lines = table
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => {
    const [dataset = "", operation = "", fields = ""] = line.split(" | ");
    const pairs = fields.split(" ").map((pair) => pair.split(":") as [string, string]);
    return { dataset, operation, pairs, first: pairs[0]?.[0] };
  });

/** A value that no other field of the answer has, as answers write it, and as it is in a column of a kind. */
function valueOf(kind: ColumnKind | undefined, place: number): { readonly sent: unknown; readonly kept: unknown } {
  const time = `2026-01-01T00:${String(place + 10)}:00`;
  if (kind === "boolean") return { sent: false, kept: false };
  if (kind === "timestamp") return { sent: time, kept: time };
  if (kind === "timestamptz") return { sent: `${time}Z`, kept: `${time}Z` };
  if (kind === "json") return { sent: [`v${place}`], kept: JSON.stringify([`v${place}`]) };
  if (kind === "text") return { sent: `v${place}`, kept: `v${place}` };
  return { sent: place + 10, kept: place + 10 };
}

test.each(lines)(
  "$dataset has each field of $operation in its own column, from $first on",
  ({ dataset: name, operation, pairs }) => {
    const dataset = datasetNamed(name);
    const columns = dataset.tables[0]?.columns ?? {};
    const values = pairs.map(([, column], place) => valueOf(columns[column], place));
    const flags = pairs.filter(([, column]) => columns[column] === "boolean");
    const { scope, wrap } = around[operation]!;
    const items = { app_rating: [scope["app"] ?? ""], search_ads_top_app: ["US 3 42 yoga"] }[name] ?? null;
    const sent = Object.fromEntries(pairs.map(([field], place) => [field, values[place]?.sent]));
    const kept = Object.fromEntries(pairs.map(([, column], place) => [column, values[place]?.kept]));
    // of flags one at a time is set
    for (const [field, column] of flags.length === 0 ? [["", ""] as const] : flags) {
      const set = (on: string, fields: object) => (on === "" ? fields : { ...fields, [on]: true });
      const { rows, invalid } = normalised(
        dataset,
        operationById(operation),
        { scope, items, ...now },
        wrap(set(field, sent)),
      );
      expect(invalid).toEqual([]);
      expect(rows).toMatchObject([set(column, kept)]);
    }
  },
);

test("ratings by stars go from one star to five", () => {
  const [one, two, three, four, five] = [11, 12, 13, 14, 15];
  const stars = {
    numOfFiveRatings: five,
    numOfFourRatings: four,
    numOfThreeRatings: three,
    numOfTwoRatings: two,
    numOfOneRatings: one,
  };
  const { scope, wrap } = around["android.app-detail"]!;
  const { rows } = normalised(datasetNamed("app_history"), operationById("android.app-detail"), { scope }, wrap(stars));
  expect(rows).toMatchObject([{ ratings_by_star: JSON.stringify([one, two, three, four, five]) }]);
});
