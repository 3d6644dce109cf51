import type { z } from "zod";
import { mmpIntegrations as operation } from "../api/operations/search-ads-account.ts";
import { storeOf } from "../core/store.ts";
import { appRef, defineTable, jsonOf } from "../load/table.ts";
import { defineDataset } from "./shared/define-dataset.ts";
import { eachOnce } from "./shared/values.ts";
import { theAccount } from "./shared/portfolio-partitions.ts";

const described = { state: "text", app_name: "text", developer_name: "text", extra: "json" } as const;

const table = defineTable({
  name: "core.mmp_integration",
  columns: { app_key: "app", tracker_type: "text", account: "text", ...described, icon_url: "text" },
  key: ["app_key", "tracker_type", "account"],
  load: { kind: "history", scope: ["account"], versioned: Object.keys(described) },
  partitioned: false,
});

type App = z.output<typeof operation.answer>[number];
type Integration = NonNullable<App["integrations"]>[number];

/** The measurement partners that the account's apps report to. */
export const mmpIntegration = defineDataset({
  name: "mmp_integration",
  summary:
    "The measurement partners to which each app of the account reports, with the state of each integration and its history.",
  stage: "listing",
  ofAccount: true,
  on: true,
  why: "1 credit per day for the whole account",
  timing: { kind: "snapshot", refreshDays: 1 },
  tables: [table],
  operations: [operation],
  partitions: theAccount,
  request: () => ({}),
  normalise: (_, pages) => {
    const rows = (pages.flat() as readonly App[]).flatMap((app) => {
      const integrations = app.integrations ?? [];
      return integrations.length === 0 ? [row(app, null)] : integrations.map((one) => row(app, one));
    });
    return { rows: { [table.name]: eachOnce(rows) }, invalid: [] };
  },
});

/** An app that reports to no partner also has a row, with '' for the partner. */
function row(app: App, integration: Integration | null) {
  const { trackerType = "", state = null, ...more } = integration ?? {};
  const { name: _n, trackId: _t, iconUrl: _i, developerName: _d, integrations: _l, ...rest } = app;
  const trackId = String(app.trackId);
  return {
    app_key: appRef(storeOf(trackId), trackId),
    tracker_type: trackerType,
    state,
    app_name: app.name ?? null,
    developer_name: app.developerName ?? null,
    extra: Object.keys({ ...rest, ...more }).length === 0 ? null : jsonOf({ ...rest, ...more }),
    icon_url: app.iconUrl ?? null,
  };
}
