import type { z } from "zod";
import type { searchAdsReports } from "../../api/operations/search-ads-report.ts";
import { storeOf } from "../../core/store.ts";
import { appRef, jsonOf } from "../../load/table.ts";
import { idOf } from "./values.ts";
import { clockOf } from "./instants.ts";
import { figureFields } from "./report-figures.ts";

/** A page of a report as it came, and a row of it. */
export type ReportPage = z.output<typeof searchAdsReports.answer>[number];
export type ReportRow = ReportPage["tableData"][number];

/** The fields of a row that hold its keyword, possibly a negative one, and the search term. */
const keywordIds = ["keywordId", "negativeKeywordId"] as const;
const searchTerms = ["searchTermText", "searchTerm"] as const;

/** What identifies a row in its answer; '' for each id that it lacks. */
export function identityOf(row: ReportRow) {
  return {
    app_id: textOrEmpty(row.appId),
    campaign_id: textOrEmpty(row.campaignId),
    ad_group_id: textOrEmpty(row.adGroupId),
    keyword_id: firstOf(row, keywordIds),
    ad_id: textOrEmpty(row.adId),
    product_page: productPage(row),
    search_term: firstOf(row, searchTerms),
    match_type: textOrEmpty(row.matchType),
    country_key: countryIn(row) ?? "ALL",
    gender: textOrEmpty(row.gender),
    age: textOrEmpty(row.age),
    device_class: textOrEmpty(row.deviceClass),
    customer_type: textOrEmpty(row.customerType),
  };
}

/** The names of what a row is about. */
export function describe(row: ReportRow) {
  const app = textOrEmpty(row.appId);
  return {
    app_key: app === "" ? null : appRef(storeOf(app), app),
    keyword_key: idOf(row.keyword),
    org_name: row.orgName ?? null,
    app_name: row.appName ?? null,
    campaign_name: row.campaignName ?? null,
    ad_group_name: row.adGroupName ?? null,
    ad_name: row.adName ?? null,
    product_page_name: row.cppName ?? null,
  };
}

/** The state of what a row is about. */
export function statusOf(row: ReportRow) {
  const reasons = row.servingStatusReasons;
  return {
    started_at: clockOf(row.startTime),
    ad_channel_type: row.adChannelType ?? null,
    billing_event: row.billingEvent ?? null,
    pricing_model: row.pricingModel ?? null,
    campaign_status: row.campaignStatus ?? null,
    ad_group_status: row.adGroupStatus ?? null,
    display_status: row.displayStatus ?? null,
    serving_status_reasons: Array.isArray(reasons) ? reasons.join(", ") : (reasons ?? null),
    search_match: row.searchMatch == null ? null : String(row.searchMatch),
    countries: jsonOf(row.countries),
    country_statuses: jsonOf(row.countryWithStatus),
    supply_sources: jsonOf(row.supplySources),
    original: jsonOf(row.original),
  };
}

/** Fields that have a column. */
export const fields: readonly string[] = [
  ...figureFields,
  ..."orgId orgName appId appName campaignId campaignName adGroupId adGroupName keyword adId adName cppId cppName".split(
    " ",
  ),
  ...keywordIds,
  ...searchTerms,
  ..."matchType gender age deviceClass customerType startTime adChannelType billingEvent".split(" "),
  ..."pricingModel campaignStatus adGroupStatus displayStatus servingStatusReasons searchMatch countries".split(" "),
  ..."countryWithStatus supplySources original".split(" "),
];

/** True for an id: a number or text in a field with the name of one. */
export function isId(name: string, value: unknown): boolean {
  return name.endsWith("Id") && (typeof value === "number" || (typeof value === "string" && value !== ""));
}

/** The levels whose rows may be about an app as a whole; a product-page row is, if the app has no other page. */
const levelsOfApps: readonly string[] = ["APP", "CPP"];

/** True for a row that names something that rows of its level are about, in any field. */
export function isAboutSome(level: string, row: ReportRow): boolean {
  const wider = ["orgId", "goalId", ...(levelsOfApps.includes(level) ? [] : ["appId"])];
  return (
    Object.entries(row).some(([name, value]) => isId(name, value) && !wider.includes(name)) ||
    productPage(row) !== "" ||
    firstOf(row, searchTerms) !== ""
  );
}

/** The product page of a row: its id or, without one, its name. */
function productPage(row: ReportRow): string {
  return textOrEmpty(row.cppId ?? row.cppName);
}

function firstOf(row: ReportRow, names: readonly string[]): string {
  const isReported = (value: unknown) => typeof value === "number" || (typeof value === "string" && value !== "");
  return textOrEmpty(names.map((name) => row[name]).find(isReported) as string | number | undefined);
}

/** The country of a row in the form of the dimension, in any letter case; null if the row names none or several. */
export function countryIn({ country }: ReportRow): string | null {
  return country != null && /^[A-Z]{2}$/i.test(country) ? country.toUpperCase() : null;
}

/** An id as text; '' for none. */
export function textOrEmpty(value: string | number | null | undefined): string {
  return value == null ? "" : String(value);
}
