/**
 * The fields of the contract's resources, typed in by hand, and the operations that answer with them: where the fields stand in the
 * answer, without its envelope. Lists end in `[]`, maps in `{}`.
 */
const table = `
ios.keyword-ranking ios.keyword-history | [] | trackId keyword countryCode date appKind rank
android.keyword-ranking android.keyword-history | [] | trackId keyword countryCode date rank
ios.top-keywords android.top-keywords | [] | keyword searchVolume rank
ios.keyword-metadata | | keyword countryCode languageCode numberOfIpadApps numberOfIphoneApps searchVolume ownIphoneChance ownIpadChance popularity brandApp
android.keyword-metadata | | keyword countryCode languageCode numberOfApps searchVolume playChance brandApp
ios.keyword-apps | | keyword countryCode lastUpdateDate iphoneApps[] ipadApps[]
android.keyword-apps | | keyword countryCode lastUpdateDate apps[]
ios.organic-keywords | | trackId countryCode deviceType date rankings[].keyword rankings[].rank
android.organic-keywords | | trackId countryCode date rankings[].keyword rankings[].rank
ios.organic-impression-share ios.share-of-category | | keyword countryCode device date keywordShares[].shareParameterId keywordShares[].date keywordShares[].share
android.organic-impression-share android.share-of-category | | keyword countryCode date keywordShares[].shareParameterId keywordShares[].date keywordShares[].share
ios.app-detail | | trackId name developerId developerName price iconUrl categoryId categoryName releaseDate countryCode description screenshotList[] offersInAppPurchase userRatingCount userRatingAverage removed lastModified availableCountries[]
android.app-detail | | trackId langCode removed lastModified name developerId price iconUrl lastUpdateDate version description offersInAppPurchase screenshotList[] fileSize supportUrl url category categoryId email userRating numUserRating installRange numOfFiveRatings numOfFourRatings numOfThreeRatings numOfTwoRatings numOfOneRatings topDeveloperBadge whatsnew[] inAppProducts similarApps[] videoUrl videoFrameUrl
ios.app-simple | [] | trackId name developerId developerName price iconUrl categoryId categoryName rating ratingCount lastUpdate
android.app-simple | [] | trackId name category categoryId iconUrl price developerId rating ratingCount lastUpdate
ios.developer-apps | [] | trackId name iconUrl price category developerId developerName lastUpdateTime
android.developer-apps | [] | trackId name iconUrl price category categoryId developerId developerName lastUpdateTime
ios.version-list android.version-list | [] | versionString versionDate releaseNotes differences[]
ios.version-list-detailed android.version-list-detailed | [] | versionDate differences[] newData.versionDate newData.versionString newData.fileSize newData.releaseNotes newData.similarApps[] newData.screenshots[] newData.ipadScreenshots[] newData.iconUrl newData.installRange newData.shortDescription newData.commentCount newData.videoPreviews[].previewUrl newData.videoPreviews[].frameUrl newData.videoPreviews[].phoneFrameUrl newData.userRatingCount newData.userRatingCountForCurrentVersion oldData.iconUrl oldData.fileSize
ios.reviews android.reviews | [] | id reviewer date countryCode rating content title
ios.reviews-v2 android.reviews-v2 | content[] | reviewId reviewer date countryCode rating content title version
ios.review-analysis android.review-analysis | [] | word averageRating frequency numReviews sentiment{} trend{}
ios.download-revenue | [] | date download revenue
ios.monthly-download-revenue | | countryBreakDown{}.download countryBreakDown{}.revenue download revenue
ios.featuring | | trackId categoryId cards[].date cards[].countryCode cards[].data.cards[].type cards[].data.cards[].label cards[].data.cards[].title cards[].data.cards[].name cards[].data.cards[].shortName cards[].data.cards[].link cards[].data.cards[].imageUrl cards[].data.cards[].apps[]
ios.top-charts | | countryCode categoryId targetDevice rankingType date trackIds[]
android.top-charts | [] | trackId category rank date type
ios.category-ranking ios.global-category-rankings | | trackId ranksByCategory{}{}[].targetDevice ranksByCategory{}{}[].rankingType ranksByCategory{}{}[].rankingsByDate[].date ranksByCategory{}{}[].rankingsByDate[].ranking
android.category-ranking | | trackId countryCode ranksByCategoryNames[].categoryName ranksByCategoryNames[].rankings[].rankingType ranksByCategoryNames[].rankings[].ranksByDate[].date ranksByCategoryNames[].rankings[].ranksByDate[].rank
android.global-category-rankings | | trackId ranksByCategory{}{}[].rankingType ranksByCategory{}{}[].rankingsByDate[].date ranksByCategory{}{}[].rankingsByDate[].ranking
ios.visibility-history android.visibility-history | [] | trackId scores{}[].date scores{}[].score
ad-intelligence.creatives | data[] | countryCode[] network[].title network[].id network[].class mediaUrl mediaOriginalUrl previewUrl resourceMedia resourceMediaUrl mediaType mediaId tagType firstSeen lastSeen properties.size properties.width properties.height platformId appId title subtitle action iconUrl fullName trackId category categoryId impression mediaFormat[] duration lastSeenDate firstSeenDate hashedMediaId
ad-intelligence.top-advertisers | data[] | isAdvertiser isPublisher adCount creativeCount networks[].title networks[].class countries[].title countries[].countryCode platform appId iconUrl fullName trackId developerName developerId category categoryId networkCount
ad-intelligence.check-badge | | appAdvertiser appPublisher
ad-intelligence.country-distribution | [] | name code code3 percent
ad-intelligence.creative-dimension-distribution | | imageCreative[].name imageCreative[].percent videoCreative[].name videoCreative[].percent htmlCreative[].name htmlCreative[].percent
ad-intelligence.creative-type-distribution | | imagePercent videoPercent htmlPercent playablePercent
ad-intelligence.language-distribution | [] | name percent
ad-intelligence.network-distribution | [] | title percent
ad-intelligence.publisher-dimension-distribution | {}[] | mediaType dimensions percentage
search-ads-insight.paid-keywords | | trackId shares[].keyword shares[].appShare shares[].slotShares{}
search-ads-insight.paying-apps | | keyword startDate endDate shares[].trackId shares[].share shares[].slotShares{} shares[].defaultProductPageCount shares[].customProductPageCount
search-ads.integrations | [][] | id integId orgName orgId currency timeZone paymentModel valid roleNames[] fetchCompleted createDate
search-ads.mmp-integrations | [] | name trackId iconUrl developerName integrations[].trackerType integrations[].state
search-ads.goals | [] | id accountId trackId trackerType goalName category currency createDate updateDate eventList[].id eventList[].eventName eventList[].revenuePolicy eventList[].customRevenue eventList[].customUsdRevenue
search-ads.apps | [] | trackId name categoryName categoryId subCategories[] iconUrl price developerId developerName rating ratingCount lastUpdate releaseDate
search-ads.bid-history-logs | [] | entityLevel orgId entityId currency oldValue newValue date source ruleName
search-ads.reports | [].tableData[] | orgId orgName country currency appId appName campaignId campaignName startTime adChannelType billingEvent spend impressions taps installs redownloads newDownloads cpa cpt ttr cr goalRevenue goalRevenue1 goalRevenue3 goalRevenue7 goalRevenue14 goalRevenue30 goalCount1 goalCount3 goalCount7 goalCount14 goalCount30 numberOfInstall numberOfGoal goalRoas goalRoas1 goalRoas3 goalRoas7 goalRoas14 goalRoas30 cpi attrInstallRate costPerGoal goalsRate revenuePerGoal arpu campaignStatus displayStatus servingStatusReasons dailyBudget countries[] countryWithStatus{} supplySources[] original.dailyBudget original.spend original.cpa original.cpt original.goalRevenue original.goalRevenue30 original.goalRoas original.goalRoas30 original.cpi original.costPerGoal original.revenuePerGoal original.arpu
search-ads.top-apps-report | [] | keywordData.keyword keywordData.keywordId keywordData.countryCode keywordData.numberOfApps keywordData.competitors appData[].share appData[].trackId appData[].name appData[].iconUrl appData[].removed
dashboard.apps | [] | isStoreAccountConnected availableCountries[] competitors[] trackId name categoryName categoryId iconUrl price developerId developerName rating ratingCount
dashboard.daily-keyword-rankings | [] | keyword searchVolume rank change countryCode chance numberOfApps rankingHistory[].rank rankingHistory[].date brandApp createdAt
dashboard.sales-metrics | [] | countryCode date units
dashboard.retention-history | [] | date country androidStoreVisits
dashboard.keyword-spot | [] | locale keywords updateDate
dashboard.keyword-estimation | | trackId country results[].keyword results[].conversionRate results[].maxReach results[].installs
dashboard.keyword-estimation-history | | trackId country keyword startDate endDate results[].keyword results[].conversionRate results[].maxReach results[].installs results[].date
`;

const fields = new Map(
  table
    .split("\n")
    .filter((line) => line.trim() !== "")
    .flatMap((line) => {
      const [ids = "", place = "", names = ""] = line.split("|").map((cell) => cell.trim());
      const paths = names.split(" ").map((name) => (place === "" ? name : `${place}.${name}`));
      return ids.split(" ").map((id) => [id, paths] as const);
    }),
);

/** The fields that the contract documents of an operation's answer; none where it is a single value, or where a command prints it. */
export function documentedFields(operation: string): readonly string[] {
  return fields.get(operation) ?? [];
}
