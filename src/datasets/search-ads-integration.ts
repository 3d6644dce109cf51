import type { z } from "zod";
import { searchAdsIntegrations as operation } from "../api/operations/search-ads-account.ts";
import { defineTable, extraOf, jsonOf } from "../load/table.ts";
import { idOf } from "./shared/values.ts";
import { defineDataset } from "./shared/define-dataset.ts";
import { clockOf } from "./shared/instants.ts";
import { eachOnce } from "./shared/values.ts";

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
  columns: { org_id: "text", integration_id: "text", ...described },
  key: ["org_id", "integration_id"],
  load: { kind: "history", scope: [], versioned: Object.keys(described) },
  partitioned: false,
});

/** The organisations that reports can be asked for; `is_valid` is '' where the service does not say. */
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

/** The search-ads organisations that the account is connected with: reports and bids are planned from them. */
export const searchAdsIntegration = defineDataset({
  name: "search_ads_integration",
  summary: "The search-ads organisations that the account is connected with, with the history of when each was.",
  stage: "listing",
  on: true,
  why: "1 credit a day for the whole account, and reports and bids are planned from it",
  timing: { kind: "snapshot", refreshDays: 1 },
  tables: [table],
  operations: [operation],
  operationsFor: () => [operation],
  planningSources: organisations,
  partitions: () => [{ scope: {}, items: null }],
  request: () => ({}),
  normalise: (_, pages) => {
    const integrations = eachOnce(pages.flat(2) as readonly Integration[]);
    return { rows: { [table.name]: integrations.map(row) }, invalid: [] };
  },
});

function row(told: Integration) {
  return {
    org_id: String(told.orgId),
    integration_id: String(told.id),
    organisation_name: told.orgName ?? null,
    integration_code: idOf(told.integId),
    currency: told.currency ?? null,
    time_zone: told.timeZone ?? null,
    payment_model: told.paymentModel ?? null,
    is_valid: told.valid ?? null,
    has_fetched: told.fetchCompleted ?? null,
    role_names: jsonOf(told.roleNames),
    created_at: clockOf(told.createDate),
    extra: extraOf(told, known),
  };
}
