import type { z } from "zod";
import { searchAdsIntegrations as operation } from "../api/operations/search-ads-account.ts";
import { defineTable, extraOf, jsonOf } from "../load/table.ts";
import { eachOnce, idOf } from "./shared/values.ts";
import { defineDataset } from "./shared/define-dataset.ts";
import { clockOf } from "./shared/instants.ts";
import { theAccount } from "./shared/portfolio-partitions.ts";

const described = {
  organisation_name: "text",
  integration_code: "text",
  currency: "text",
  time_zone: "text",
  payment_model: "text",
  is_valid: "boolean",
  has_fetched: "boolean",
  role_names: "json",
  created_at: "timestamp",
  extra: "json",
} as const;

const table = defineTable({
  name: "core.search_ads_integration",
  columns: { org_id: "text", integration_id: "text", account: "text", ...described },
  key: ["org_id", "integration_id", "account"],
  load: { kind: "history", scope: ["account"], versioned: Object.keys(described) },
  partitioned: false,
});

/** The organisations that reports can be requested for; `is_valid` is '' if the service does not report it. */
export const organisations = {
  name: "search_ads_organisation",
  table,
  columns: ["org_id"],
  maybe: ["is_valid"],
} as const;

const known = "id integId orgName orgId currency timeZone paymentModel valid roleNames fetchCompleted createDate".split(
  " ",
);

type Integration = z.output<typeof operation.answer>[number][number];

/** The search-ads organisations that the account is connected to: reports and bids are planned from them. */
export const searchAdsIntegration = defineDataset({
  name: "search_ads_integration",
  summary: "The search-ads organisations to which the account is connected, with the history of each connection.",
  stage: "listing",
  ofAccount: true,
  on: true,
  why: "1 credit per day for the whole account, and reports and bids are planned from it",
  timing: { kind: "snapshot", refreshDays: 1 },
  tables: [table],
  operations: [operation],
  planningSources: organisations,
  partitions: theAccount,
  request: () => ({}),
  normalise: (_, pages) => {
    const integrations = eachOnce(pages.flat(2) as readonly Integration[]);
    return { rows: { [table.name]: integrations.map(row) }, invalid: [] };
  },
});

function row(reported: Integration) {
  return {
    org_id: String(reported.orgId),
    integration_id: String(reported.id),
    organisation_name: reported.orgName ?? null,
    integration_code: idOf(reported.integId),
    currency: reported.currency ?? null,
    time_zone: reported.timeZone ?? null,
    payment_model: reported.paymentModel ?? null,
    is_valid: reported.valid ?? null,
    has_fetched: reported.fetchCompleted ?? null,
    role_names: jsonOf(reported.roleNames),
    created_at: clockOf(reported.createDate),
    extra: extraOf(reported, known),
  };
}
