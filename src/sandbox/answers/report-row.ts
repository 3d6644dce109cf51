import { startOfDay } from "../../core/day.ts";
import type { searchAdsReports } from "../../api/operations/search-ads-report.ts";
import type { Bid } from "../market/search-ads.ts";
import { localTime, type ValuesOf } from "../answer-context.ts";

/** What a row of a report is about. */
export type Level = ValuesOf<typeof searchAdsReports>["reportLevel"];

// what identifies the rows of a level; here search terms and negative keywords are the same as keywords
const keys = {
  ACCOUNT: ({ org }) => org.id,
  APP: ({ app }) => app.trackId,
  CAMPAIGN: ({ campaignId }) => campaignId,
  AD_GROUP: ({ adGroupId }) => adGroupId,
  AD: ({ adGroupId }) => adGroupId,
  CPP: ({ app }) => app.trackId,
  KEYWORD: ({ keywordId }) => keywordId,
  NEGATIVE: ({ keywordId }) => keywordId,
  SEARCH_TERM: ({ keywordId }) => keywordId,
} as const satisfies Record<Level, (bid: Bid) => string | number>;

/** Every bid with the key of the row that it belongs to. */
export function levelKeys(level: Level, bids: readonly Bid[]): { key: string | number; bid: Bid }[] {
  return bids.map((bid) => ({ key: keys[level](bid), bid }));
}

/** The names of the objects that a row is about, down to its level. */
export function identityFields(level: Level, bid: Bid): Record<string, unknown> {
  const { org, app, country } = bid;
  const account = { orgId: org.id, orgName: org.name };
  if (level === "ACCOUNT") return account;
  const ofApp = { ...account, appId: Number(app.trackId), appName: app.name };
  if (level === "APP" || level === "CPP") return level === "APP" ? ofApp : { ...ofApp, cppName: "Default" };
  const campaign = { ...ofApp, country, campaignId: bid.campaignId, campaignName: `${app.name} ${country} 🚀` };
  const dated = { ...campaign, startTime: localTime(startOfDay(app.released)) };
  if (level === "CAMPAIGN") return { ...dated, adChannelType: "SEARCH", billingEvent: "TAPS" };
  const group = { ...dated, adGroupId: bid.adGroupId, adGroupName: `Group ${bid.adGroupId % 10}`, pricingModel: "CPC" };
  if (level === "AD_GROUP") return { ...group, ...segments(bid) };
  if (level === "AD") return { ...group, adId: bid.adGroupId * 10 + 1, adName: "Default" };
  const keyword = { ...group, keywordId: bid.keywordId, keyword: bid.keyword, matchType: "EXACT" };
  return level === "SEARCH_TERM" ? { ...keyword, searchTermText: bid.keyword } : keyword;
}

function segments({ adGroupId }: Bid) {
  return {
    gender: adGroupId % 2 === 0 ? "F" : "M",
    age: "18-24",
    deviceClass: "IPHONE",
    customerType: "ALL",
    searchMatch: adGroupId % 2 === 0,
  };
}

/** The state of a campaign; some are paused. */
export function statusFields({ campaignId, country }: Bid): Record<string, unknown> {
  const paused = campaignId % 5 === 1;
  return {
    campaignStatus: paused ? "PAUSED" : "ENABLED",
    displayStatus: paused ? "PAUSED" : "RUNNING",
    ...(paused ? { servingStatusReasons: "PAUSED_BY_USER" } : {}),
    dailyBudget: 50,
    countries: [country],
    countryWithStatus: { [country]: !paused },
    supplySources: ["APPSTORE_SEARCH_RESULTS"],
  };
}
