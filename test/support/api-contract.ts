/** One operation as the contract describes it, typed in by hand. */
export type Reported = {
  readonly id: string;
  readonly cost: number;
  readonly call: string;
  /** Parameters outside the path: `name`, `name?` where it may be left out, `name[100]` for a list of at most 100, `{}` around body ones. */
  readonly params: readonly string[];
  /** `30 days incl`, `7 days open` ...; empty where no range is requested. */
  readonly range: string;
  readonly envelope: string;
  /** `from 0 by 20 of totalPages` ...; empty where all comes at once. */
  readonly pages: string;
};

/**
 * The contract, read by hand, section by section: id, credits, method and path, parameters outside the path, range, envelope,
 * pages. `open` is an end of which the contract does not say whether it is counted in, `either` an envelope of that kind.
 */
const table = `
ios.keyword-ranking      |  3 | GET /iosstore-keyword-ranking/{trackId}/{countryCode}/keywordrankings | keywords[100] date? | | bare
android.keyword-ranking  |  3 | GET /androidstore-keyword-ranking/{trackId}/{countryCode}/keywordrankings | keywords[100] date? | | bare
ios.keyword-history      | 10 | GET /iosstore-keyword-ranking/{trackId}/{countryCode}/{keyword}/keywordrankings | startDate endDate | 30 days incl | bare
android.keyword-history  | 10 | GET /androidstore-keyword-ranking/{trackId}/{countryCode}/{keyword}/keywordrankings | startDate endDate | 30 days incl | bare
ios.top-keywords         | 20 | GET /iosstore-keyword-ranking/{trackId}/{countryCode}/top-keywords | date device?=IPHONE limit?=100 | | bare
android.top-keywords     | 20 | GET /androidstore-keyword-ranking/{trackId}/{countryCode}/top-keywords | date limit?=100 | | bare
ios.keyword-metadata     |  5 | GET /iosstore-keyword-ranking/{countryCode}/keyword-metadata | keyword | | bare
android.keyword-metadata |  5 | GET /androidstore-keyword-ranking/{countryCode}/keyword-metadata | keyword | | bare
ios.keyword-apps         |  5 | GET /iosstore-keyword-ranking/{countryCode}/keyword-apps | keyword | | bare
android.keyword-apps     |  5 | GET /androidstore-keyword-ranking/{countryCode}/keyword-apps | keyword | | bare
ios.organic-keywords     | 50 | GET /iosstore-keyword-ranking/{trackId}/{countryCode}/{device}/organic-keywords | date | | bare
android.organic-keywords | 50 | GET /androidstore-keyword-ranking/{trackId}/{countryCode}/organic-keywords | date | | bare
ios.organic-impression-share     | 20 | GET /iosstore-keyword-ranking/organic-impression-share/keyword/{keyword}/{countryCode}/{device} | | | bare
android.organic-impression-share | 20 | GET /androidstore-keyword-ranking/organic-impression-share/keyword/{keyword}/{countryCode} | | | bare
ios.share-of-category            |  5 | GET /iosstore-keyword-ranking/share-of-category/keyword/{keyword}/{countryCode}/{device} | | | bare
android.share-of-category        |  5 | GET /androidstore-keyword-ranking/share-of-category/keyword/{keyword}/{countryCode} | | | bare

ios.app-detail           |  5 | GET /iosstore-appinfo-v2/app/detailed/{trackId}/{countryCode?} | | | bare
android.app-detail       |  5 | GET /androidstore-appinfo-v2/app/detailed/{trackId}/{langCode?=EN} | | | bare
ios.app-simple           |  1 | GET /iosstore-appinfo-v2/app/simple/{countryCode} | trackIds[10] | | bare
android.app-simple       |  1 | GET /androidstore-appinfo-v2/app/simple/{langCode} | trackIds[10] | | bare
ios.version-list         |  1 | GET /iosstore-appinfo-v2/versions/{trackId}/{countryCode} | startDate endDate | any days excl | bare
android.version-list     |  1 | GET /androidstore-appinfo-v2/versions/{trackId}/{langCode} | startDate endDate | any days excl | bare
ios.version-list-detailed     | 50 | GET /iosstore-appinfo-v2/versions/detailed/{trackId}/{countryCode} | startDate endDate | 30 days excl | bare
android.version-list-detailed | 50 | GET /androidstore-appinfo-v2/versions/detailed/{trackId}/{langCode} | startDate endDate | 30 days excl | bare
ios.developer-apps       |  5 | GET /iosstore-appinfo-v2/app/developer/{developerId}/{countryCode} | | | bare
android.developer-apps   |  5 | GET /androidstore-appinfo-v2/app/developer/{developerName}/{langCode} | | | bare
ios.app-discovery        |  1 | POST /iosstore-appinfo-v2/app/discover/{trackId} | | | bare
android.app-discovery    |  1 | POST /androidstore-appinfo-v2/app/discover/{trackId}/{country} | | | bare
ios.reviews              |  5 | GET /iosstore-app-reviews/{trackId}/{startDate}/{endDate} | rating[]? countries[]? textQuery? page?=0 | any days open | bare | from 0 by 100
android.reviews          |  5 | GET /androidstore-app-reviews/{trackId}/{startDate}/{endDate} | rating[]? languages[]? textQuery? page?=0 | any days open | bare | from 0 by 100
ios.reviews-v2           |  5 | GET /iosstore-app-reviews/v2/{trackId}/{startDate}/{endDate} | rating[]? countries[]? textQuery? repliedReview? page?=0 size?=20 | any days open | bare | from 0 by 20 of totalPages
android.reviews-v2       |  5 | GET /iosstore-app-reviews/v2/{trackId}/{startDate}/{endDate} | rating[]? countries[]? textQuery? repliedReview? page?=0 size?=20 | any days open | bare | from 0 by 20 of totalPages
ios.review-analysis      | 10 | GET /iosstore-app-reviews/word-analysis/{trackId}/{startDate}/{endDate} | rating[]? countries[]? textQuery? | 30 days open | bare
android.review-analysis  | 10 | GET /androidstore-app-reviews/word-analysis/{trackId}/{startDate}/{endDate} | rating[]? languages[]? textQuery? | 30 days open | bare
ios.download-revenue     | 100 | GET /market-estimations/iosstore/estimation/download-revenue | trackId country startDate endDate device? | 30 days incl | bare
ios.monthly-download-revenue | 2 | GET /market-estimations/iosstore/estimation/download-revenue-last-month/{trackId} | | | bare
ios.featuring            | 40 | GET /iosstore-category-v2/featured-app/{trackId}/{categoryId} | startDate? endDate? countryCode? | any days open | data

ios.top-charts           | 10 | GET /iosstore-category-v2/topcharts/{version}/{categoryId}/{countryCode}/{rankingType}/{targetDevice} | date | | bare
ios.category-ranking     | 10 | GET /iosstore-category-v2/rankings/{version}/{trackId}/{countryCode} | hourly startDate endDate | 30 days excl | bare
ios.global-category-rankings     | 20 | GET /iosstore-category-v2/global-rankings-last-day/{trackId}/{device} | | | bare
android.top-charts       | 10 | GET /androidstore-category/topcharts/{category}/{countryCode}/{categoryType} | date | | bare
android.category-ranking | 10 | GET /androidstore-category/{trackId}/{country} | startDate endDate | 30 days excl | bare
android.global-category-rankings | 20 | GET /androidstore-category/global-rankings-last-day/{trackId} | | | bare

market.app-match         | 10 | GET /app-match/app/{store} | trackId | | bare
market.visibility-score  | 10 | GET /graph-data/{store}/app/visibility/{country} | trackIds[] | | bare
ios.visibility-history     | 10 | POST /iosstore-visibility-score/visibility-score-history/apps | countries[] startDate? endDate? {body[]} | any days open | bare
android.visibility-history | 10 | POST /androidstore-visibility-score/visibility-score-history/apps | countries[] startDate? endDate? {body[]} | any days open | bare

ad-intelligence.creatives            | 200 | GET /ad-intelligence/get-creatives-by-track-id | trackId page?=1 startDate? endDate? countryCode? network? mediaType? | 30 days open | either | from 1 by 50 of totalPages
ad-intelligence.check-badge          |   5 | GET /ad-intelligence/check-badge | trackId | | data
ad-intelligence.country-distribution |  10 | GET /ad-intelligence/country_distribution | trackId startDate endDate mediaType? countryCode? | 30 days open | data
ad-intelligence.creative-dimension-distribution | 20 | GET /ad-intelligence/creative_dimension_distribution | trackId startDate endDate countryCode? mediaType? network? | 30 days open | data
ad-intelligence.creative-type-distribution      | 20 | GET /ad-intelligence/creative_type_distribution | trackId startDate endDate countryCode? mediaType? network? | 30 days open | data
ad-intelligence.language-distribution           | 10 | GET /ad-intelligence/language_distribution | trackId startDate endDate countryCode? | 30 days open | data
ad-intelligence.network-distribution            | 10 | GET /ad-intelligence/network_distribution | trackId startDate endDate mediaType? countryCode? | 30 days open | data
ad-intelligence.top-advertisers      | 150 | GET /ad-intelligence/top-advertisers | page?=1 startDate? endDate? countryCode? platformId? category? network? firstSeen? | 30 days open | either | from 1 by 50 of totalPages
ad-intelligence.publisher-dimension-distribution | 50 | GET /ad-intelligence/ad-publisher/creative_dimension_distribution | trackId startDate endDate | 30 days open | data

search-ads-insight.paid-keywords | 50 | GET /searchads-stats/paid-keywords/{trackId}/{countryCode} | startDate endDate | 14 days open | either
search-ads-insight.paying-apps   | 50 | GET /searchads-stats/paying-apps/{countryCode} | keyword startDate endDate | 14 days open | either

search-ads.integrations      |  1 | GET /searchads/info/sa-integrations | | | data
search-ads.mmp-integrations  |  1 | GET /searchads/info/v2/mmp-integrations | | | data
search-ads.goals             |  1 | GET /searchads/info/goals | trackIds[]? | | data
search-ads.goal              |  1 | GET /searchads/info/goals/{id} | | | data
search-ads.apps              |  1 | GET /searchads/info/apps | | | data
search-ads.bid-history-logs  | 20 | GET /searchads/bid-history-logs | orgId startDate endDate | 7 days open | data
search-ads.reports           | 20 | POST /searchads/reports | page?=0 {reportType} {reportLevel} {startDate} {endDate} {orgIds[]?} {campaignIds[]?} {adGroupIds[]?} {goalId?} {appId?} {reAttrType?=WITH} {currency?=USD} | 1 months open | data | from 0 by rows
search-ads.top-apps-report   | 20 | POST /searchads/reports | {reportType} {reportLevel} {startDate} {endDate} {orgIds[1]?} {keywordList[]} | 1 months open | either

dashboard.apps                       |  5 | GET /gateway/account/app/tracked | | | data
dashboard.daily-keyword-rankings     | 50 | GET /gateway/account/app/{trackId}/keywords/rankings/{countryCode} | device?=iphone date? | | data
dashboard.add-keywords               |  1 | POST /gateway/account/app/{trackId}/keywords/{countryCode} | {body[200]} | | data
dashboard.delete-keywords            |  1 | DELETE /gateway/account/app/{trackId}/keywords/{countryCode} | {body[]} | | data
dashboard.number-of-keywords         |  1 | GET /gateway/account/app/{trackId}/keywords/count-by-country | | | data
dashboard.app-search                 |  1 | GET /gateway/app/search | query | | data
dashboard.company-url-search         | 10 | GET /gateway/app/search-by-company-url | query | | data
dashboard.sales-metrics              |  1 | GET /gateway/account/app/{trackId}/data-history/{context} | start end countryCode? device? | any days incl | data
dashboard.retention-history          |  1 | GET /gateway/account/app/{trackId}/data-history/retention | start end device? | any days incl | data
dashboard.keyword-spot               |  3 | GET /gateway/account/app/{trackId}/keyword-spots/{countryCode} | | | data
dashboard.keyword-estimation         | 20 | POST /gateway/keyword-estimation/v1/conversion-rate | {trackId} {country} {keywords[100]} | | data
dashboard.keyword-estimation-history | 30 | GET /gateway/keyword-estimation/v1/conversion-rate/historical | trackId country keyword startDate endDate | 30 days incl | data

account.remaining-credits |  0 | GET /api-key | | | data
`;

/** Every operation of the contract. */
export const contract: readonly Reported[] = table
  .split("\n")
  .filter((line) => line.trim() !== "")
  .map((line) => {
    const [id = "", cost = "", call = "", params = "", range = "", envelope = "", pages = ""] = line
      .split("|")
      .map((cell) => cell.trim());
    return { id, cost: Number(cost), call, params: params.split(/\s+/).filter(Boolean).sort(), range, envelope, pages };
  });
