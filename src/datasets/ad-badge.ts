import type { z } from "zod";
import { checkBadge as operation } from "../api/operations/ad-intelligence.ts";
import { appRef, defineTable, extraOf } from "../load/table.ts";
import { defineDataset, part } from "./shared/define-dataset.ts";

const table = defineTable({
  name: "core.ad_badge",
  columns: {
    app_key: "app",
    date_day: "day",
    is_advertiser: "boolean",
    is_publisher: "boolean",
    extra: "json",
  },
  key: ["app_key", "date_day"],
  load: { kind: "upsert" },
  partitioned: false,
});

type Badge = z.output<typeof operation.answer>;

/** Whether the portfolio's apps advertise and show advertisements, by day of observation. */
export const adBadge = defineDataset({
  name: "ad_badge",
  summary: "Whether each app of the portfolio advertises, and whether it shows advertisements, by day of observation.",
  stage: "market",
  on: false,
  why: "5 credits an app and month; switch it on where advertising matters",
  timing: { kind: "snapshot", refreshDays: 30 },
  tables: [table],
  operations: [operation],
  operationsFor: () => [operation],
  partitions: (portfolio) =>
    portfolio.apps.map(({ store, trackId }) => ({ scope: { store, app: trackId }, items: null })),
  request: ({ scope }) => ({ trackId: part(scope, "app") }),
  normalise: ({ scope, window }, pages) => {
    const rows = (pages as readonly Badge[]).map((badge) => ({
      app_key: appRef(part(scope, "store"), part(scope, "app")),
      date_day: window.start,
      is_advertiser: badge.appAdvertiser,
      is_publisher: badge.appPublisher,
      extra: extraOf(badge, ["appAdvertiser", "appPublisher"]),
    }));
    return { rows: { [table.name]: rows }, invalid: [] };
  },
});
