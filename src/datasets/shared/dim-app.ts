import type { PlanningSource } from "../../load/planning-sources.ts";
import { defineTable, type Row } from "../../load/table.ts";

/**
 * What describes an app, the least detailed first: the account's list of competitors, an Android page, the account's list of tracked apps,
 * an iOS page. A source ranks below those that say more according to the contract: an Android page has no developer name, and a description
 * replaces another as a whole.
 */
export const describers = {
  competitor: "tracked_competitor",
  androidPage: "android_app_history",
  tracked: "tracked_app",
  iosPage: "app_history",
} as const;

const dimension = {
  name: "core.dim_app",
  columns: {
    store: "text",
    track_id: "text",
    app_name: "text",
    category_id: "text",
    category_name: "text",
    icon_url: "text",
    price_text: "text",
    developer_id: "text",
    developer_name: "text",
    rating: "number",
    rating_count: "bigint",
    described_by: "text",
  },
  key: ["store", "track_id"],
  load: { kind: "upsert", ranked: { column: "described_by", sources: Object.values(describers) } },
  partitioned: false,
} as const;

/** Apps as the account's list describes them, with the competitors that it names. */
export const dimAppOfList = defineTable({
  ...dimension,
  owned: { described_by: [describers.competitor, describers.tracked] },
});

/** Apps as their page in the store describes them. */
export const dimAppOfPage = defineTable({
  ...dimension,
  owned: { described_by: [describers.androidPage, describers.iosPage] },
});

/** True for a description that names its app: one without a name, such as that of a removed app, would erase the earlier one. */
export function namesItsApp({ app_name: name }: Row): boolean {
  return typeof name === "string" && name !== "";
}

/** Apps with a description: their category and developer, from which others are planned; '' if unknown. */
export const describedApp = {
  name: "described_app",
  table: dimAppOfPage,
  columns: ["store", "track_id", "described_by"],
  maybe: ["category_id", "developer_id", "developer_name"],
} as const satisfies PlanningSource;
