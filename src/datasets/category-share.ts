import { androidShareOfCategory, iosShareOfCategory } from "../api/operations/keyword-apps.ts";
import { defineTable } from "../load/table.ts";
import { categoryNameOf } from "./shared/category-ranks.ts";
import { defineDataset, part } from "./shared/define-dataset.ts";
import { keywordCountryDevices } from "./shared/portfolio-partitions.ts";
import { shareColumns, shareParams, sharesOf } from "./shared/keyword-shares.ts";

const table = defineTable({
  name: "core.fact_category_share",
  columns: {
    ...shareColumns,
    share_day: "date",
    category_code: "text",
    category_name: "text",
    category_share: "number",
    answer_day: "date",
    extra: "json",
  },
  key: ["keyword_key", "date_day", "country_key", "store", "device_key", "share_day", "category_code"],
  load: { kind: "replace", scope: ["keyword_key", "date_day", "country_key", "store", "device_key"] },
  partitioned: true,
});

/** In which categories apps have a keyword in their metadata. */
export const categoryShare = defineDataset({
  name: "category_share",
  summary:
    "How the apps that have a keyword in their metadata are spread over categories, for each portfolio keyword, by store, country, device and day of observation.",
  family: "category",
  stage: "market",
  on: false,
  why: "5 credits per keyword, country and device each month",
  timing: { kind: "snapshot", refreshDays: 30 },
  tables: [table],
  operations: { ios: iosShareOfCategory, android: androidShareOfCategory },
  fromKeywords: true,
  partitions: keywordCountryDevices,
  request: shareParams,
  normalise: (slice, pages) => {
    const store = part(slice.scope, "store");
    const { shares, invalid } = sharesOf(slice, pages);
    const rows = shares.map(({ owner, columns: { share, ...columns } }) => ({
      ...columns,
      category_code: owner,
      category_name: categoryNameOf(store, owner),
      category_share: share,
    }));
    return { rows: { [table.name]: rows }, invalid };
  },
});
