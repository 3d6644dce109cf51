import { textOf } from "./shared/values.ts";
import type { z } from "zod";
import { dashboardApps } from "../api/operations/dashboard.ts";
import { storeOf } from "../core/store.ts";
import { appRef, defineTable, jsonOf, type Row } from "../load/table.ts";
import { connections, loadedFigures } from "./shared/account-figures.ts";
import { defineDataset } from "./shared/define-dataset.ts";
import { describers, dimAppOfList, namesItsApp } from "./shared/dim-app.ts";
import { competitorsOf, namedCompetitors, trackedCompetitor } from "./shared/tracked-competitor.ts";
import { theAccount } from "./shared/portfolio-partitions.ts";

const trackedApp = defineTable({
  name: "core.tracked_app",
  columns: { app_key: "app", account: "text", is_store_account_connected: "boolean", available_countries: "json" },
  key: ["app_key", "account"],
  load: { kind: "history", scope: ["account"], versioned: [] },
  partitioned: false,
});

type App = z.output<typeof dashboardApps.answer>[number];

/** The apps that the account tracks; they are the portfolio unless the configuration says otherwise. */
export const trackedApps = defineDataset({
  name: "tracked_app",
  summary: "The apps that the account tracks and the competitors that it names for each, with the history of both.",
  stage: "portfolio",
  ofAccount: true,
  on: true,
  why: "5 credits per day for the whole account, and everything else is planned from it",
  timing: { kind: "snapshot", refreshDays: 1 },
  tables: [trackedApp, trackedCompetitor, dimAppOfList],
  operations: [dashboardApps],
  planningSources: [
    { name: connections, table: trackedApp, columns: ["app_key", "is_store_account_connected"] },
    loadedFigures,
    namedCompetitors,
  ],
  partitions: theAccount,
  request: () => ({}),
  normalise: (_, pages) => {
    const entries = pages.flat() as readonly App[];
    const apps = [...new Map(entries.map((app) => [String(app.trackId), app])).values()];
    // an app that is listed twice has the competitors of both entries
    const { pairs, described, invalid } = competitorsOf(entries);
    return {
      rows: {
        [trackedApp.name]: apps.map(trackedRow),
        [trackedCompetitor.name]: pairs,
        [dimAppOfList.name]: descriptionsOf(entries, described),
      },
      invalid,
    };
  },
});

function trackedRow(app: App) {
  const trackId = String(app.trackId);
  return {
    app_key: appRef(storeOf(trackId), trackId),
    is_store_account_connected: app.isStoreAccountConnected ?? null,
    available_countries: jsonOf(app.availableCountries?.toSorted()),
  };
}

/**
 * Each named app once: if it is both tracked and a competitor, each fact comes from its own entry first, then from that of the competitor.
 */
function descriptionsOf(apps: readonly App[], competitors: readonly Row[]): readonly Row[] {
  const rows = new Map(competitors.map((row) => [row["track_id"], row]));
  for (const app of apps) {
    const own = describe(app);
    const known = Object.entries(own).filter(([, value]) => value !== null && value !== "");
    const before = rows.get(own.track_id);
    const source = namesItsApp(own) ? own.described_by : (before?.["described_by"] ?? own.described_by);
    rows.set(own.track_id, { ...before, ...Object.fromEntries(known), described_by: source });
  }
  return [...rows.values()].filter(namesItsApp);
}

function describe(app: App) {
  const trackId = String(app.trackId);
  return {
    store: storeOf(trackId),
    track_id: trackId,
    app_name: app.name ?? null,
    category_id: textOf(app.categoryId),
    category_name: app.categoryName ?? null,
    icon_url: app.iconUrl ?? null,
    price_text: textOf(app.price),
    developer_id: textOf(app.developerId),
    developer_name: app.developerName ?? null,
    rating: app.rating == null ? null : Number(app.rating),
    rating_count: app.ratingCount == null ? null : Number(app.ratingCount),
    described_by: describers.tracked,
  };
}
