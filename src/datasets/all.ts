import { fail } from "../core/errors.ts";
import { adBadge } from "./ad-badge.ts";
import { adCreative } from "./ad-creative.ts";
import { adDistribution } from "./ad-distribution.ts";
import { appChange } from "./app-change.ts";
import { appHistory } from "./app-history.ts";
import { appMatch } from "./app-match.ts";
import { appRating } from "./app-rating.ts";
import { appVersion } from "./app-version.ts";
import { bidChange } from "./bid-change.ts";
import { categoryRank } from "./category-rank.ts";
import { categoryShare } from "./category-share.ts";
import type { Dataset } from "./define-dataset.ts";
import { developerApp } from "./developer-app.ts";
import { downloadRevenue } from "./download-revenue.ts";
import { featuring } from "./featuring.ts";
import { impressionShare } from "./impression-share.ts";
import { keywordApp } from "./keyword-app.ts";
import { keywordEstimate } from "./keyword-estimate.ts";
import { keywordMetadata } from "./keyword-metadata.ts";
import { keywordRank } from "./keyword-rank.ts";
import { keywordSpot } from "./keyword-spot.ts";
import { mmpIntegration } from "./mmp-integration.ts";
import { monthlyEstimate } from "./monthly-estimate.ts";
import { organicKeyword } from "./organic-keyword.ts";
import { paidKeyword } from "./paid-keyword.ts";
import { payingApp } from "./paying-app.ts";
import { retention } from "./retention.ts";
import { reviewWord } from "./review-word.ts";
import { review } from "./review.ts";
import { salesMetric } from "./sales-metric.ts";
import { searchAdsApp } from "./search-ads-app.ts";
import { searchAdsGoal } from "./search-ads-goal.ts";
import { searchAdsIntegration } from "./search-ads-integration.ts";
import { searchAdsReport } from "./search-ads-report.ts";
import { searchAdsTopApp } from "./search-ads-top-app.ts";
import { topAdvertiser } from "./top-advertiser.ts";
import { topChart } from "./top-chart.ts";
import { topKeyword } from "./top-keyword.ts";
import { trackedApps } from "./tracked-app.ts";
import { trackedCountry } from "./tracked-country.ts";
import { trackedKeyword } from "./tracked-keyword.ts";
import { visibility } from "./visibility.ts";

/** Every dataset; those that tell what is followed first, each after what it is planned from. */
export const datasets: readonly Dataset[] = [
  trackedApps,
  trackedCountry,
  trackedKeyword,
  appVersion,
  searchAdsIntegration,
  mmpIntegration,
  searchAdsGoal,
  searchAdsApp,
  keywordRank,
  keywordMetadata,
  topKeyword,
  organicKeyword,
  appHistory,
  appRating,
  appChange,
  categoryRank,
  visibility,
  appMatch,
  monthlyEstimate,
  keywordApp,
  impressionShare,
  categoryShare,
  downloadRevenue,
  keywordEstimate,
  keywordSpot,
  salesMetric,
  retention,
  adBadge,
  adCreative,
  adDistribution,
  topAdvertiser,
  paidKeyword,
  payingApp,
  review,
  reviewWord,
  topChart,
  featuring,
  developerApp,
  bidChange,
  searchAdsReport,
  searchAdsTopApp,
];

/** The dataset of this name; throws a UsageError when there is none. */
export function datasetNamed(name: string): Dataset {
  const found = datasets.find((dataset) => dataset.name === name);
  if (found === undefined) throw fail("unknown_dataset", { dataset: name });
  return found;
}

/** What is special to each dataset, by its name. */
export const datasetOptions: Readonly<Record<string, Dataset["options"]>> = Object.fromEntries(
  datasets.map(({ name, options }) => [name, options]),
);
