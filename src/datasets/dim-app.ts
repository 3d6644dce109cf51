import { defineTable } from "../warehouse/table.ts";

/** What describes an app, and which dataset told it last. */
export const describers = { tracked: "tracked_app", detail: "app_history" } as const;

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
  partitioned: false,
} as const;

/** Apps as the account's list describes them: what the store's own page said of an app stands above it. */
export const dimAppOfList = defineTable({
  ...dimension,
  load: { kind: "upsert", unless: { described_by: describers.detail } },
  owned: { described_by: describers.tracked },
});

/** Apps as their page in the store describes them. */
export const dimAppOfPage = defineTable({
  ...dimension,
  load: { kind: "upsert" },
  owned: { described_by: describers.detail },
});
