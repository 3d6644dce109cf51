import { defineTable } from "../../src/load/table.ts";

/**
 * Sums of countries, of which an answer lists those that it has: `named_key` is the country that the request names, and the answer about
 * all of them has the last word.
 */
export const sold = defineTable({
  name: "core.fact_sold",
  columns: { date_day: "day", country_key: "country", named_key: "country", units: "int" },
  key: ["date_day", "country_key"],
  load: {
    kind: "replace",
    scope: ["date_day", "named_key"],
    onlyReported: true,
    ranked: { column: "named_key", sources: ["0"] },
  },
  partitioned: false,
});
