import { describe, expect, test } from "vitest";
import { operationById, operations } from "../../src/api/operations/all.ts";

/** What fits a parameter by the contract, and what does not. */
type Rule = { readonly fits: readonly unknown[]; readonly odd: readonly unknown[] };

const list = (count: number, item: (index: number) => unknown) => Array.from({ length: count }, (_, at) => item(at));
const word = (index: number) => `word ${index}`;
const split = (text: string) => text.split(" ");

/** The rules of the contract, read by hand, each by the name that the table below has for it. */
const rules: Readonly<Record<string, Rule>> = {
  iosApp: { fits: ["6446318020", "1"], odd: ["app.lumi.habit", "", "64 46", "-1", "1.5", null] },
  androidApp: { fits: ["app.lumi.habit", "a.b"], odd: ["6446318020", "lumi", "", "a..b", "a.b c"] },
  app: { fits: ["6446318020", "app.lumi.habit"], odd: ["lumi", "", "-1"] },
  apps: { fits: [["6446318020"], ["1", "app.lumi"], list(500, (at) => `${at + 1}`)], odd: [[], ["lumi"], "1"] },
  iosApps: { fits: [["6446318020"], list(500, (at) => `${at + 1}`)], odd: [[], ["app.lumi"], ["0"], "1"] },
  androidApps: { fits: [["app.lumi"], list(500, (at) => `a.b${at}`)], odd: [[], ["1"], "app.lumi"] },
  tenIosApps: {
    fits: [["1"], list(10, (at) => `${at + 1}`)],
    odd: [[], list(11, (at) => `${at + 1}`), ["app.lumi"], ["0"]],
  },
  tenAndroidApps: { fits: [["a.b"], list(10, (at) => `a.b${at}`)], odd: [[], list(11, (at) => `a.b${at}`), ["1"]] },
  country: { fits: ["US", "JP"], odd: ["us", "USA", "U", "", "U1", "Us"] },
  countries: { fits: [["US"], ["US", "JP"]], odd: [[], ["us"], ["US", ""], "US"] },
  language: {
    fits: split(
      "EN EN_AU EN_GB EN_CA ZH ZH_TW TR ES ES_MX DE IT JA NL RU KO AR FR PT_PT PT_BR ID VI TH CS DA FI EL HE HU MS NO PL RO SK SV",
    ),
    odd: ["en", "EN-AU", "EN_US", "PT", "XX", ""],
  },
  languages: { fits: [["en"], ["EN", "pt_BR"]], odd: [[], ["english"], [""], "en"] },
  device: { fits: ["IPHONE", "IPAD"], odd: ["iphone", "WATCH", "", "ALL"] },
  smallDevice: { fits: ["iphone", "ipad"], odd: ["IPHONE", "all", ""] },
  day: { fits: ["2026-08-10", "2028-02-29", "2025-12-31"], odd: ["2026-02-29", "2026-8-1", "20260810", "today", ""] },
  keyword: { fits: ["yoga", "a,b", "タスク", "."], odd: ["", 5] },
  keywords: { fits: [["yoga"], list(100, word)], odd: [[], list(101, word), ["a,b"], [""], "yoga"] },
  addedKeywords: {
    fits: [["a,b"], list(200, word), ["x".repeat(254)]],
    odd: [[], list(201, word), ["x".repeat(255)], [""], [".."], "yoga"],
  },
  removedKeywords: { fits: [["a,b"], list(500, word), [".."]], odd: [[], [""], "yoga"] },
  estimatedKeywords: { fits: [["a,b"], list(100, word)], odd: [[], list(101, word), [""]] },
  bidKeywords: {
    fits: [[{ keyword: "a,b", keywordId: 1, appId: 2, orgId: 3, country: "US" }]],
    odd: [
      [],
      [{ keyword: "a", keywordId: 1, appId: 2, orgId: 3 }],
      [{ keyword: "a", keywordId: "1", appId: 2, orgId: 3, country: "US" }],
      [{ keyword: "a", keywordId: 1, appId: 2, orgId: 3, country: "us" }],
      [{ keyword: "a", keywordId: 1, appId: 2, orgId: 3, country: "US", more: 1 }],
    ],
  },
  limit: { fits: [1, 100, 5000], odd: [0, -1, 1.5, "5"] },
  pageFrom0: { fits: [0, 1, 999], odd: [-1, 0.5, "0"] },
  pageFrom1: { fits: [1, 999], odd: [0, -1, 1.5, "1"] },
  size: { fits: [1, 20, 100], odd: [0, 101, 1.5, "20"] },
  ratings: { fits: [[1], [5, 1], [1, 2, 3, 4, 5]], odd: [[], [0], [6], [1.5], ["1"], 1] },
  flag: { fits: [true, false], odd: ["true", 0, null] },
  text: { fits: ["AdMob", "a b"], odd: ["", 5] },
  number: { fits: ["1", "9876543210"], odd: ["", "x1", "1.5"] },
  id: { fits: [0, 7, 9_876_543_210], odd: [-1, 1.5, "7", null] },
  ids: { fits: [[7], [7, 8]], odd: [[], ["7"], 7, null] },
  idsOrNone: { fits: [[7], [7, 8], null], odd: [[], ["7"], 7] },
  oneId: { fits: [[7]], odd: [[], [7, 8], ["7"], 7] },
  version: { fits: ["v1", "v2"], odd: ["v3", "V1", "1"] },
  rankingType: { fits: ["FREE", "PAID", "GROSSING"], odd: ["free", 0, "0", "NEW"] },
  androidCategory: {
    fits: split("OVERALL GAME FAMILY BOOKS_AND_REFERENCE GAME_WORD"),
    odd: ["overall", 26, "26", "TOYS"],
  },
  iosOrPlay: { fits: ["ios", "play"], odd: ["android", "iosstore", "IOS"] },
  store: { fits: ["ios", "android"], odd: ["play", "iosstore", "androidstore"] },
  counted: { fits: [1, 2], odd: [0, 3, 1.5, "1"] },
  context: { fits: ["DOWNLOAD", "REVENUE_TOTAL", "PAGE_VIEW"], odd: ["REVENUE", "download", "retention"] },
  reportType: { fits: ["REPORT", "DAILY", "SUMMARY"], odd: ["TOP_APPS", "report"] },
  topApps: { fits: ["TOP_APPS"], odd: ["REPORT"] },
  reportLevel: {
    fits: split("ACCOUNT APP CAMPAIGN AD_GROUP AD CPP KEYWORD NEGATIVE SEARCH_TERM"),
    odd: ["ORG", "campaign", "ADGROUP"],
  },
  keywordLevel: { fits: ["KEYWORD"], odd: ["CAMPAIGN"] },
  attribution: { fits: ["WITH", "WITHOUT", "ONLY"], odd: ["with", "BOTH"] },
  currency: { fits: ["USD", "JPY"], odd: ["usd", "US", "USDT", ""] },
};

/** Each operation with its parameters and their rules. */
const table = `
ios.keyword-ranking      | trackId:iosApp countryCode:country keywords:keywords date:day
android.keyword-ranking  | trackId:androidApp countryCode:country keywords:keywords date:day
ios.keyword-history      | trackId:iosApp countryCode:country keyword:keyword startDate:day endDate:day
android.keyword-history  | trackId:androidApp countryCode:country keyword:keyword startDate:day endDate:day
ios.top-keywords         | trackId:iosApp countryCode:country date:day device:device limit:limit
android.top-keywords     | trackId:androidApp countryCode:country date:day limit:limit
ios.keyword-metadata     | countryCode:country keyword:keyword
android.keyword-metadata | countryCode:country keyword:keyword
ios.keyword-apps         | countryCode:country keyword:keyword
android.keyword-apps     | countryCode:country keyword:keyword
ios.organic-keywords     | trackId:iosApp countryCode:country device:device date:day
android.organic-keywords | trackId:androidApp countryCode:country date:day
ios.organic-impression-share     | keyword:keyword countryCode:country device:device
android.organic-impression-share | keyword:keyword countryCode:country
ios.share-of-category            | keyword:keyword countryCode:country device:device
android.share-of-category        | keyword:keyword countryCode:country

ios.app-detail           | trackId:iosApp countryCode:country
android.app-detail       | trackId:androidApp langCode:language
ios.app-simple           | countryCode:country trackIds:tenIosApps
android.app-simple       | langCode:language trackIds:tenAndroidApps
ios.version-list         | trackId:iosApp countryCode:country startDate:day endDate:day
android.version-list     | trackId:androidApp langCode:language startDate:day endDate:day
ios.version-list-detailed     | trackId:iosApp countryCode:country startDate:day endDate:day
android.version-list-detailed | trackId:androidApp langCode:language startDate:day endDate:day
ios.developer-apps       | developerId:number countryCode:country
android.developer-apps   | developerName:text langCode:language
ios.app-discovery        | trackId:iosApp
android.app-discovery    | trackId:androidApp country:country
ios.reviews              | trackId:iosApp startDate:day endDate:day rating:ratings countries:countries textQuery:text page:pageFrom0
android.reviews          | trackId:androidApp startDate:day endDate:day rating:ratings languages:languages textQuery:text page:pageFrom0
ios.reviews-v2           | trackId:iosApp startDate:day endDate:day rating:ratings countries:countries textQuery:text repliedReview:flag page:pageFrom0 size:size
android.reviews-v2       | trackId:androidApp startDate:day endDate:day rating:ratings countries:languages textQuery:text repliedReview:flag page:pageFrom0 size:size
ios.review-analysis      | trackId:iosApp startDate:day endDate:day rating:ratings countries:countries textQuery:text
android.review-analysis  | trackId:androidApp startDate:day endDate:day rating:ratings languages:languages textQuery:text
ios.download-revenue     | trackId:iosApp country:country startDate:day endDate:day device:device
ios.monthly-download-revenue | trackId:iosApp
ios.featuring            | trackId:iosApp categoryId:id startDate:day endDate:day countryCode:country

ios.top-charts           | version:version categoryId:id countryCode:country rankingType:rankingType targetDevice:device date:day
ios.category-ranking     | version:version trackId:iosApp countryCode:country hourly:flag startDate:day endDate:day
ios.global-category-rankings     | trackId:iosApp device:device
android.top-charts       | category:androidCategory countryCode:country categoryType:rankingType date:day
android.category-ranking | trackId:androidApp country:country startDate:day endDate:day
android.global-category-rankings | trackId:androidApp

market.app-match         | store:iosOrPlay trackId:app
market.visibility-score  | store:store country:country trackIds:apps
ios.visibility-history     | countries:countries startDate:day endDate:day body:iosApps
android.visibility-history | countries:countries startDate:day endDate:day body:androidApps

ad-intelligence.creatives            | trackId:app page:pageFrom1 startDate:day endDate:day countryCode:country network:text mediaType:id
ad-intelligence.check-badge          | trackId:app
ad-intelligence.country-distribution | trackId:app startDate:day endDate:day mediaType:counted countryCode:country
ad-intelligence.creative-dimension-distribution | trackId:app startDate:day endDate:day countryCode:country mediaType:counted network:text
ad-intelligence.creative-type-distribution      | trackId:app startDate:day endDate:day countryCode:country mediaType:counted network:text
ad-intelligence.language-distribution           | trackId:app startDate:day endDate:day countryCode:country
ad-intelligence.network-distribution            | trackId:app startDate:day endDate:day mediaType:counted countryCode:country
ad-intelligence.top-advertisers      | page:pageFrom1 startDate:day endDate:day countryCode:country platformId:counted category:text network:text firstSeen:day
ad-intelligence.publisher-dimension-distribution | trackId:app startDate:day endDate:day

search-ads-insight.paid-keywords | trackId:iosApp countryCode:country startDate:day endDate:day
search-ads-insight.paying-apps   | countryCode:country keyword:keyword startDate:day endDate:day

search-ads.integrations      |
search-ads.mmp-integrations  |
search-ads.goals             | trackIds:iosApps
search-ads.goal              | id:id
search-ads.apps              |
search-ads.bid-history-logs  | orgId:id startDate:day endDate:day
search-ads.reports           | page:pageFrom0 reportType:reportType reportLevel:reportLevel startDate:day endDate:day orgIds:idsOrNone campaignIds:ids adGroupIds:ids goalId:id appId:id reAttrType:attribution currency:currency
search-ads.top-apps-report   | reportType:topApps reportLevel:keywordLevel startDate:day endDate:day orgIds:oneId keywordList:bidKeywords

dashboard.apps                       |
dashboard.daily-keyword-rankings     | trackId:app countryCode:country device:smallDevice date:day
dashboard.add-keywords               | trackId:app countryCode:country body:addedKeywords
dashboard.delete-keywords            | trackId:app countryCode:country body:removedKeywords
dashboard.number-of-keywords         | trackId:app
dashboard.app-search                 | query:text
dashboard.company-url-search         | query:text
dashboard.sales-metrics              | trackId:app context:context start:day end:day countryCode:country device:device
dashboard.retention-history          | trackId:app start:day end:day device:device
dashboard.keyword-spot               | trackId:iosApp countryCode:country
dashboard.keyword-estimation         | trackId:app country:country keywords:estimatedKeywords
dashboard.keyword-estimation-history | trackId:app country:country keyword:keyword startDate:day endDate:day

account.remaining-credits |
`;

const reported = table
  .split("\n")
  .filter((line) => line.trim() !== "")
  .map((line) => {
    const [id = "", params = ""] = line.split("|").map((cell) => cell.trim());
    return [
      id,
      params
        .split(/\s+/)
        .filter(Boolean)
        .map((pair) => pair.split(":") as [string, string]),
    ] as const;
  });

test("the rules are about every operation", () => {
  expect(
    reported.map(([id]) => id).toSorted(),
    "the table of test/api/parameter-rules.test.ts has a line for each operation: its parameters, as the API describes them",
  ).toEqual(operations.map(({ id }) => id).toSorted());
});

describe.each(reported)("%s", (id, params) => {
  const operation = operationById(id);

  test("has the parameters of the contract and no others", () => {
    expect(Object.keys(operation.params).toSorted()).toEqual(params.map(([name]) => name).toSorted());
  });

  test.each(params)("takes for %s what the rule %s allows, as it is, and nothing else", (name, of) => {
    const { fits = [], odd = [] } = rules[of] ?? {};
    const read = (value: unknown) => operation.params[name]?.schema.safeParse(value);
    expect(fits.map((value) => read(value)?.data)).toEqual(fits);
    expect(odd.filter((value) => read(value)?.success !== false)).toEqual([]);
    expect([fits.length, odd.length].includes(0)).toBe(false);
  });
});

describe.each([
  ["ACCOUNT", { oneOrganisation: false, byCampaign: false, byAdGroup: false }],
  ["APP", { oneOrganisation: false, byCampaign: false, byAdGroup: false }],
  ["CAMPAIGN", { oneOrganisation: true, byCampaign: true, byAdGroup: false }],
  ["AD_GROUP", { oneOrganisation: true, byCampaign: true, byAdGroup: true }],
  ["AD", { oneOrganisation: true, byCampaign: true, byAdGroup: true }],
  ["CPP", { oneOrganisation: true, byCampaign: false, byAdGroup: false }],
  ["KEYWORD", { oneOrganisation: true, byCampaign: true, byAdGroup: true }],
  ["NEGATIVE", { oneOrganisation: true, byCampaign: true, byAdGroup: true }],
  ["SEARCH_TERM", { oneOrganisation: true, byCampaign: true, byAdGroup: true }],
])("a report at the level %s", (reportLevel, { oneOrganisation, byCampaign, byAdGroup }) => {
  const isTaken = (more: object) =>
    operationById("search-ads.reports").together?.({ reportLevel, orgIds: [7], ...more }) === null;

  test("is about one organisation, or about any number", () => {
    const taken = [[7], [7, 8], null, undefined].map((orgIds) => isTaken({ orgIds }));
    expect(taken).toEqual([true, !oneOrganisation, !oneOrganisation, !oneOrganisation]);
  });

  test("is narrowed by campaigns and ad groups where it has them", () => {
    expect([isTaken({ campaignIds: [1] }), isTaken({ adGroupIds: [1] })]).toEqual([byCampaign, byAdGroup]);
  });
});
