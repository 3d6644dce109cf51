import { readAnswer } from "../../src/api/read-answer.ts";
import { searchAdsReports } from "../../src/api/operations/search-ads-report.ts";
import { day } from "../../src/core/day.ts";
import type { Scope } from "../../src/core/slice.ts";
import { searchAdsReport } from "../../src/datasets/search-ads-report.ts";
import { checkRows } from "../../src/load/check-rows.ts";
import { sliceOf } from "./ingest-slice.ts";

/** An organisation whose id needs more than 32 bits. */
export const org = "40669820000";
/** Who a report by day is about. */
export const scope: Scope = {
  org_id: org,
  report_level: "AD_GROUP",
  report_type: "DAILY",
  grain: "day",
  attribution: "WITH",
  currency: "USD",
};
/** The requested days. */
const window = { start: day("2026-08-01"), end: day("2026-08-04") };
const [table, shapes, weeks] = searchAdsReport.tables;
if (table === undefined || shapes === undefined || weeks === undefined) throw new Error("the dataset has three tables");

/** An ad group on a day; numbers as the service sends them. */
export const adGroup = {
  orgId: 40_669_820_000,
  orgName: "Kâğıt Fener 🏮",
  country: "US",
  currency: "USD",
  appId: 6_449_123_456,
  campaignId: 542_370_539,
  adGroupId: 542_317_095,
  gender: "M",
  spend: 12.5,
  impressions: 100,
  taps: "7",
  date: "2026-08-01",
};

/** Normalises pages as they are read off the wire, and what the table would take of them. */
export function normalise(
  rows: readonly object[],
  chosen: { scope?: Scope; page?: object; pages?: readonly object[] } = {},
) {
  const slice = sliceOf({ dataset: "search_ads_report", scope: chosen.scope ?? scope, window });
  const body = { success: true, data: [{ pagination: {}, tableData: rows, ...chosen.page }, ...(chosen.pages ?? [])] };
  const read = readAnswer(searchAdsReports, Buffer.from(JSON.stringify(body)));
  const { rows: reported, invalid } = searchAdsReport.normalise(slice, [read.value], read.invalid);
  const checked = checkRows(table!, reported[table!.name] ?? []);
  return {
    rows: checked.fit,
    invalid: [...read.invalid, ...invalid, ...checked.invalid],
    shape: reported[shapes!.name],
    weeks: reported[weeks!.name],
  };
}
