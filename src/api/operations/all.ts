import type { Operation } from "../define-operation.ts";
import * as account from "./account.ts";
import * as adDistribution from "./ad-distribution.ts";
import * as adIntelligence from "./ad-intelligence.ts";
import * as app from "./app.ts";
import * as category from "./category.ts";
import * as dashboardData from "./dashboard-data.ts";
import * as dashboardKeyword from "./dashboard-keyword.ts";
import * as dashboardSearch from "./dashboard-search.ts";
import * as dashboard from "./dashboard.ts";
import * as estimation from "./estimation.ts";
import * as featuring from "./featuring.ts";
import * as keywordApps from "./keyword-apps.ts";
import * as keywordEstimation from "./keyword-estimation.ts";
import * as keyword from "./keyword.ts";
import * as market from "./market.ts";
import * as review from "./review.ts";
import * as searchAdsAccount from "./search-ads-account.ts";
import * as searchAdsInsight from "./search-ads-insight.ts";
import * as searchAdsReport from "./search-ads-report.ts";
import * as version from "./version.ts";

/** The operations' files by the sections of the contract. */
const groups: readonly (readonly object[])[] = [
  [keyword, keywordApps],
  [app, version, review, estimation, featuring],
  [category],
  [market],
  [adIntelligence, adDistribution],
  [searchAdsInsight],
  [searchAdsAccount, searchAdsReport],
  [dashboard, dashboardKeyword, dashboardSearch, dashboardData, keywordEstimation],
  [account],
];

/** Every operation in the order of the contract; within a section by id, since the loader decides the order of a module's exports. */
export const operations: readonly Operation[] = groups.flatMap((group) =>
  group.flatMap((file) => Object.values<Operation>({ ...file })).sort((a, b) => (a.id < b.id ? -1 : 1)),
);

const byId = new Map(operations.map((operation) => [operation.id, operation]));

/** The operation with this id; throws if there is none, since ids come from our own tables. */
export function operationById(id: string): Operation {
  const operation = byId.get(id);
  if (operation === undefined) throw new Error(`no operation has the id ${id}`);
  return operation;
}
