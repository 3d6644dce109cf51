import type { AnswerTable } from "../answer-context.ts";
import { accountAnswers } from "./account.ts";
import { adIntelligenceAnswers } from "./ad-intelligence.ts";
import { appAnswers } from "./app.ts";
import { categoryAnswers } from "./category.ts";
import { dashboardMoreAnswers } from "./dashboard-more.ts";
import { dashboardAnswers } from "./dashboard.ts";
import { estimationAnswers } from "./estimation.ts";
import { featuringAnswers } from "./featuring.ts";
import { keywordAppsAnswers } from "./keyword-apps.ts";
import { keywordEstimationAnswers } from "./keyword-estimation.ts";
import { keywordAnswers } from "./keyword.ts";
import { marketAnswers } from "./market.ts";
import { reviewAnswers } from "./review.ts";
import { searchAdsAccountAnswers } from "./search-ads-account.ts";
import { searchAdsInsightAnswers } from "./search-ads-insight.ts";
import { searchAdsReportAnswers } from "./search-ads-report.ts";
import { versionAnswers } from "./version.ts";

/** The answer generators of all operations, by id. */
export const answers: AnswerTable = {
  ...keywordAnswers,
  ...keywordAppsAnswers,
  ...appAnswers,
  ...versionAnswers,
  ...reviewAnswers,
  ...estimationAnswers,
  ...featuringAnswers,
  ...categoryAnswers,
  ...marketAnswers,
  ...adIntelligenceAnswers,
  ...searchAdsInsightAnswers,
  ...searchAdsAccountAnswers,
  ...searchAdsReportAnswers,
  ...dashboardAnswers,
  ...dashboardMoreAnswers,
  ...keywordEstimationAnswers,
  ...accountAnswers,
};
