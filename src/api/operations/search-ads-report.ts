import { z } from "zod";
import { defineOperation, inBody, maybeInBody, maybeInQuery } from "../define-operation.ts";
import {
  AnyTrackId,
  CountryCode,
  DayText,
  Keyword,
  MaybeAmount,
  MaybeFlag,
  MaybeId,
  MaybeInstant,
  MaybeNumber,
  MaybeText,
  MaybeTexts,
} from "../values.ts";

const report = {
  store: null,
  method: "POST",
  path: "/searchads/reports",
  cost: 20,
  // the contract does not say whether the last day is inclusive
  range: { start: "startDate", end: "endDate", endInclusive: null, days: null, months: 1 },
} as const;
const Id = z.int().min(0);
const days = { startDate: inBody(DayText, "first day"), endDate: inBody(DayText, "last day") };

/** The levels that belong to one organisation. */
const ofOneOrganisation = ["CAMPAIGN", "AD_GROUP", "AD", "CPP", "KEYWORD", "NEGATIVE", "SEARCH_TERM"] as const;
const withCampaigns: readonly string[] = ["CAMPAIGN", "AD_GROUP", "AD", "KEYWORD", "NEGATIVE", "SEARCH_TERM"];
const withAdGroups: readonly string[] = withCampaigns.slice(1);

/** Checks which values may go together in a report, by the requested level. */
function reportTogether(values: Readonly<Record<string, unknown>>): string | null {
  const { reportLevel, orgIds, campaignIds, adGroupIds } = values;
  const level = String(reportLevel);
  if (ofOneOrganisation.some((one) => one === level) && !(Array.isArray(orgIds) && orgIds.length === 1))
    return `a report at the level ${level} needs exactly one orgId`;
  if (campaignIds !== undefined && !withCampaigns.includes(level))
    return `campaignIds cannot narrow a report at the level ${level}`;
  if (adGroupIds !== undefined && !withAdGroups.includes(level))
    return `adGroupIds cannot narrow a report at the level ${level}`;
  return null;
}

const amounts = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, MaybeAmount]));
const ids = <N extends string>(...names: readonly N[]) =>
  Object.fromEntries(names.map((name) => [name, MaybeId])) as Record<N, typeof MaybeId>;
const texts = <N extends string>(...names: readonly N[]) =>
  Object.fromEntries(names.map((name) => [name, MaybeText])) as Record<N, typeof MaybeText>;
const byDays = (name: string) => [1, 3, 7, 14, 30].map((count) => `${name}${count}`);

const money = "spend cpa cpt goalRevenue goalRoas cpi costPerGoal revenuePerGoal arpu dailyBudget"
  .split(" ")
  .concat(byDays("goalRevenue"), byDays("goalRoas"));
const counts =
  "impressions taps installs redownloads newDownloads numberOfInstall numberOfGoal latOnInstalls latOffInstalls"
    .split(" ")
    .concat(byDays("goalCount"));
const rates = "ttr cr attrInstallRate goalsRate cpm cpaGoal defaultAmount".split(" ");

/** A row of any level: the contract shows rows of campaigns, users have shown rows of ad groups; other levels have more fields. */
const reportRow = z.looseObject({
  ...amounts(...money, ...counts, ...rates),
  ...ids("orgId", "appId", "campaignId", "adGroupId", "keywordId", "adId", "cppId"),
  ...texts(
    "orgName",
    "country",
    "currency",
    "appName",
    "campaignName",
    "adGroupName",
    "keyword",
    "adName",
    "cppName",
    "matchType",
    "searchTermText",
  ),
  ...texts("adChannelType", "billingEvent", "pricingModel", "gender", "age", "deviceClass", "customerType"),
  ...texts("campaignStatus", "adGroupStatus", "displayStatus"),
  startTime: MaybeInstant,
  // not shown in the contract, but rows may have days
  date: MaybeInstant,
  servingStatusReasons: z.union([z.string(), z.array(z.string())]).nullish(),
  searchMatch: z.union([z.boolean(), z.string()]).nullish(),
  countries: MaybeTexts,
  countryWithStatus: z.record(z.string(), MaybeFlag).nullish(),
  supplySources: MaybeTexts,
  original: z.looseObject(amounts(...money)).nullish(),
});

export const searchAdsReports = defineOperation({
  ...report,
  id: "search-ads.reports",
  name: "Get Reports",
  params: {
    page: maybeInQuery(z.int().min(0), "number of the page, from 0", { default: 0 }),
    reportType: inBody(z.enum(["REPORT", "DAILY", "SUMMARY"]), "REPORT, DAILY or SUMMARY"),
    reportLevel: inBody(z.enum(["ACCOUNT", "APP", ...ofOneOrganisation]), "what a row stands for"),
    ...days,
    orgIds: maybeInBody(
      z.array(Id).min(1).nullable(),
      "organisations; none or null at the levels ACCOUNT and APP only, one at all others",
    ),
    campaignIds: maybeInBody(z.array(Id).min(1), "campaigns; all when left out"),
    adGroupIds: maybeInBody(z.array(Id).min(1), "ad groups; all when left out"),
    goalId: maybeInBody(Id, "goal; without it no goal data is returned"),
    appId: maybeInBody(Id, "app; without it no goal data can be fetched"),
    reAttrType: maybeInBody(z.enum(["WITH", "WITHOUT", "ONLY"]), "whether re-attributed installs count", {
      default: "WITH",
    }),
    currency: maybeInBody(z.string().regex(/^[A-Z]{3}$/, "a currency is three letters"), "currency of the money", {
      default: "USD",
    }),
  },
  together: reportTogether,
  wholeAccountWithout: "orgIds",
  // the size of a page is not documented; the answer states its rows
  paging: { param: "page", first: 0, size: 1000, total: { rows: ["[]", "pagination"] } },
  envelope: "data",
  items: ["[]", "tableData"],
  answer: z.array(
    z.looseObject({
      pagination: z.looseObject({ totalRowCount: MaybeNumber, limit: MaybeNumber, offset: MaybeNumber }).nullish(),
      tableData: z.array(reportRow),
    }),
  ),
  summary: "Spend, impressions, taps, installs and goals of the account's search ads at one level, over up to a month.",
});

export const searchAdsTopApps = defineOperation({
  ...report,
  id: "search-ads.top-apps-report",
  name: "Get Top Apps Report",
  params: {
    reportType: inBody(z.literal("TOP_APPS"), "TOP_APPS"),
    reportLevel: inBody(z.literal("KEYWORD"), "KEYWORD"),
    ...days,
    orgIds: maybeInBody(z.array(Id).min(1).max(1), "the organisation", { maxItems: 1 }),
    keywordList: inBody(
      z.array(z.strictObject({ keyword: Keyword, keywordId: Id, appId: Id, orgId: Id, country: CountryCode })).min(1),
      "the keywords, each with its own id, app, organisation and country",
    ),
  },
  paging: null,
  // wrapped according to the general rule for search ads, bare in the description of the operation itself
  envelope: "either",
  items: [],
  answer: z.array(
    z.looseObject({
      keywordData: z.looseObject({
        keyword: z.string(),
        keywordId: MaybeId,
        countryCode: MaybeText,
        numberOfApps: MaybeNumber,
        competitors: z.union([z.boolean(), z.array(z.unknown())]).nullish(),
      }),
      appData: z
        .array(
          z.looseObject({
            share: MaybeAmount,
            trackId: AnyTrackId,
            name: MaybeText,
            iconUrl: MaybeText,
            removed: MaybeFlag,
          }),
        )
        .nullish(),
    }),
  ),
  summary: "Which apps win the impressions of the account's keywords, over up to a month.",
});
