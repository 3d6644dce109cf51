import { appMatch as operation } from "../api/operations/market.ts";
import { storeOf } from "../core/store.ts";
import { onceDays } from "../core/timing.ts";
import { defineTable } from "../load/table.ts";
import { defineDataset, part } from "./shared/define-dataset.ts";
import { eachApp } from "./shared/portfolio-partitions.ts";
import { checkItems } from "./shared/check-items.ts";

const table = defineTable({
  name: "core.app_match",
  columns: { ios_track_id: "text", android_track_id: "text" },
  key: ["ios_track_id", "android_track_id"],
  load: { kind: "upsert" },
  partitioned: false,
});

/** The same app in both stores: one row, regardless of which of the two was requested. */
export const appMatch = defineDataset({
  name: "app_match",
  summary: "Which iOS app and which Android app are the same app: each row holds the ids of both.",
  stage: "market",
  on: true,
  why: "10 credits, once per app",
  // `refresh_days` in the configuration overrides this
  timing: { kind: "snapshot", refreshDays: onceDays },
  tables: [table],
  operations: [operation],
  byApp: true,
  partitions: ({ apps }) => eachApp(apps),
  request: ({ scope }) => ({ store: part(scope, "store") === "ios" ? "ios" : "play", trackId: part(scope, "app") }),
  normalise: ({ scope }, pages) => {
    const [store, app] = [part(scope, "store"), part(scope, "app")];
    const found = pages
      .map((page) => (page === null ? "" : String(page as string | number).trim()))
      .filter((trackId) => trackId !== "");
    // an answer with an id of the requested store would make a row of two apps of one store
    const { fitting, invalid } = checkItems(found, (trackId) =>
      storeOf(trackId) === store ? "an id of the requested store itself" : null,
    );
    const rows = fitting.map((trackId) =>
      store === "ios"
        ? { ios_track_id: app, android_track_id: trackId }
        : { ios_track_id: trackId, android_track_id: app },
    );
    return { rows: { [table.name]: rows }, invalid };
  },
});
