import type { z } from "zod";
import { checkBadge as operation } from "../api/operations/ad-intelligence.ts";
import { appRef, defineTable } from "../load/table.ts";
import { answerFields } from "./shared/answer-fields.ts";
import { defineDataset, part } from "./shared/define-dataset.ts";
import { eachApp } from "./shared/portfolio-partitions.ts";

type Badge = z.output<typeof operation.answer>;

const fields = answerFields<Badge>()({
  is_advertiser: ["appAdvertiser", "boolean"],
  is_publisher: ["appPublisher", "boolean"],
});

const table = defineTable({
  name: "core.ad_badge",
  columns: {
    app_key: "app",
    date_day: "day",
    ...fields.columns,
    extra: "json",
  },
  key: ["app_key", "date_day"],
  load: { kind: "upsert" },
  partitioned: false,
});

/** Whether the portfolio's apps advertise and show advertisements, by day of observation. */
export const adBadge = defineDataset({
  name: "ad_badge",
  summary: "Whether each portfolio app advertises, and whether it shows advertisements, by day of observation.",
  stage: "market",
  on: false,
  why: "5 credits per app and month; switch it on if advertising matters",
  timing: { kind: "snapshot", refreshDays: 30 },
  tables: [table],
  operations: [operation],
  byApp: true,
  partitions: ({ apps }) => eachApp(apps),
  request: ({ scope }) => ({ trackId: part(scope, "app") }),
  normalise: ({ scope, window }, pages) => {
    const rows = (pages as readonly Badge[]).map((badge) => ({
      app_key: appRef(part(scope, "store"), part(scope, "app")),
      date_day: window.start,
      ...fields.read(badge),
      extra: fields.extra(badge),
    }));
    return { rows: { [table.name]: rows }, invalid: [] };
  },
});
